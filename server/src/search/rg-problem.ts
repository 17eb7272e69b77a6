/** What ripgrep says on its standard error, as a reader can use it. */

/** A pattern that ripgrep cannot read; the message is its reason, in one line. */
export class PatternProblem extends Error {
  override readonly name = "PatternProblem";
}

/** A file or folder that could not be read, and why. */
export interface UnreadFile {
  readonly path: string;
  readonly reason: string;
}

const NO_LOOK_AROUND = /look-around|backreferences/;

/** Throws a `PatternProblem` where nothing was searched; otherwise what could not be read. */
export function readProblems(text: string): UnreadFile[] {
  const lines = text.split("\n");
  const [plain] = lines.flatMap((line) => /^error: (.+)$/.exec(line)?.slice(1) ?? []);
  const [perl] = lines.flatMap(
    (line) => /PCRE2: error compiling pattern at offset \d+: (.+)$/.exec(line)?.slice(1) ?? [],
  );
  const reason = plain !== undefined && NO_LOOK_AROUND.test(plain) ? (perl ?? plain) : plain;
  if (reason !== undefined) throw new PatternProblem(reason);
  const unread = lines.flatMap((line) => unreadFile(line) ?? []);
  const [first = ""] = lines.filter((line) => line.trim() !== "");
  if (unread.length === 0 && first !== "") throw new PatternProblem(first.replace(/^rg: /, ""));
  return unread;
}

/** The paths of which ripgrep tells a problem; undefined where a line tells none, or none that can be read. */
export function unreadPaths(text: string): string[] | undefined {
  const lines = text.split("\n").filter((line) => line !== "");
  const paths = lines.flatMap((line) => unreadFile(line)?.path ?? []);
  return paths.length < lines.length || paths.some((path) => path.includes("\uFFFD")) ? undefined : paths;
}

function unreadFile(line: string): UnreadFile | undefined {
  const [, path, reason = ""] = /^rg: (?:\.\/)?(.+?): (?:PCRE2: [^:]+: )?([^:]+)$/.exec(line) ?? [];
  return path === undefined ? undefined : { path, reason };
}
