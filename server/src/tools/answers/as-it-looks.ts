/**
 * A text as its reader sees it: line ends are line ends, a no-break space is a space, and é is é in one character or two.
 * Who copies what they were shown writes the same.
 */

/**
 * A stretch that looks otherwise than it is: `length` UTF-16 units of the look, from `at` on, show the text from
 * `start` to `end`.
 */
interface Piece {
  readonly at: number;
  readonly length: number;
  readonly start: number;
  readonly end: number;
}

/** A carriage return that ends a line, other blanks, a character with the marks that belong to it. */
const OTHERWISE = /\r(?=\n)|[\u00A0\u202F]|[^\p{M}]\p{M}+/gsu;
const BLANK = /[\u00A0\u202F]/g;

export function asItLooks(whole: string): { readonly text: string; readonly pieces: readonly Piece[] } {
  const pieces: Piece[] = [];
  let text = "";
  let from = 0;
  for (const { 0: seen, index: start } of whole.matchAll(OTHERWISE)) {
    const look = seen === "\r" ? "" : seen.normalize("NFC").replaceAll(BLANK, " ");
    const end = start + seen.length;
    text += whole.slice(from, start);
    pieces.push({ at: text.length, length: look.length, start, end });
    text += look;
    from = end;
  }
  return { text: text + whole.slice(from), pieces };
}

/** The one place that looks like the part; undefined where there is none, or another one too. */
export function placeAsItLooks(
  whole: string,
  part: string,
): { readonly start: number; readonly end: number } | undefined {
  const { text, pieces } = asItLooks(whole);
  const wanted = asItLooks(part).text;
  const at = wanted === "" ? -1 : text.indexOf(wanted);
  if (at === -1 || text.includes(wanted, at + 1)) return undefined;
  return { start: unitAt(pieces, at).start, end: unitAt(pieces, at + wanted.length - 1).end };
}

/** The place in the text of a unit of the look. */
function unitAt(pieces: readonly Piece[], offset: number): { readonly start: number; readonly end: number } {
  const piece = pieces.findLast(({ at }) => at <= offset);
  if (piece === undefined) return { start: offset, end: offset + 1 };
  const behind = offset - piece.at - piece.length;
  return behind < 0 ? piece : { start: piece.end + behind, end: piece.end + behind + 1 };
}
