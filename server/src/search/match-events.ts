/** Reads what `rg --json` writes: an object a line, the lines of one file between its `begin` and its `end`. */
import { aroundMatch } from "./around-match.ts";
import type { FoundLine } from "./found-lines.ts";

/** Contract: `begin` comes before the lines of a file, `end` after them. */
export interface MatchListener {
  /** The path as ripgrep names it. False where nothing of the file may be told: its lines are then skipped unread. */
  readonly begin: (path: string) => boolean;
  /** Whether the line's text is wanted, or only that there is one more match. */
  readonly wants: () => boolean;
  readonly line: (line: FoundLine, isForeign: boolean) => void;
  /** A match whose line nobody wants, or that is too long to be read. */
  readonly count: (isTooLong: boolean) => void;
  readonly end: (isBinary: boolean) => void;
}

type Text = { readonly text: string } | { readonly bytes: string };

interface MatchEvent {
  readonly type: "begin" | "match" | "context";
  readonly data: {
    readonly path: Text;
    readonly lines: Text;
    readonly line_number: number;
    readonly submatches: readonly { readonly start: number }[];
  };
}

const MATCH = Buffer.from('{"type":"match"');
const CONTEXT = Buffer.from('{"type":"context"');
const END = Buffer.from('{"type":"end"');
const SUMMARY = Buffer.from('{"data"');
const IS_TEXT = Buffer.from('"binary_offset":null');

export function matchReader(listener: MatchListener): (line: Buffer, isCut: boolean) => void {
  let isOpen = false;
  return (bytes, isCut) => {
    const isMatch = startsWith(bytes, MATCH);
    if (isMatch || startsWith(bytes, CONTEXT)) {
      if (!isOpen) return;
      if (isCut || !listener.wants()) return isMatch ? listener.count(isCut) : undefined;
    }
    // Every file has an end with a dozen figures, of which one matters.
    if (startsWith(bytes, END)) {
      if (isOpen) listener.end(!bytes.includes(IS_TEXT));
      isOpen = false;
      return;
    }
    if (startsWith(bytes, SUMMARY)) return;
    const { type, data } = JSON.parse(bytes.toString("utf8")) as MatchEvent;
    if (type === "begin") isOpen = listener.begin(textOf(data.path));
    else {
      const text = aroundMatch(textOf(data.lines), data.submatches[0]?.start);
      listener.line({ line: data.line_number, text, isMatch }, "bytes" in data.lines);
    }
  };
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.length >= start.length && bytes.compare(start, 0, start.length, 0, start.length) === 0;
}

/** What is no UTF-8 is read as Latin-1, in which every byte is a character. */
function textOf(text: Text): string {
  return "text" in text ? text.text : Buffer.from(text.bytes, "base64").toString("latin1");
}
