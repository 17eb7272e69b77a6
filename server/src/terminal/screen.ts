/** What the demo writes on: colors when there is a person to see them, lines no wider than the terminal. */
import { stripVTControlCharacters, styleText } from "node:util";
import { showHidden } from "../workspace/hidden-characters.ts";
import type { Variables } from "../base/variables.ts";

export type Style = "bold" | "dim" | "italic" | "inverse" | "red" | "green" | "yellow" | "cyan";

export interface Screen {
  readonly width: number;
  /** Whether styles show; else marks have to say what they say. */
  readonly hasStyles: boolean;
  paint(style: Style, text: string): string;
  write(text: string): void;
  line(text?: string): void;
}

const WIDEST = 100;
const NARROWEST = 30;

export function createScreen(out: NodeJS.WriteStream, environment: Variables): Screen {
  const colored = out.isTTY && !environment["NO_COLOR"] && environment["TERM"] !== "dumb";
  return {
    hasStyles: colored,
    get width() {
      return Math.max(NARROWEST, Math.min(out.columns || WIDEST, WIDEST));
    },
    paint(style, text) {
      return colored ? styleText(style, text, { validateStream: false }) : text;
    },
    write: (text) => void out.write(text),
    line: (text = "") => void out.write(`${text}\n`),
  };
}

/**
 * The text with the names of characters that the terminal would take as commands, that do not show, or that turn the
 * order of what follows: nothing that a model or a file says may drive the terminal, or read as something else than
 * it is. Nothing is left out: the text between two such characters is text that a yes accepts.
 */
export function plain(text: string): string {
  return showHidden(text).replaceAll("\r\n", "\n").replaceAll("\t", "  ");
}

export function clip(text: string, width: number): string {
  const characters = Array.from(text);
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join("")}…`;
}

const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u;

const signs = new Intl.Segmenter();

/** Columns of a terminal. */
export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of signs.segment(stripVTControlCharacters(text))) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** The text in lines of at most so many characters, broken at spaces where there are any. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const space = rest.lastIndexOf(" ", width);
    const end = rest.slice(0, Math.max(0, space)).trim() === "" ? width : space;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}

/** As `wrap`, for a text of several lines. */
export function wrapped(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => wrap(line, width));
}

/** Indented lines in one style, none wider than the screen. */
export function paragraph(screen: Screen, style: Style, text: string): void {
  for (const line of wrapped(plain(text), screen.width - 2)) screen.line(`  ${screen.paint(style, line)}`);
}
