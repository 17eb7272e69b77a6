/** Reads from the result of `propose_file_edit` what became of each hunk, in the words of that result. */

export interface HunkFates {
  readonly kept: readonly string[];
  readonly turnedDown: readonly string[];
}

/** Each hunk has a line of its own with a bullet; it says "not applied", or that the hunk was applied. */
export function hunkFates(result: string): HunkFates {
  const lines = result.split("\n").filter((line) => /^\s*[-*•]\s/.test(line));
  const hunks = lines.map((line) => line.replace(/^\s*[-*•]\s+/, "").replace(/^hunk \S+ \((.*?)\): /, "$1: "));
  const isTurnedDown = (line: string): boolean => /\bnot applied\b|\brejected\b/i.test(line);
  return {
    kept: hunks.filter((line) => !isTurnedDown(line) && /\bapplied\b/i.test(line)),
    turnedDown: hunks.filter(isTurnedDown),
  };
}

export function bulletList(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join("\n");
}
