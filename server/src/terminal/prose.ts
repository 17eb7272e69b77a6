/** Writes streamed text as it comes, wrapped at the words and indented. */
import { plain, type Screen } from "./screen.ts";

const INDENT = 2;

export class Prose {
  readonly #screen: Screen;
  readonly #paint: (text: string) => string;
  #column = 0;
  /** The beginning of a word whose end has not come yet. */
  #word = "";
  /** Spaces that are written only when a word follows them on the same line. */
  #spaces = 0;
  #inCode = false;
  #inBold = false;

  constructor(screen: Screen, paint: (text: string) => string = (text) => text) {
    this.#screen = screen;
    this.#paint = paint;
  }

  write(text: string): void {
    for (const part of plain(text).split(/([ \n])/)) {
      if (part === "\n") {
        this.#endLine();
      } else if (part === " ") {
        this.#endWord();
        this.#spaces += 1;
      } else {
        this.#word += part;
      }
    }
  }

  /** Ends the paragraph; nothing is left over. */
  end(): void {
    this.#endWord();
    if (this.#column > 0) this.#endLine();
    this.#inCode = false;
    this.#inBold = false;
  }

  #endLine(): void {
    this.#endWord();
    this.#screen.line();
    this.#column = 0;
    this.#spaces = 0;
  }

  #endWord(): void {
    if (this.#word === "") return;
    const fits = this.#column + this.#spaces + this.#word.length <= this.#screen.width - INDENT;
    if (this.#column > 0 && !fits) {
      this.#screen.line();
      this.#column = 0;
      this.#spaces = 0;
    }
    this.#screen.write(" ".repeat((this.#column === 0 ? INDENT : 0) + this.#spaces) + this.#highlighted(this.#word));
    this.#column += this.#spaces + this.#word.length;
    this.#spaces = 0;
    this.#word = "";
  }

  /** Shows `code` and **strong** words, also when they have spaces in them. The marks stay, so a copy is complete. */
  #highlighted(word: string): string {
    return word
      .split(/(`|\*\*)/)
      .map((part) => {
        if (part === "`") this.#inCode = !this.#inCode;
        else if (part === "**" && !this.#inCode) this.#inBold = !this.#inBold;
        else if (this.#inCode) return this.#screen.paint("cyan", part);
        else if (this.#inBold) return this.#screen.paint("bold", part);
        return this.#paint(part);
      })
      .join("");
  }
}
