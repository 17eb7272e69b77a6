/** What the demo writes on: colors when there is a person to see them, lines no wider than the terminal. */
import { stripVTControlCharacters, styleText } from "node:util";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

export interface Screen {
  readonly width: number;
  paint(style: Style, text: string): string;
  write(text: string): void;
  line(text?: string): void;
}

const WIDEST = 100;

export function createScreen(
  out: NodeJS.WriteStream,
  environment: Readonly<Record<string, string | undefined>>,
): Screen {
  const colored = out.isTTY === true && !environment["NO_COLOR"] && environment["TERM"] !== "dumb";
  return {
    get width() {
      return Math.max(30, Math.min(out.columns ?? WIDEST, WIDEST));
    },
    paint(style, text) {
      return colored ? styleText(style, text, { validateStream: false }) : text;
    },
    write: (text) => void out.write(text),
    line: (text = "") => void out.write(`${text}\n`),
  };
}

/** The text without what the terminal would take as commands: nothing that a model or a file says may drive it. */
export function plain(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll("\t", "  ")
    .replaceAll("\r", "")
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, "�");
}

export function clip(text: string, width: number): string {
  const characters = Array.from(text);
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join("")}…`;
}
