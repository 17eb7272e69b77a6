/** The end of a text that only grows. */
import { boundary } from "../shared/cut.ts";
import { uncurried } from "../shared/captured.ts";

export class TextTail {
  readonly #limit: number;
  #text = "";
  #length = 0;

  /** Keeps the last `limit` characters, or one more when they would begin inside of a surrogate pair. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  add(text: string): void {
    this.#length += text.length;
    this.#text += text;
    if (this.#text.length > 2 * this.#limit) this.#text = this.#end();
  }

  /**
   * Answers the kept text and the number of characters before it that were not kept, and starts again with an empty
   * text.
   */
  take(): { readonly text: string; readonly lost: number } {
    const text = this.#end();
    const lost = this.#length - text.length;
    this.#text = "";
    this.#length = 0;
    return { text, lost };
  }

  #end(): string {
    const at = this.#text.length - this.#limit;
    return at <= 0 ? this.#text : uncurried.slice(this.#text, boundary(this.#text, at), this.#text.length);
  }
}
