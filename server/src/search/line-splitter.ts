/** From chunks of bytes to lines, without ever holding an endless one. */

/** `isCut`: the line was longer than what is handed over. */
export type OnLine = (line: Buffer, isCut: boolean) => void;

const LONGEST = 1_000_000;

export class LineSplitter {
  readonly #separator: number;
  readonly #onLine: OnLine;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(separator: number, onLine: OnLine) {
    this.#separator = separator;
    this.#onLine = onLine;
  }

  take(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(this.#separator); at !== -1; at = chunk.indexOf(this.#separator, from)) {
      const part = chunk.subarray(from, at);
      from = at + 1;
      // Nearly every line lies in one chunk.
      if (this.#length === 0 && part.length <= LONGEST) {
        this.#onLine(part, false);
        continue;
      }
      this.#keep(part);
      this.#finish();
    }
    this.#keep(chunk.subarray(from));
  }

  /** What follows the last separator is a line where it is not empty. */
  end(): void {
    if (this.#length > 0) this.#finish();
  }

  #keep(part: Buffer): void {
    if (this.#length < LONGEST && part.length > 0) this.#parts.push(part);
    this.#length += part.length;
  }

  #finish(): void {
    const [only] = this.#parts;
    const line = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts);
    const isCut = this.#length > LONGEST;
    this.#parts = [];
    this.#length = 0;
    this.#onLine(line, isCut);
  }
}
