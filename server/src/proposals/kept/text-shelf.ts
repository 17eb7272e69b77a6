/** The texts of one proposal as they are stored: each once, and compressed together with others. Pure. */
import type { TextRow } from "../../storage/proposal-rows.ts";

/** Loaded with the first text: most starts of a server have none. */
const v8 = (): typeof import("node:v8") => process.getBuiltinModule("node:v8");
const zlib = (): typeof import("node:zlib") => process.getBuiltinModule("node:zlib");

/** In characters: how much is compressed before others get their turn. */
export const LONGEST_PART: number = 256 * 1024;

export class TextShelf {
  readonly #texts: string[];
  readonly #numbers = new Map<string, number>();
  #stored: number;

  /** `stored` are all texts that are stored already. */
  constructor(stored: readonly TextRow[] = []) {
    const rows = stored.toSorted((a, b) => a.last - b.last);
    this.#texts = rows.flatMap(({ bytes }) => v8().deserialize(zlib().zstdDecompressSync(bytes)) as string[]);
    this.#stored = this.#texts.length;
  }

  numberOf(text: string): number {
    // Whoever only reads needs no numbers.
    for (let at = this.#numbers.size; at < this.#texts.length; at += 1) this.#numbers.set(this.text(at), at);
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.#texts.push(text) - 1;
    this.#numbers.set(text, number);
    return number;
  }

  /** Throws for a number that is no text's. */
  text(number: number): string {
    const found = this.#texts[number];
    if (found === undefined) throw new Error(`text ${number} is missing`);
    return found;
  }

  /** The texts that are not stored yet: all, or as many as have `limit` characters. No row where there are none. */
  unstored(limit = Number.POSITIVE_INFINITY): TextRow[] {
    let [end, size] = [this.#stored, 0];
    for (; end < this.#texts.length && size < limit; end += 1) size += this.text(end).length;
    const texts = this.#texts.slice(this.#stored, end);
    return texts.length === 0 ? [] : [{ last: end - 1, bytes: zlib().zstdCompressSync(v8().serialize(texts)) }];
  }

  /** These texts are stored by now. */
  areStored(rows: readonly TextRow[]): void {
    for (const { last } of rows) this.#stored = last + 1;
  }
}
