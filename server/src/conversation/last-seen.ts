/** What the model knows of the documents, and what has changed since without its doing. */
import { changesBetween, type Stretch } from "../proposals/texts/hunks.ts";
import { lineBreaksIn } from "../protocol/line-breaks.ts";
import { plainName } from "../surroundings/plain-text.ts";
import { textAsKnown } from "../tools/seen-texts.ts";

export interface SeenDocument {
  readonly uri: string;
  readonly path: string;
  readonly text: string;
  /** Open in the editor with a text that the disk does not hold. */
  readonly isUnsaved: boolean;
}

/** Contract: undefined when there is no such document any more, or when it cannot be read. */
export type ReadSeen = (uri: string) => Promise<SeenDocument | undefined>;

/** Past this many documents a conversation remembers no more, and larger documents not at all. */
const MAX_DOCUMENTS = 300;
const MAX_TEXT = 500_000;
const MAX_COMPARED = 400;
const SHOWN_DOCUMENTS = 6;
const SHOWN_STRETCHES = 5;

export class LastSeen {
  readonly #texts = new Map<string, { readonly path: string; readonly text: string }>();

  /** The model knows the document like this from now on. */
  saw({ uri, path, text }: Pick<SeenDocument, "uri" | "path" | "text">): void {
    if (!this.#texts.has(uri) && this.#texts.size >= MAX_DOCUMENTS) return;
    if (text.length <= MAX_TEXT) this.#texts.set(uri, { path, text });
  }

  /** Of the document as it is now these stretches were read; what is known of the rest stays known. */
  read(document: Pick<SeenDocument, "uri" | "path" | "text">, stretches: readonly Stretch[]): void {
    const before = this.#texts.get(document.uri)?.text ?? document.text;
    this.saw({ ...document, text: textAsKnown(before, document.text, stretches) });
  }

  /** The document came into view; what is known of it already stays. */
  opened(document: Pick<SeenDocument, "uri" | "path" | "text">): void {
    if (!this.#texts.has(document.uri)) this.saw(document);
  }

  /** `src/tax.ts (lines 4, 12-13; not saved)` for each document that changed; the answered changes count as known. */
  async takeChanges(read: ReadSeen): Promise<string[]> {
    const known = [...this.#texts];
    const now = await Promise.all(known.map(([uri]) => read(uri)));
    const told: string[] = [];
    for (const [index, [uri, before]] of known.entries()) {
      const document = now[index];
      if (document?.text === before.text) continue;
      if (document === undefined) this.#texts.delete(uri);
      else this.saw(document);
      told.push(document === undefined ? `${plainName(before.path)} (gone)` : describe(before.text, document));
    }
    const rest = told.length - SHOWN_DOCUMENTS;
    return rest <= 0 ? told : [...told.slice(0, SHOWN_DOCUMENTS), `${rest} more`];
  }
}

function describe(before: string, { path, text, isUnsaved }: SeenDocument): string {
  const stretches = changedLines(before, text);
  const more = stretches.length > SHOWN_STRETCHES ? ", …" : "";
  const lines = `${stretches.slice(0, SHOWN_STRETCHES).join(", ")}${more}`;
  const word = stretches.length === 1 && !lines.includes("-") ? "line" : "lines";
  return `${plainName(path)} (${word} ${lines}${isUnsaved ? "; not saved" : ""})`;
}

/** Where the changes stand in the new text, counted from 1. */
function changedLines(before: string, now: string): string[] {
  const [old, lines] = [before.split("\n"), now.split("\n")];
  const shortest = Math.min(old.length, lines.length);
  let head = 0;
  while (head < shortest && old[head] === lines[head]) head += 1;
  let tail = 0;
  while (tail < shortest - head && old.at(-1 - tail) === lines.at(-1 - tail)) tail += 1;
  const [from, to] = [old.slice(head, old.length - tail), lines.slice(head, lines.length - tail)];
  // A difference is work, and nobody reads where many lines changed.
  if (Math.max(from.length, to.length) > MAX_COMPARED) return [stretch(head, to.length, lines.length)];
  let line = head;
  let base = 0;
  const text = ended(from);
  return changesBetween(text, ended(to)).map(({ start, end, newText }) => {
    line += lineBreaksIn(text, base, start);
    base = end;
    const first = line;
    line += lineBreaksIn(newText);
    return stretch(first, line - first, lines.length);
  });
}

/** From a line counted from 0 on; where lines are gone, the one that stands there now. */
function stretch(first: number, count: number, total: number): string {
  if (count === 0) return `${Math.min(first + 1, total)}`;
  return count === 1 ? `${first + 1}` : `${first + 1}-${first + count}`;
}

function ended(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
