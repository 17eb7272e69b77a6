/** Reads from the result of `propose_file_edit` what became of each hunk, in the words of that result. */

export interface HunkFates {
  readonly kept: readonly string[];
  readonly turnedDown: readonly string[];
}

/**
 * Each hunk that was not simply applied has a line of its own with a bullet; the others are counted: all of them in the
 * first line, some of them in the line `applied: h1, h3–h5`.
 */
export function hunkFates(result: string): HunkFates {
  const all = /^APPLIED: (all \d+ of \d+ hunks)/m.exec(result)?.[1];
  const lines = result.split("\n").filter((line) => /^\s*[-*•]\s/.test(line));
  const hunks = lines.map((line) =>
    line
      .replace(/^\s*[-*•]\s+/, "")
      .replace(/^hunk \S+ \((.*?)\): /, "$1: ")
      .replace(/^applied: (.*)$/, "$1: applied as proposed"),
  );
  const isTurnedDown = (line: string): boolean => /\bnot applied\b|\brejected\b/i.test(line);
  const kept = hunks.filter((line) => !isTurnedDown(line) && /\bapplied\b/i.test(line));
  return {
    kept: all !== undefined && kept.length === 0 ? [all] : kept,
    turnedDown: hunks.filter(isTurnedDown),
  };
}

export function bulletList(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join("\n");
}
