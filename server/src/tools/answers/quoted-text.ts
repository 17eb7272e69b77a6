/**
 * Texts of others in an answer: of files, names, output, errors. A line that begins at the margin is the server's own, so a
 * line of theirs is numbered, or indented as here. `showHidden` is applied to every result on its way to the model.
 */

/** Every line indented. */
export function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}

/** The first line goes on where the answer is; the following lines are indented. */
export function continued(text: string): string {
  return text.includes("\n") ? text.replace(/\n(?=[^\s:"])/g, "\n  ") : text;
}

/** How values begin that cannot be taken for the server's words. */
const VALUE =
  /^\[*(?:["'`\]{</…]|-?\d|(?:Async|Generator|AsyncGenerator)?Function\b|class\b|Getter\b|Setter\b|undefined|null|true|false|NaN|-?Infinity|Symbol\(|[A-Z$_][\w$]*(?:<[\w$, ]*>)?(?:\(\d+\))? ?[[{(<])/;

/** A value at the beginning of an answer, indented where the value chose its first words itself. */
export function asValue(preview: string): string {
  const text = continued(preview);
  return VALUE.test(preview) ? text : `  ${text}`;
}

/** One line: for names and titles, which have no business in two. */
export function inOneLine(text: string): string {
  return /[\r\n\u0085\u2028\u2029]/.test(text) ? text.replace(/\s*[\r\n\u0085\u2028\u2029]+\s*/g, " ⏎ ") : text;
}

const MANY_EQUAL = 4;

/** A line that occurs many times in a row is shown once. */
export function foldedLines(text: string): string {
  const lines = text.split("\n");
  const folded: string[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? "";
    let end = at + 1;
    while (end < lines.length && lines[end] === line) end += 1;
    const isMany = end - at >= MANY_EQUAL && line !== "";
    folded.push(...(isMany ? [line, `(the same line ${end - at - 1} more times)`] : lines.slice(at, end)));
    at = end;
  }
  return folded.join("\n");
}
