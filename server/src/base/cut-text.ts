/** Texts that are too long, cut so that they stay well-formed: half a surrogate pair is refused by editors as JSON. */

/** At most `length` UTF-16 units from the beginning; one less where the cut would be between the halves of a pair. */
export function headOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const isSplit = isFirstHalf(text.charCodeAt(length - 1)) && isSecondHalf(text.charCodeAt(length));
  return text.slice(0, isSplit ? length - 1 : length);
}

/** At most `length` UTF-16 units from the end; one less where the cut would be between the halves of a pair. */
export function tailOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const tail = text.slice(text.length - length);
  return isSecondHalf(tail.charCodeAt(0)) && isFirstHalf(text.charCodeAt(text.length - length - 1))
    ? tail.slice(1)
    : tail;
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isSecondHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** Like `headOf`, with "…" where something is missing. */
export function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${headOf(text, length)}…`;
}

/**
 * A text that is too long as its beginning and its end, of so many UTF-16 units, with a line between them. What is wrong
 * stands at the end of an output, or at the beginning.
 *
 * @param gap the words of the line, for the number of characters left out
 */
export function beginningAndEnd(
  text: string,
  { head, tail }: { readonly head: number; readonly tail: number },
  gap: (left: number) => string,
): string {
  const left = text.length - head - tail;
  if (left <= 0) return text;
  return `${headOf(text, head)}\n… ${gap(left)} …\n${tailOf(text, tail)}`;
}

/** Like `shortened`, and tells how many more characters there were. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = headOf(text, length);
  return `${head}… (${text.length - head.length} more characters)`;
}

/** At most so many of the texts, and behind them how many more there are. */
export function firstOf(texts: readonly string[], count: number): string[] {
  return texts.length > count ? [...texts.slice(0, count), `${texts.length - count} more`] : [...texts];
}
