/** What the model knows of the documents, and what has changed since without its doing. */
import { changesBetween, type Stretch } from "../proposals/texts/hunks.ts";
import { lineBreaksIn } from "../base/line-breaks.ts";
import { plainName } from "../workspace/plain-text.ts";
import type { WorkspaceText, WorkspaceTexts } from "../surroundings/workspace-texts.ts";
import { textAsKnown } from "../tools/seen-texts.ts";

/** Past this many documents a conversation remembers no more, and larger documents not at all. */
const MAX_DOCUMENTS = 300;
const MAX_TEXT = 500_000;
const MAX_COMPARED = 400;
const SHOWN_DOCUMENTS = 6;
const SHOWN_STRETCHES = 5;

type Known = Omit<WorkspaceText, "isUnsaved"> & Partial<WorkspaceText>;

export class LastSeen {
  readonly #texts = new Map<string, Known>();

  /** The model knows the document like this from now on. */
  saw(document: Known): void {
    if (!this.#texts.has(document.uri) && this.#texts.size >= MAX_DOCUMENTS) return;
    if (document.text.length <= MAX_TEXT) this.#texts.set(document.uri, document);
  }

  /** The model knows that there is no such document. */
  gone(uri: string): void {
    this.#texts.delete(uri);
  }

  keepOnly(uris: ReadonlySet<string>): void {
    for (const uri of this.#texts.keys()) if (!uris.has(uri)) this.#texts.delete(uri);
  }

  /** These stretches of the document as it is now were read; what is known of the rest stays known. */
  read(document: Known, stretches: readonly Stretch[]): void {
    const before = this.#texts.get(document.uri)?.text ?? document.text;
    this.saw({ ...document, text: textAsKnown(before, document.text, stretches) });
  }

  /** The document, or a part of its text, came into view; what is known of it already stays. */
  opened(document: Known): void {
    if (!this.#texts.has(document.uri)) this.saw(document);
  }

  /**
   * `src/tax.ts (lines 4, 12-13; lines below moved; not saved)` for each document that changed, `src/tax.ts (saved)`
   * for one whose text alone stayed; the changes that are answered are known from then on.
   */
  async takeChanges(read: WorkspaceTexts["seen"]): Promise<string[]> {
    // Ordered by path: calls that run together bring documents into view in any order.
    const known = [...this.#texts].toSorted(([, a], [, b]) => (a.path < b.path ? -1 : 1));
    const now = await Promise.all(known.map(([uri]) => read(uri)));
    const told: string[] = [];
    for (const [index, [uri, before]] of known.entries()) {
      const document = now[index];
      if (document === undefined) this.#texts.delete(uri);
      else this.saw(document);
      const what = document === undefined ? "gone" : changeOf(before, document);
      if (what !== undefined) told.push(`${plainName(before.path)} (${what})`);
    }
    const rest = told.length - SHOWN_DOCUMENTS;
    return rest <= 0 ? told : [...told.slice(0, SHOWN_DOCUMENTS), `${rest} more`];
  }
}

/** Undefined where nothing changed. Whether a document that only came into view was saved, nobody knows. */
function changeOf(before: Known, { text, isUnsaved }: WorkspaceText): string | undefined {
  if (before.text === text) {
    const isSame = before.isUnsaved === undefined || before.isUnsaved === isUnsaved;
    return isSame ? undefined : isUnsaved ? "not saved" : "saved";
  }
  const { stretches, hasMoved } = changedLines(before.text, text);
  const more = stretches.length > SHOWN_STRETCHES ? ", …" : "";
  const lines = `${stretches.slice(0, SHOWN_STRETCHES).join(", ")}${more}`;
  const word = stretches.length === 1 && !lines.includes("-") ? "line" : "lines";
  return `${word} ${lines}${hasMoved ? "; lines below moved" : ""}${isUnsaved ? "; not saved" : ""}`;
}

interface ChangedLines {
  readonly stretches: readonly string[];
  /** Lines that did not change have other numbers than before. */
  readonly hasMoved: boolean;
}

/** The lines of the changes in the new text, from 1. */
function changedLines(before: string, now: string): ChangedLines {
  const [old, lines] = [before.split("\n"), now.split("\n")];
  // What follows the last line break is a line only when it is not empty.
  const last = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  const shortest = Math.min(old.length, lines.length);
  let head = 0;
  while (head < shortest && old[head] === lines[head]) head += 1;
  let tail = 0;
  while (tail < shortest - head && old.at(-1 - tail) === lines.at(-1 - tail)) tail += 1;
  const [from, to] = [old.slice(head, old.length - tail), lines.slice(head, lines.length - tail)];
  // A difference is work, and nobody reads where many lines changed.
  if (Math.max(from.length, to.length) > MAX_COMPARED) {
    return {
      stretches: [stretch(head, to.length, lines.length)],
      hasMoved: head + to.length < last && from.length !== to.length,
    };
  }
  let line = head;
  let base = 0;
  let hasMoved = false;
  const text = ended(from);
  const stretches = changesBetween(text, ended(to)).map(({ start, end, newText }) => {
    line += lineBreaksIn(text, base, start);
    base = end;
    const first = line;
    line += lineBreaksIn(newText);
    hasMoved ||= lineBreaksIn(text, start, end) !== line - first && line < last;
    return stretch(first, line - first, lines.length);
  });
  return { stretches, hasMoved };
}

/** `line` is counted from 0; where lines are gone, the line that is there now. */
function stretch(first: number, count: number, total: number): string {
  if (count === 0) return `${Math.min(first + 1, total)}`;
  return count === 1 ? `${first + 1}` : `${first + 1}-${first + count}`;
}

function ended(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
