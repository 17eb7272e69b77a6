/** The words of a text as numbers, so that a file can be ruled out where some words are looked for. */

/** Stands for every word: in a text where an escape such as `\u0061` may spell any, and for a name without ASCII. */
export const ANY_WORD = 0;

const FNV_START = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const SPACE = 32;
const BACKSLASH = 92;
const SMALL_U = 117;
/** Letters, digits, `$` and `_`. What lies beyond ASCII parts words as signs do, in a text as in a name. */
const WORD_BYTES = Uint8Array.from({ length: 256 }, (_, byte) => (/[\w$]/.test(String.fromCharCode(byte)) ? 1 : 0));

/** A longer text is hardly one that a person wrote, and may have any word. */
const MAX_BYTES = 8_000_000;
const COMMON_BYTES = 0x10000;

/** Each word's number once; nothing but `ANY_WORD` for a text that may have any word. */
export function wordsIn(bytes: Uint8Array): Uint32Array {
  if (bytes.length > MAX_BYTES) return Uint32Array.of(ANY_WORD);
  const table = bytes.length <= COMMON_BYTES ? common : new WordTable(bytes.length);
  return table.wordsIn(bytes);
}

/** Tells new words from known ones; emptied for the next text by a new mark, as thousands of texts pass through it. */
class WordTable {
  readonly #words: Uint32Array;
  readonly #marks: Uint32Array;
  readonly #found: Uint32Array;
  #mark = 0;

  /** For texts of at most so many bytes, of which every second may begin a word. */
  constructor(bytes: number) {
    const slots = slotsFor(bytes);
    this.#words = new Uint32Array(slots);
    this.#marks = new Uint32Array(slots);
    this.#found = new Uint32Array(slots / 2);
  }

  wordsIn(bytes: Uint8Array): Uint32Array {
    this.#mark += 1;
    // The first slots are enough for a short text, and stay in the processor's cache.
    const mask = slotsFor(bytes.length) - 1;
    let count = 0;
    const { length } = bytes;
    let at = 0;
    while (at < length) {
      let byte = bytes[at] as number;
      let hash = FNV_START;
      // The bytes of a word have a loop of their own, in which nothing but the word is asked about.
      while (WORD_BYTES[byte] === 1) {
        hash = Math.imul(hash ^ byte, FNV_PRIME);
        at += 1;
        byte = at < length ? (bytes[at] as number) : SPACE;
      }
      if (byte === BACKSLASH && bytes[at + 1] === SMALL_U) return Uint32Array.of(ANY_WORD);
      at += 1;
      if (hash === FNV_START) continue;
      const word = numberOf(hash);
      if (!this.#isNew(word, mask)) continue;
      this.#found[count] = word;
      count += 1;
    }
    return this.#found.slice(0, count);
  }

  #isNew(word: number, mask: number): boolean {
    let slot = (word ^ (word >>> 16)) & mask;
    while (this.#marks[slot] === this.#mark) {
      if (this.#words[slot] === word) return false;
      slot = (slot + 1) & mask;
    }
    this.#marks[slot] = this.#mark;
    this.#words[slot] = word;
    return true;
  }
}

const common = new WordTable(COMMON_BYTES);

/** A power of two of which at most half are taken. */
function slotsFor(bytes: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(bytes + 1, 0x1000)));
}

/** The number of the longest part of a name that a text has as a word; `ANY_WORD` where there is none. */
export function wordOf(name: string): number {
  const [longest] = (name.match(/[\w$]+/g) ?? []).toSorted((a, b) => b.length - a.length);
  if (longest === undefined) return ANY_WORD;
  let hash = FNV_START;
  for (const byte of Buffer.from(longest)) hash = Math.imul(hash ^ byte, FNV_PRIME);
  return numberOf(hash);
}

function numberOf(hash: number): number {
  const word = hash >>> 0;
  return word === ANY_WORD ? 1 : word;
}
