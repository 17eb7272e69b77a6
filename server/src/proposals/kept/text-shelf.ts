/** The texts of one proposal as they are stored: each once, and a changed one as its difference from another. Pure. */

/** A text as bytes. With `of` only its middle: the rest are the first and last characters of the text with that number. */
export interface StoredText {
  readonly number: number;
  readonly of: number | null;
  readonly head: number;
  readonly tail: number;
  /** UTF-16, for a text with half of a surrogate pair; else UTF-8. */
  readonly isWide: boolean;
  readonly bytes: Uint8Array;
}

/** Shorter texts are not worth a difference. */
const SHORTEST_CHANGED = 1_000;
/** Two versions of a file mostly begin or end with the same characters. */
const KEY = 100;
const SLICE = 4_096;

export class TextShelf {
  readonly #texts: string[];
  readonly #numbers: Map<string, number>;
  /** The last text that begins, or ends, with some characters. */
  readonly #like = new Map<string, number>();
  #stored: number;

  /** `stored` are all texts that are stored already. */
  constructor(stored: readonly StoredText[] = []) {
    this.#texts = [];
    for (const each of stored.toSorted((a, b) => a.number - b.number)) this.#texts.push(this.#read(each));
    this.#numbers = new Map(this.#texts.map((text, number) => [text, number]));
    for (const [number, text] of this.#texts.entries()) this.#remember(text, number);
    this.#stored = this.#texts.length;
  }

  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.#texts.push(text) - 1;
    this.#numbers.set(text, number);
    return number;
  }

  /** Throws for a number that is no text's. */
  text(number: number): string {
    const text = this.#texts[number];
    if (text === undefined) throw new Error(`text ${number} is missing`);
    return text;
  }

  /** The texts that are not stored yet. */
  unstored(): StoredText[] {
    return this.#texts.slice(this.#stored).map((text, index) => {
      const number = this.#stored + index;
      const stored = this.#asStored(text, number);
      this.#remember(text, number);
      return stored;
    });
  }

  /** All texts are stored by now. */
  isStored(): void {
    this.#stored = this.#texts.length;
  }

  #asStored(text: string, number: number): StoredText {
    const of = text.length < SHORTEST_CHANGED ? undefined : this.#nearest(text);
    if (of === undefined || of >= number) return { number, of: null, head: 0, tail: 0, ...encoded(text) };
    const other = this.text(of);
    const head = sharedHead(text, other);
    const tail = sharedTail(text, other, Math.min(text.length, other.length) - head);
    return { number, of, head, tail, ...encoded(text.slice(head, text.length - tail)) };
  }

  #nearest(text: string): number | undefined {
    return this.#like.get(`^${text.slice(0, KEY)}`) ?? this.#like.get(`$${text.slice(-KEY)}`);
  }

  #remember(text: string, number: number): void {
    if (text.length < SHORTEST_CHANGED) return;
    this.#like.set(`^${text.slice(0, KEY)}`, number);
    this.#like.set(`$${text.slice(-KEY)}`, number);
  }

  #read({ of, head, tail, isWide, bytes }: StoredText): string {
    const own = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(isWide ? "utf16le" : "utf8");
    if (of === null) return own;
    const other = this.text(of);
    return other.slice(0, head) + own + other.slice(other.length - tail);
  }
}

function encoded(text: string): Pick<StoredText, "isWide" | "bytes"> {
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
