/** The texts of one proposal as they are stored: each once, and a changed one as its difference from another. Pure. */
import type { TextRow } from "../../storage/proposal-rows.ts";

/** How much of a text another one has. */
type Likeness = Pick<TextRow, "of" | "head" | "tail">;

/** Shorter texts are not worth a difference. */
const SHORTEST_CHANGED = 1_000;
/** In characters. A longer text is written in parts: its beginning is a text of its own. */
export const LONGEST_PART: number = 256 * 1024;
/** Two versions of a file mostly begin or end with the same characters. */
const KEY = 100;
const SLICE = 4_096;
const WHOLE: Likeness = { of: null, head: 0, tail: 0 };

export class TextShelf {
  readonly #texts: { readonly text: string; readonly like: Likeness }[] = [];
  readonly #numbers = new Map<string, number>();
  /** The last text that begins, or ends, with some characters. */
  readonly #known = new Map<string, number>();
  #stored: number;
  #indexed = 0;

  /** `stored` are all texts that are stored already. */
  constructor(stored: readonly TextRow[] = []) {
    for (const each of stored.toSorted((a, b) => a.number - b.number)) {
      this.#texts.push({ text: this.#read(each), like: WHOLE });
    }
    this.#stored = this.#texts.length;
  }

  numberOf(text: string): number {
    // Whoever only reads needs no index.
    for (; this.#indexed < this.#texts.length; this.#indexed += 1) this.#index(this.#indexed);
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    let like = this.#nearest(text);
    for (let end = like.head + LONGEST_PART; end < text.length - like.tail; end += LONGEST_PART) {
      const of = this.#put(text.slice(0, end), like);
      like = { of, head: end, tail: 0 };
    }
    return this.#put(text, like);
  }

  /** Throws for a number that is no text's. */
  text(number: number): string {
    const found = this.#texts[number];
    if (found === undefined) throw new Error(`text ${number} is missing`);
    return found.text;
  }

  /** Texts that are not stored yet, in their order: all, or about `limit` characters of them. */
  unstored(limit = Number.POSITIVE_INFINITY): TextRow[] {
    const texts: TextRow[] = [];
    for (let number = this.#stored, size = 0; number < this.#texts.length && size < limit; number += 1) {
      const { text = "", like = WHOLE } = this.#texts[number] ?? {};
      const own = encoded(text.slice(like.head, text.length - like.tail));
      texts.push({ number, of: like.of, head: like.head, tail: like.tail, ...own });
      size += own.bytes.byteLength;
    }
    return texts;
  }

  /** These texts are stored by now. */
  areStored(texts: readonly TextRow[]): void {
    this.#stored += texts.length;
  }

  #put(text: string, { of, head, tail }: Likeness): number {
    const number = this.#texts.push({ text, like: { of, head, tail } }) - 1;
    this.#index(number);
    this.#indexed = this.#texts.length;
    return number;
  }

  #index(number: number): void {
    const text = this.text(number);
    this.#numbers.set(text, number);
    if (text.length < SHORTEST_CHANGED) return;
    for (const key of keysOf(text)) this.#known.set(key, number);
  }

  #nearest(text: string): Likeness {
    if (text.length < SHORTEST_CHANGED) return WHOLE;
    const found = keysOf(text).flatMap((key): Likeness[] => {
      const of = this.#known.get(key);
      if (of === undefined) return [];
      const other = this.text(of);
      const head = sharedHead(text, other);
      return [{ of, head, tail: sharedTail(text, other, Math.min(text.length, other.length) - head) }];
    });
    return found.reduce((best, each) => (each.head + each.tail > best.head + best.tail ? each : best), WHOLE);
  }

  #read({ of, head, tail, isWide, bytes }: TextRow): string {
    const own = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(isWide ? "utf16le" : "utf8");
    if (of === null) return own;
    const other = this.text(of);
    return other.slice(0, head) + own + other.slice(other.length - tail);
  }
}

function keysOf(text: string): string[] {
  return [`^${text.slice(0, KEY)}`, `$${text.slice(-KEY)}`];
}

function encoded(text: string): Pick<TextRow, "isWide" | "bytes"> {
  const isWide = !text.isWellFormed();
  return { isWide, bytes: Buffer.from(text, isWide ? "utf16le" : "utf8") };
}

/** How many characters both begin with. Slices are compared by the engine, many times faster than character by character. */
function sharedHead(one: string, other: string): number {
  const limit = Math.min(one.length, other.length);
  let shared = 0;
  while (shared + SLICE <= limit && one.slice(shared, shared + SLICE) === other.slice(shared, shared + SLICE)) {
    shared += SLICE;
  }
  while (shared < limit && one.charCodeAt(shared) === other.charCodeAt(shared)) shared += 1;
  return shared;
}

/** How many characters both end with, `limit` at most. */
function sharedTail(one: string, other: string, limit: number): number {
  const [a, b] = [one.length, other.length];
  let shared = 0;
  while (shared + SLICE <= limit) {
    if (one.slice(a - shared - SLICE, a - shared) !== other.slice(b - shared - SLICE, b - shared)) break;
    shared += SLICE;
  }
  while (shared < limit && one.charCodeAt(a - shared - 1) === other.charCodeAt(b - shared - 1)) shared += 1;
  return shared;
}
