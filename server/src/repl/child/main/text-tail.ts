/** The end of a text that only grows. */
import { boundary } from "../shared/cut.ts";
import { uncurried } from "../shared/captured.ts";

export class TextTail {
  readonly #limit: number;
  #text = "";
  #length = 0;

  /** Keeps so many of the last characters, one more where these would begin inside of a surrogate pair. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  add(text: string): void {
    this.#length += text.length;
    this.#text += text;
    if (this.#text.length > 2 * this.#limit) this.#text = this.#end();
  }

  /** What was kept, and how many characters before it were not; begins anew. */
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
