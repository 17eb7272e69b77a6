/**
 * From bytes to text, or to the reason why the bytes are no text: a text with replaced bytes would be written back like
 * that.
 */
import { isUtf8 } from "node:buffer";
import { lineBreaksIn } from "../base/line-breaks.ts";

export type DecodedText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly trouble: "binary" | "encoding"; readonly finding: string };

const LOOKED_AT_FOR_NUL = 8_192;
const REPLACEMENT = "\uFFFD";
const REPLACEMENT_BYTES = 3;

/** Without the byte order mark, which editors keep to themselves. */
export function decodeStrictly(bytes: Buffer): DecodedText {
  if (isUtf8(bytes)) return { ok: true, text: withoutByteOrderMark(bytes.toString("utf8")) };
  const mark = bytes.subarray(0, 2).toString("latin1");
  if (mark === "\xFF\xFE" || mark === "\xFE\xFF") {
    return { ok: false, trouble: "encoding", finding: "is UTF-16 text, and only UTF-8 is read from disk" };
  }
  if (bytes.subarray(0, LOOKED_AT_FOR_NUL).includes(0)) {
    return { ok: false, trouble: "binary", finding: "is a binary file" };
  }
  const line = lineOfFirstFault(bytes);
  const finding = `is not UTF-8 text (line ${line} has bytes that are none), and only UTF-8 is read from disk`;
  return { ok: false, trouble: "encoding", finding };
}

/** Editors keep a file's byte order mark to themselves: it is no part of the text they sync. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** Counted from 1. */
function lineOfFirstFault(bytes: Buffer): number {
  const text = bytes.toString("utf8");
  let offset = 0;
  let from = 0;
  for (let at = text.indexOf(REPLACEMENT); at !== -1; at = text.indexOf(REPLACEMENT, from)) {
    offset += Buffer.byteLength(text.slice(from, at));
    // The file itself may have the character.
    const isOwn = bytes.subarray(offset, offset + REPLACEMENT_BYTES).equals(Buffer.from(REPLACEMENT));
    if (!isOwn) return lineBreaksIn(text, 0, at) + 1;
    offset += REPLACEMENT_BYTES;
    from = at + 1;
  }
  return lineBreaksIn(text) + 1;
}
