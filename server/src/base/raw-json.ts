/**
 * Large answers pass from the compiler to the editor as the bytes they are: reading a list of a million tokens and
 * writing it again would stop everything else meanwhile.
 */
import type { Message } from "vscode-jsonrpc/node";
import { wellFormedJson } from "./well-formed-json.ts";

/** The text of a JSON value, in UTF-8. */
export class RawJson {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  parse(): unknown {
    return JSON.parse(Buffer.from(this.bytes).toString("utf8"));
  }
}

/** Below this reading and writing takes less than a millisecond or two. */
const LARGE = 100_000;
/** How 7.0.2 begins an answer; one that begins otherwise is read as usual. */
const ANSWER = /^\{"jsonrpc":"2\.0","id":(\d+),"result":/;
const HEAD = 60;

/** For a `StreamMessageReader`: the result of a large answer stays unread. */
export const rawJsonDecoder = {
  name: "application/json",
  decode: async (bytes: Uint8Array): Promise<Message> => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const head = buffer.length < LARGE ? null : ANSWER.exec(buffer.toString("latin1", 0, HEAD));
    if (head === null) return JSON.parse(buffer.toString("utf8")) as Message;
    // The closing brace belongs to the message.
    const result = new RawJson(buffer.subarray(head[0].length, buffer.length - 1));
    return { jsonrpc: "2.0", id: Number(head[1]), result } as Message;
  },
};

/** For a `StreamMessageWriter`: writes an unread result as it is. */
export const rawJsonEncoder = {
  name: "application/json",
  encode: async (message: Message): Promise<Uint8Array> => {
    const { result } = message as { readonly result?: unknown };
    if (!(result instanceof RawJson)) return Buffer.from(wellFormedJson(message), "utf8");
    const head = wellFormedJson({ ...message, result: undefined }).slice(0, -1);
    return Buffer.concat([Buffer.from(`${head},"result":`, "utf8"), result.bytes, Buffer.from("}", "utf8")]);
  },
};
