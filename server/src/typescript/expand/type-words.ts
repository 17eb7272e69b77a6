/** How the text of a type is put together from the texts of its parts. */
export const RECURSIVE = " /* recursive */";
const LINE_LENGTH = 120;

/** A long union in lines, so that it can be read page by page. */
export function wrapped(union: string): string {
  if (union.length <= LINE_LENGTH) return union;
  const lines: string[] = [];
  let line = "";
  for (const part of union.split(" | ")) {
    const longer = line === "" ? part : `${line} | ${part}`;
    if (line !== "" && longer.length > LINE_LENGTH) {
      lines.push(line);
      line = `| ${part}`;
    } else line = longer;
  }
  return [...lines, line].join("\n");
}

export function isNamed(text: string): boolean {
  return /^[\p{L}_$]/u.test(text);
}

export function withoutUndefined(text: string): string {
  const rest = text.replace(/ \| undefined(?=$| \| null$)/, "");
  return /^\(\(.*\)$/.test(rest) && rest !== text && !rest.endsWith(" | null") ? rest.slice(1, -1) : rest;
}

/** In parentheses where `[]` would otherwise bind to the last part alone. */
export function bracketed(text: string): string {
  const plain = text.replace(RECURSIVE, "");
  const isBraced = plain.startsWith("{") && plain.endsWith("}") && !/^\} [|&] /m.test(plain);
  return /[ |&]/.test(plain) && !isBraced ? `(${text})` : text;
}

export function parenthesized(text: string): string {
  return / => /.test(text) && !text.startsWith("{") ? `(${text})` : text;
}
