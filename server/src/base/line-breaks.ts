/** Line breaks in a text, counted without cutting it into lines. */

/** How many line feeds there are from one offset up to another. */
export function lineBreaksIn(text: string, from = 0, to = text.length): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** The lines, counted from 1, of offsets in rising order. */
export function linesAt(text: string, offsets: readonly number[]): number[] {
  let line = 1;
  let from = 0;
  return offsets.map((offset) => {
    line += lineBreaksIn(text, from, offset);
    from = offset;
    return line;
  });
}

/** Where each line begins, counted in UTF-16 units. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
