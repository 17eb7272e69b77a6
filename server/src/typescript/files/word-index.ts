/** Which words the own files have in their texts: enough to rule out nearly all files of a project for some names. */
import { readRegularBytesSync } from "../../workspace/regular-file.ts";
import { ANY_WORD, wordOf, wordsIn } from "./text-words.ts";
import type { View } from "../view.ts";
import { forEachYielding } from "../yielding.ts";

const NO_BYTES = new Uint8Array();
const NO_WORDS = new Uint32Array();
const NOTHING: readonly string[] = [];
/** Each file's bytes in turn: a buffer for each of thousands would be collected as slowly as it is filled. */
const scratch = Buffer.allocUnsafeSlow(0x40000);

/** A file's words, four bytes each, are read once until the file changes. */
export class WordIndex {
  readonly #words = new Map<string, Uint32Array>();
  /** Grows when a text changes: nothing is kept that was read before. */
  #age = 0;
  #reading: Promise<void> | undefined;

  forget(files: readonly string[]): void {
    if (files.length === 0) return;
    this.#age += 1;
    for (const file of files) this.#words.delete(file);
  }

  /** By own file, those of the words that its text may have, and rather too many; files without any are left out. */
  async filesWith(view: View, words: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    await this.#readAll(view);
    const found = new Map<string, readonly string[]>();
    if (words.length === 0) return found;
    const sought = new SoughtWords(words);
    const visit = (file: string): void => {
      const own = sought.among(this.#words.get(file) ?? NO_WORDS);
      if (own.length > 0) found.set(file, own);
    };
    await forEachYielding(view.ownFiles(), visit, view.signal);
    return found;
  }

  async #readAll(view: View): Promise<void> {
    for (;;) {
      // Another question may be reading the same texts; it goes on when its asker gives up.
      await this.#reading;
      view.signal.throwIfAborted();
      const missing = view.ownFiles().filter((file) => !this.#words.has(file));
      if (missing.length === 0) return;
      const age = this.#age;
      const read = (file: string): void => {
        if (this.#age === age) this.#words.set(file, wordsIn(bytesNow(view, file)));
      };
      this.#reading ??= forEachYielding(missing, read).finally(() => (this.#reading = undefined));
    }
  }
}

/** The bytes of the open document, else of the disk; none for a file that is gone, and for one that no answer may show. */
function bytesNow(view: View, file: string): Uint8Array {
  if (view.state.shown.hides(file)) return NO_BYTES;
  const open = view.state.openTexts.get(file);
  if (open !== undefined) return Buffer.from(open);
  try {
    return readRegularBytesSync(file, { scratch });
  } catch {
    return NO_BYTES;
  }
}

class SoughtWords {
  readonly #all: readonly string[];
  readonly #byNumber: ReadonlyMap<number, readonly string[]>;
  /** By the last bits of a number, whether a word of such a number is sought: most are ruled out here. */
  readonly #possible = new Uint8Array(0x10000);

  constructor(words: readonly string[]) {
    this.#all = words;
    this.#byNumber = Map.groupBy(words, wordOf);
    for (const number of this.#byNumber.keys()) this.#possible[number & 0xffff] = 1;
  }

  among(numbers: Uint32Array): readonly string[] {
    if (numbers[0] === ANY_WORD) return this.#all;
    const unknown = this.#byNumber.get(ANY_WORD) ?? NOTHING;
    let found: string[] | undefined;
    for (const number of numbers) {
      if (this.#possible[number & 0xffff] === 0) continue;
      const words = this.#byNumber.get(number);
      if (words !== undefined) (found ??= [...unknown]).push(...words);
    }
    return found ?? unknown;
  }
}
