/** Keys as a terminal hands them on: where lines end in them, what is pasted, and which texts they are. */
import type { Interface } from "node:readline";
import type { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";

export const PASTE = { on: "\u001b[?2004h", off: "\u001b[?2004l", start: "\u001b[200~", end: "\u001b[201~" } as const;
export const KEY = { interrupt: "\u0003", suspend: "\u001a", editor: "\u0018\u0005" } as const;
/**
 * Where typed text has to be looked at: a line's end, Alt-Enter, Ctrl-J, a tab in a text, a paste, the editor's keys, and the
 * beginning of those that are cut off.
 */
// oxlint-disable-next-line no-control-regex
export const TURN = /\t(?=[^])|\u001b?(?:\r\n?|\n)|\u001b\[200~|\u0018\u0005|\u001b(?:\[(?:20{0,2})?)?$|\u0018$/;
/** Stands for a line's end in a line that is edited. */
export const BREAK = "\u2424";

/** A line while it is edited. */
export interface Reading {
  readonly keys: PassThrough;
  readonly lines: Interface;
  readonly isOpen: () => boolean;
  /** Only a prompt for a text has it, not a question. */
  readonly wantEditor?: () => void;
}

/** What a key of `TURN` does to the line. */
export function turned(turn: string, { keys, lines, wantEditor }: Reading): void {
  if (turn === "\t") lines.write(turn);
  else if (turn === KEY.editor) wantEditor?.();
  else if (!turn.startsWith("\r") && (wantEditor !== undefined || turn !== "\n")) lines.write(BREAK);
  else if (wantEditor !== undefined && lines.line.endsWith("\\") && lines.cursor === lines.line.length) {
    lines.write(null, { name: "backspace" });
    lines.write(BREAK);
  } else keys.emit("data", "\r");
}

/** What was typed while it did not show, by line: without the keys that a terminal would have taken as something else. */
export function textsOf(keys: string): string[] {
  const texts = [""];
  for (const [key] of keys.matchAll(/\u001b\[200~[^]*?(?:\u001b\[201~|$)|\u001b\[[\d;]*.|\u001b[^]|\r\n?|[^]/gu)) {
    const line = texts.at(-1) ?? "";
    const put = (text: string): void => void texts.splice(-1, 1, text);
    if (key.startsWith(PASTE.start))
      put(line + severalLines(oneLine(key.slice(PASTE.start.length).replace(PASTE.end, ""))));
    else if (key === "\n" || key === "\u001b\r" || (key === "\r" && line.endsWith("\\")))
      put(`${line.replace(/\\$/, "")}\n`);
    else if (key.startsWith("\r")) texts.push("");
    else if (key === "\u007f" || key === "\b") put(Array.from(line).slice(0, -1).join(""));
    else if (key === "\u0015") put("");
    else if (!/^\p{Cc}/u.test(key)) put(line + key);
  }
  return texts.map((text) => text.trim()).filter((text) => text !== "");
}

/** As the terminal hands on what is pasted: nothing in the text is a key. */
export function pasted(keys: string): string {
  const text = keys.replaceAll(PASTE.start, "").replaceAll(PASTE.end, "").trimEnd();
  return text === "" ? "" : PASTE.start + text + PASTE.end;
}

export function oneLine(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/\r\n?|\n/g, BREAK)
    .replaceAll(/(?!\t)\p{Cc}/gu, "");
}

export function severalLines(line: string): string {
  return line.replaceAll(BREAK, "\n");
}

/** The keys of a line that has begun and not ended. */
export function begunLine(typed: string): string {
  const ends = typed.matchAll(/\u001b\[200~[^]*?(?:\u001b\[201~|$)|[\u001b\\]?\r\n?/g);
  const last = [...ends].findLast(([end]) => end.startsWith("\r"));
  return last === undefined ? typed : typed.slice(last.index + last[0].length);
}
