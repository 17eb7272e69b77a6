/** Lines that begin with addresses, with the file of several said once. */

/** A heading is worth its line from so many addresses on. */
const FEWEST = 2;

/** `  src/a.ts#Outer.member  …`: below `  src/a.ts#` stands `    Outer.member  …`. A file stands where its first line stands. */
export function foldAddresses(lines: readonly string[]): string[] {
  return [...Map.groupBy(lines, (line) => fileOf(line) ?? line)].flatMap(([file, own]) =>
    own.length < FEWEST || fileOf(own[0]) === undefined
      ? own
      : [`  ${file}#`, ...own.map((line) => `    ${line.slice(file.length + 3)}`)],
  );
}

function fileOf(line = ""): string | undefined {
  return /^ {2}([^\s#][^#]*?\.[cm]?[jt]sx?)#/.exec(line)?.[1];
}
