/** Lines that begin with addresses, with the file said once where addresses of one file follow each other. */

/** From so many on a heading pays. */
const FEWEST = 3;

/** `  src/a.ts#Outer.member  …`: below `  src/a.ts#` stands `    Outer.member  …`. */
export function foldAddresses(lines: readonly string[]): string[] {
  const folded: string[] = [];
  for (let at = 0; at < lines.length;) {
    const file = fileOf(lines[at]);
    let end = at + 1;
    while (file !== undefined && end < lines.length && fileOf(lines[end]) === file) end += 1;
    const run = lines.slice(at, end);
    if (file === undefined || run.length < FEWEST) folded.push(...run);
    else folded.push(`  ${file}#`, ...run.map((line) => `    ${line.slice(file.length + 3)}`));
    at = end;
  }
  return folded;
}

function fileOf(line = ""): string | undefined {
  return /^ {2}([^\s#][^#]*?\.[cm]?[jt]sx?)#/.exec(line)?.[1];
}
