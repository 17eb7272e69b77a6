/** Texts that are too long, cut so that they stay well-formed: half a surrogate pair is refused by editors as JSON. */

/** At most `length` UTF-16 units from the beginning; one less where the cut would be between the halves of a pair. */
export function headOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  const next = text.charCodeAt(length);
  const isSplit = last >= 0xd800 && last < 0xdc00 && next >= 0xdc00 && next < 0xe000;
  return text.slice(0, isSplit ? length - 1 : length);
}

/** Like `headOf`, with "…" where something is missing. */
export function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${headOf(text, length)}…`;
}

/** Like `shortened`, and tells how many more characters there were. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = headOf(text, length);
  return `${head}… (${text.length - head.length} more characters)`;
}
