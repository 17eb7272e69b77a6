/**
 * Reads LSP frames and survives broken ones. The reader of vscode-jsonrpc stops at the first bad header for good; this
 * one reports it and goes on at the next header that makes sense, so that no later message is lost.
 */
import { AbstractMessageReader, type DataCallback, type Disposable, type Message } from "vscode-jsonrpc/node";
import type { Readable } from "node:stream";
import { errorText } from "../base/errors.ts";
import { isObject } from "../base/is-object.ts";

const HEADER_END = Buffer.from("\r\n\r\n");
const CONTENT_LENGTH = /content-length:[ \t]*/i;
/** An escape that may be half of a surrogate pair; a text with such a half fits into no URI and no file. */
const HALF_PAIR = /\\ud[89a-f]/i;
const HEADER_NAME = "content-length:";
const LONGEST_HEADER = 256;
const MAX_HEADER = 4_096;
const MAX_BODY = 256 * 1024 * 1024;

export class FrameReader extends AbstractMessageReader {
  readonly #input: Readable;
  #buffer: Buffer[] = [];
  #size = 0;
  /** Bytes the next body needs, or undefined while a header is read. */
  #wanted: number | undefined;
  #callback: DataCallback | undefined;
  readonly #onMalformed: (reason: string) => void;

  /** `onMalformed` hears of every frame that had to be skipped, with the reason. */
  constructor(input: Readable, onMalformed: (reason: string) => void) {
    super();
    this.#input = input;
    this.#onMalformed = onMalformed;
  }

  listen(callback: DataCallback): Disposable {
    this.#callback = callback;
    const onData = (chunk: Buffer): void => this.#take(chunk);
    const onError = (error: Error): void => this.fireError(error);
    const onEnd = (): void => this.fireClose();
    this.#input.on("data", onData).on("error", onError).on("end", onEnd);
    return {
      dispose: () => {
        this.#input.off("data", onData).off("error", onError).off("end", onEnd);
      },
    };
  }

  #take(chunk: Buffer): void {
    this.#buffer.push(chunk);
    this.#size += chunk.length;
    for (;;) {
      if (this.#wanted !== undefined && this.#size < this.#wanted) return;
      const data = this.#joined();
      const used = this.#wanted === undefined ? this.#readHeader(data) : this.#readBody(data, this.#wanted);
      if (used === undefined) return;
      const rest = data.subarray(used);
      this.#buffer = rest.length === 0 ? [] : [rest];
      this.#size = rest.length;
      if (rest.length === 0) return;
    }
  }

  #joined(): Buffer {
    const [only] = this.#buffer;
    const data = this.#buffer.length === 1 && only !== undefined ? only : Buffer.concat(this.#buffer);
    this.#buffer = [data];
    return data;
  }

  /** Bytes used up, undefined when more must arrive first. */
  #readHeader(data: Buffer): number | undefined {
    const end = data.indexOf(HEADER_END);
    if (end === -1) {
      if (data.length <= MAX_HEADER) return undefined;
      this.#onMalformed("no header was found");
      // Its beginning may have arrived already.
      return data.length - LONGEST_HEADER;
    }
    const header = data.subarray(0, end).toString("latin1");
    const start = header.search(CONTENT_LENGTH);
    const length = start === -1 ? Number.NaN : Number(header.slice(start).replace(CONTENT_LENGTH, "").split("\r\n")[0]);
    if (!Number.isSafeInteger(length) || length < 0 || length > MAX_BODY) {
      this.#onMalformed(`the header has no usable Content-Length: ${JSON.stringify(header.slice(0, 200))}`);
      return end + HEADER_END.length;
    }
    // Anything before the header is the tail of a frame whose Content-Length was too small.
    if (start > 0 && header.slice(0, start).search(/^[\w-]+:/m) !== 0) {
      this.#onMalformed(`skipped ${start} bytes before a header`);
    }
    this.#wanted = length;
    return end + HEADER_END.length;
  }

  /** Bytes used up: fewer than `length` when the frame swallowed the beginning of the next one. */
  #readBody(data: Buffer, length: number): number {
    this.#wanted = undefined;
    const whole = parse(data.subarray(0, length));
    if (whole.ok) {
      this.#deliver(whole.value);
      return length;
    }
    this.#onMalformed(`the message is not JSON: ${whole.reason}`);
    // A header inside the body means that the Content-Length was too large: the message ends where the header starts.
    const next = headerStart(data.subarray(0, length + HEADER_NAME.length).toString("latin1"), length);
    if (next <= 0 || next >= length) return length;
    const shorter = parse(data.subarray(0, next));
    if (shorter.ok) this.#deliver(shorter.value);
    return next;
  }

  #deliver(value: unknown): void {
    if (isObject(value)) this.#callback?.(value as Message);
    else this.#onMalformed("the message is not a JSON-RPC object");
  }
}

/** Where a header begins in a body of this length, also one of which only the first letters have arrived. */
function headerStart(text: string, length: number): number {
  const lower = text.toLowerCase();
  const whole = lower.indexOf(HEADER_NAME);
  if (whole !== -1) return whole;
  for (let at = Math.max(0, length - HEADER_NAME.length); at < length; at += 1) {
    if (HEADER_NAME.startsWith(lower.slice(at))) return at;
  }
  return -1;
}

function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed() : value;
}

function parse(body: Buffer): { ok: true; value: unknown } | { ok: false; reason: string } {
  try {
    const text = body.toString("utf8");
    return { ok: true, value: (HALF_PAIR.test(text) ? JSON.parse(text, wellFormed) : JSON.parse(text)) as unknown };
  } catch (error) {
    return { ok: false, reason: errorText(error) };
  }
}
