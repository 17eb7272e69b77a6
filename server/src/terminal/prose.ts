/** Writes streamed Markdown as it comes: wrapped at the words, indented, its marks shown as what they mean. */
import { tableLines, type Cell } from "./prose-table.ts";
import { plain, widthOf, type Screen } from "./screen.ts";

const INDENT = "  ";
const RULE_WIDTH = 24;
/** The beginning of a line that may still become a mark. */
const UNDECIDED = /^ *(?:|[`~]{1,2}|#{1,6}|[*+_-]{1,2}|\d{1,9}[.)]?|>)$/;
/** A line that means something only as a whole. */
const WHOLE = /^ *(?:```|~~~|\||([*_-])\1\1)/;
const BLOCK = /^( *)(?:(#{1,6}) +|([-*+]|\d{1,9}[.)]) +|(>) ?)/;
const RULE = /^ *([*_-])(?: *\1){2,} *$/;
const LINK = /!?\[([^\]]*)\]\(([^()\s]*)\)/g;
/** `_stress_` between spaces, signs and brackets; a name such as `_private_` in a path is none. */
const STRESS = /(?<=^|[\s([{"'“‘*—–-])_([\p{L}\p{N}](?:[^_`]*[^\s_`])?)_(?=$|[\s.,;:!?)\]}"'”’*—–-])/gu;
const STRESS_BEGUN = /(?:^|[([{"'“‘*—–-])_[\p{L}\p{N}][^_`]*$/u;
/** The words of a link and stressed words may have spaces; past this length they are none. */
const LONGEST = 200;

export class Prose {
  readonly #screen: Screen;
  readonly #paint: (text: string) => string;
  /** The beginning of a line of which it is not known yet what the line is. */
  #head = "";
  #isBegun = false;
  #column = 0;
  /** What comes before the words where a line goes on. */
  #hang = "";
  #isHeading = false;
  /** The beginning of a word whose end has not come yet. */
  #word = "";
  /** Spaces that are written only when a word follows them on the same line. */
  #spaces = 0;
  #inCode = false;
  #inBold = false;
  #inItalic = false;
  /** The marks that end the code. */
  #fence: string | undefined;
  #rows: string[] = [];

  constructor(screen: Screen, paint: (text: string) => string = (text) => text) {
    this.#screen = screen;
    this.#paint = paint;
  }

  /** Whether a line of somebody else's would cut nothing in two. */
  get isBetweenLines(): boolean {
    return !this.#isBegun && this.#head === "" && this.#fence === undefined && this.#rows.length === 0;
  }

  write(text: string): void {
    for (const part of plain(text).split(/(\n)/)) {
      if (part === "\n") this.#endLine();
      else if (part !== "") this.#more(part);
    }
  }

  /** Ends the paragraph; nothing is left over. */
  end(): void {
    if (this.#isBegun || this.#head !== "") this.#endLine();
    this.#endTable();
    this.#fence = undefined;
    this.#endMarks();
  }

  #more(text: string): void {
    if (this.#isBegun) return this.#words(text);
    this.#head += text;
    const isWaiting = this.#fence !== undefined || WHOLE.test(this.#head) || UNDECIDED.test(this.#head);
    if (!isWaiting) this.#begin();
  }

  #begin(): void {
    this.#endTable();
    const line = this.#head;
    this.#head = "";
    this.#isBegun = true;
    const [mark = "", lead = "", heading, marker, quote] = BLOCK.exec(line) ?? [];
    if (mark !== "") this.#endMarks();
    this.#isHeading = heading !== undefined;
    let first = mark === "" ? (/^ */.exec(line)?.[0] ?? "") : lead;
    if (heading !== undefined && !this.#screen.hasStyles) first += `${heading} `;
    if (marker !== undefined) first += `${marker} `;
    if (quote !== undefined) first += this.#screen.hasStyles ? "│ " : "> ";
    this.#hang = quote === undefined ? " ".repeat(marker === undefined && mark !== "" ? 0 : first.length) : first;
    this.#screen.write(INDENT + this.#paint(quote === undefined ? first : this.#screen.paint("dim", first)));
    this.#column = first.length;
    this.#words(mark === "" ? line.trimStart() : line.slice(mark.length));
  }

  #words(text: string): void {
    for (const part of text.split(/( )/)) {
      if (part !== " ") this.#word += part;
      else if (this.#isOpen()) this.#word += part;
      else {
        this.#endWord();
        // Behind a mark one space is as good as more.
        if (this.#column > this.#hang.length) this.#spaces += 1;
      }
    }
  }

  /** Whether the words belong together up to a mark that has not come yet. */
  #isOpen(): boolean {
    const isShort = !this.#inCode && this.#word.length < LONGEST;
    return (
      isShort && (/^[^`]*\[[^\]`]*$/.test(this.#word) || (this.#screen.hasStyles && STRESS_BEGUN.test(this.#word)))
    );
  }

  #endLine(): void {
    if (!this.#isBegun) {
      if (this.#isWhole(this.#head)) {
        this.#head = "";
        return;
      }
      this.#begin();
    }
    this.#endWord();
    this.#screen.line();
    this.#isBegun = false;
    this.#isHeading = false;
    this.#column = 0;
    this.#spaces = 0;
  }

  /** Writes, or keeps, a line that is no text. */
  #isWhole(line: string): boolean {
    const screen = this.#screen;
    if (this.#fence !== undefined) {
      const isEnd = line.trim().startsWith(this.#fence) && /^([`~])\1*$/.test(line.trim());
      if (isEnd) this.#fence = undefined;
      if (!isEnd) screen.line(`${INDENT}${INDENT}${screen.paint("cyan", line)}`.trimEnd());
      else if (!screen.hasStyles) screen.line(INDENT + line);
      return true;
    }
    if (/^ *\|/.test(line)) {
      this.#rows.push(line.trim());
      return true;
    }
    const [, fence] = /^ *(`{3,}|~{3,})[^`]*$/.exec(line) ?? [];
    const isRule = RULE.test(line);
    if (fence === undefined && !isRule && line.trim() !== "") return false;
    this.#endTable();
    this.#endMarks();
    if (fence !== undefined) {
      this.#fence = fence;
      if (!screen.hasStyles) screen.line(INDENT + line);
    } else screen.line(isRule ? INDENT + screen.paint("dim", "─".repeat(RULE_WIDTH)) : "");
    return true;
  }

  #endTable(): void {
    const rows = this.#rows.splice(0);
    const lines = tableLines(rows, this.#screen.width - INDENT.length, (text) => this.#cell(text));
    for (const line of lines) this.#screen.line(INDENT + line);
  }

  #cell(text: string): Cell {
    const words = this.#withoutAddresses(text).split(" ");
    const shown = (styled: (part: string) => string): string => {
      this.#endMarks();
      const runs = words.map((word) => this.#runs(word, styled)).join(" ");
      this.#endMarks();
      return runs;
    };
    return { text: shown((part) => part), painted: shown((part) => this.#styled(part)) };
  }

  /** What is emphasised ends with its paragraph, whether its mark came or not. */
  #endMarks(): void {
    this.#inCode = this.#inBold = this.#inItalic = false;
  }

  #endWord(): void {
    const word = this.#word;
    this.#word = "";
    if (word === "") return;
    for (const [index, part] of this.#withoutAddresses(word).split(" ").entries()) {
      if (index > 0) this.#spaces += 1;
      if (part !== "") this.#put(part);
    }
  }

  /** With links and `_stress_` as they are shown, but for the text in code. */
  #withoutAddresses(text: string): string {
    if (!this.#screen.hasStyles || this.#inCode) return text;
    return text
      .split(/(`[^`]*`)/)
      .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(LINK, linkWords).replaceAll(STRESS, "*$1*")))
      .join("");
  }

  #put(word: string): void {
    const shown = this.#runs(word, (part) => this.#styled(part));
    const width = widthOf(shown);
    const isFirst = this.#column === this.#hang.length && this.#spaces === 0;
    if (!isFirst && this.#column + this.#spaces + width > this.#screen.width - INDENT.length) {
      this.#screen.line();
      this.#screen.write(INDENT + (this.#hang.trim() === "" ? this.#hang : this.#screen.paint("dim", this.#hang)));
      this.#column = this.#hang.length;
      this.#spaces = 0;
    }
    this.#screen.write(" ".repeat(this.#spaces) + shown);
    this.#column += this.#spaces + width;
    this.#spaces = 0;
  }

  /** `code`, **strong** and *stressed* words, also when they have spaces in them; where there are no styles, the marks. */
  #runs(word: string, styled: (part: string) => string): string {
    const parts = word.split(/(`+|\*\*|\*)/);
    const mark = (part: string): string => (this.#screen.hasStyles ? "" : part);
    return parts
      .map((part, index) => {
        const before = parts.slice(0, index).join("");
        const isFollowed = (parts[index + 1] ?? "") !== "";
        if (part.startsWith("`")) this.#inCode = !this.#inCode;
        else if (this.#inCode || index % 2 === 0) return styled(part);
        else if (part === "**" && (this.#inBold || isFollowed || index < parts.length - 2))
          this.#inBold = !this.#inBold;
        else if (part === "*" && this.#inItalic && before !== "") this.#inItalic = false;
        else if (part === "*" && isFollowed && /^[^\p{L}\p{N}]*$/u.test(before)) this.#inItalic = true;
        else return styled(part);
        return mark(part);
      })
      .join("");
  }

  #styled(text: string): string {
    if (text === "") return "";
    const screen = this.#screen;
    if (this.#inCode) return screen.paint("cyan", text);
    const strong = this.#inBold || this.#isHeading ? screen.paint("bold", text) : text;
    return this.#paint(this.#inItalic ? screen.paint("italic", strong) : strong);
  }
}

function linkWords(_link: string, text: string, address: string): string {
  return text === "" || text === address ? address : `${text} (${address})`;
}
