/** Lines that begin with addresses, with the file said once where addresses of one file follow each other. */

/** From so many on a heading pays. */
const FEWEST = 3;

/** `  src/a.ts#Outer.member  …`: below `  src/a.ts#` stands `    Outer.member  …`. */
export function foldAddresses(lines: readonly string[]): string[] {
  const folded: string[] = [];
  for (let at = 0; at < lines.length;) {
    const file = fileOf(lines[at]);
    const next = lines.findIndex((line, index) => index > at && fileOf(line) !== file);
    const run = lines.slice(at, next === -1 ? undefined : next);
    if (file === undefined || run.length < FEWEST) folded.push(...run);
    else folded.push(`  ${file}#`, ...run.map((line) => `    ${line.slice(file.length + 3)}`));
    at += run.length;
  }
  return folded;
}

function fileOf(line = ""): string | undefined {
  return /^ {2}([^\s#][^#]*?\.[cm]?[jt]sx?)#/.exec(line)?.[1];
}
