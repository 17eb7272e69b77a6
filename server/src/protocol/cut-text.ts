/** The beginning of a text, cut so that it stays well-formed: half a surrogate pair is refused by editors as JSON. */
export function headOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  const next = text.charCodeAt(length);
  const isSplit = last >= 0xd800 && last < 0xdc00 && next >= 0xdc00 && next < 0xe000;
  return text.slice(0, isSplit ? length - 1 : length);
}
