/**
 * A text as its reader sees it: line ends are line ends, a no-break space is a space, and é is é in one character or two.
 * Who copies what they were shown writes the same.
 */

interface Looks {
  readonly text: string;
  /** For each of its UTF-16 units, which stretch of the text it is the look of. */
  readonly stretches: readonly { readonly start: number; readonly end: number }[];
}

/** A carriage return that ends a line, or a character with the marks that belong to it. */
const SEEN = /\r(?=\n)|[^\p{M}]\p{M}*|\p{M}+/gsu;
const BLANK = /[\u00A0\u202F]/g;

export function asItLooks(whole: string): Looks {
  let text = "";
  const stretches: Looks["stretches"][number][] = [];
  for (const { 0: seen, index } of whole.matchAll(SEEN)) {
    const look = seen === "\r" ? "" : seen.normalize("NFC").replaceAll(BLANK, " ");
    const stretch = { start: index, end: index + seen.length };
    for (let unit = 0; unit < look.length; unit += 1) stretches.push(stretch);
    text += look;
  }
  return { text, stretches };
}

/** The one place that looks like the part; undefined where there is none, or another one too. */
export function placeAsItLooks(
  whole: string,
  part: string,
): { readonly start: number; readonly end: number } | undefined {
  const { text, stretches } = asItLooks(whole);
  const wanted = asItLooks(part).text;
  const at = wanted === "" ? -1 : text.indexOf(wanted);
  if (at === -1 || text.includes(wanted, at + 1)) return undefined;
  const [first, last] = [stretches[at], stretches[at + wanted.length - 1]];
  return first === undefined || last === undefined ? undefined : { start: first.start, end: last.end };
}
