/** What a program prints, of which the beginning and the end are kept. */
import { StringDecoder } from "node:string_decoder";
import { stripVTControlCharacters } from "node:util";

const FIRST = 3_000;
const LAST = 9_000;

/** Both streams in the order in which their pieces arrived. */
export class KeptOutput {
  readonly #decoders = { stdout: new StringDecoder("utf8"), stderr: new StringDecoder("utf8") };
  #first = "";
  #last = "";
  #length = 0;

  take(stream: "stdout" | "stderr", chunk: Buffer): void {
    const text = this.#decoders[stream].write(chunk);
    this.#length += text.length;
    const room = FIRST - this.#first.length;
    this.#first += text.slice(0, room);
    this.#last += text.slice(room < 0 ? 0 : room);
    // Cut seldom: a program may print a character at a time.
    if (this.#last.length > 2 * LAST) this.#last = this.#last.slice(-LAST);
  }

  /** The text without colours and movements of the cursor, and how many characters are missing in its middle. */
  text(): { readonly text: string; readonly left: number } {
    const last = this.#last.slice(-LAST);
    const left = this.#length - this.#first.length - last.length;
    const between = left === 0 ? "" : `\n… ${left} characters left out …\n`;
    return { text: plain(this.#first + between + last), left };
  }
}

/** A line that a program wrote over again and again is shown as it was at the end. */
function plain(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll("\r\n", "\n")
    .replaceAll(/^.*\r(?!$)/gm, "");
}
