/** The lines of a form in its document, and what becomes of them when the document changes. */

export interface Lines {
  readonly first: number;
  readonly last: number;
}

/** A change of a document, as VS Code tells it. */
export interface TextChange {
  readonly range: {
    readonly start: { readonly line: number; readonly character: number };
    readonly end: { readonly line: number; readonly character: number };
  };
  readonly text: string;
}

/**
 * Where the lines are after the change; undefined where the change touches them. A line that is begun behind the last one
 * or ended before the first one leaves them as they are.
 */
export function moved(
  lines: Lines,
  { range: { start, end }, text }: TextChange,
  lastLength: number,
): Lines | undefined {
  if (start.line > lines.last) return lines;
  const by = text.split("\n").length - 1 - (end.line - start.line);
  const isAbove = end.line < lines.first || (end.line === lines.first && end.character === 0 && endsLine(text, start));
  if (isAbove) return { first: lines.first + by, last: lines.last + by };
  const isEmpty = start.line === end.line && start.character === end.character;
  const isBelow = isEmpty && start.line === lines.last && start.character >= lastLength && /^\r?\n/.test(text);
  return isBelow ? lines : undefined;
}

/** What was before the first line still is. */
function endsLine(text: string, start: { readonly character: number }): boolean {
  return text.endsWith("\n") || (text === "" && start.character === 0);
}
