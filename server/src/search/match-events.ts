/** Reads what `rg --json` writes: an object a line, the lines of one file between its `begin` and its `end`. */
import { aroundMatch } from "./around-match.ts";
import type { FoundLine } from "./found-lines.ts";

/** Contract: `begin` comes before the lines of a file, `end` after them. */
export interface MatchListener {
  /** The path without `./` before it. False where nothing of the file may be told: its lines are then skipped unread. */
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
  readonly data: {
    readonly path: Text;
    readonly lines: Text;
    readonly line_number: number;
    readonly submatches: readonly { readonly start: number }[];
  };
}

/** An event begins with `{"type":"match"`; only the summary begins with another key. */
const KIND_AT = '{"type":"'.length;
const [BEGIN, MATCH, CONTEXT, END] = Buffer.from("bmce");
const SUMMARY_KEY = "d".charCodeAt(0);
const PATH = Buffer.from('{"type":"begin","data":{"path":{"text":"./');
const AFTER_PATH = '"}}}'.length;
const BACKSLASH = "\\".charCodeAt(0);
const IS_TEXT = Buffer.from('"binary_offset":null');

export function matchReader(listener: MatchListener): (line: Buffer, isCut: boolean) => void {
  let isOpen = false;
  return (bytes, isCut) => {
    if (bytes[2] === SUMMARY_KEY) return;
    const kind = bytes[KIND_AT];
    const isMatch = kind === MATCH;
    if (isMatch || kind === CONTEXT) {
      if (!isOpen) return;
      if (isCut || !listener.wants()) return isMatch ? listener.count(isCut) : undefined;
    }
    // Every file has an end with a dozen figures, of which one matters.
    if (kind === END) {
      if (isOpen) listener.end(!bytes.includes(IS_TEXT));
      isOpen = false;
      return;
    }
    if (kind === BEGIN) {
      isOpen = listener.begin(plainPath(bytes) ?? textOf(eventIn(bytes).path).replace(/^\.\//, ""));
      return;
    }
    const { lines, submatches, line_number: line } = eventIn(bytes);
    listener.line({ line, text: aroundMatch(textOf(lines), submatches[0]?.start), isMatch }, "bytes" in lines);
  };
}

function eventIn(bytes: Buffer): MatchEvent["data"] {
  return (JSON.parse(bytes.toString("utf8")) as MatchEvent).data;
}

/** Most paths are written without an escape, and as `./path`. A part of a longer string would be compared more slowly. */
function plainPath(bytes: Buffer): string | undefined {
  if (!startsWith(bytes, PATH) || bytes.includes(BACKSLASH)) return undefined;
  return bytes.toString("utf8", PATH.length, bytes.length - AFTER_PATH);
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.length >= start.length && bytes.compare(start, 0, start.length, 0, start.length) === 0;
}

/** What is no UTF-8 is read as Latin-1, in which every byte is a character. */
function textOf(text: Text): string {
  return "text" in text ? text.text : Buffer.from(text.bytes, "base64").toString("latin1");
}
