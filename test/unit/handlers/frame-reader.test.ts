import { PassThrough } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "vscode-jsonrpc/node";
import { FrameReader } from "../../../server/src/handlers/frame-reader.ts";

function frame(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

function read(chunks: Buffer[]): { messages: Message[]; malformed: string[] } {
  const input = new PassThrough();
  const messages: Message[] = [];
  const malformed: string[] = [];
  const reader = new FrameReader(input, (reason) => malformed.push(reason));
  reader.listen((message) => messages.push(message));
  for (const chunk of chunks) input.emit("data", chunk);
  return { messages, malformed };
}

const ping = { jsonrpc: "2.0", method: "ping", params: { text: "grüße 😀" } };

describe("the frame reader", () => {
  it("gives every message once and in order, wherever the stream is cut", () => {
    const message = fc.record({ jsonrpc: fc.constant("2.0"), id: fc.nat(), method: fc.string() });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), fc.array(fc.nat(400), { maxLength: 12 }), (sent, cuts) => {
        const all = Buffer.concat(sent.map(frame));
        const ends = [...new Set(cuts.map((cut) => cut % (all.length + 1)))].toSorted((a, b) => a - b);
        const chunks: Buffer[] = [];
        let start = 0;
        for (const end of [...ends, all.length]) {
          if (end > start) chunks.push(all.subarray(start, end));
          start = Math.max(start, end);
        }
        expect(read(chunks)).toEqual({ messages: sent, malformed: [] });
      }),
    );
  });

  it.each([
    ["no Content-Length", "X-Other: 1\r\n\r\n"],
    ["a Content-Length that is no number", "Content-Length: many\r\n\r\n"],
    ["a negative Content-Length", "Content-Length: -4\r\n\r\n"],
    ["a body that is not JSON", "Content-Length: 5\r\n\r\n{nope"],
    ["a body that is no object", "Content-Length: 2\r\n\r\n42"],
  ])("reports %s and reads the next message", (_title, bad) => {
    const { messages, malformed } = read([Buffer.from(bad), frame(ping)]);
    expect(malformed).toHaveLength(1);
    expect(messages).toEqual([ping]);
  });

  it("finds the next message after a Content-Length that was too small", () => {
    const body = JSON.stringify(ping);
    const { messages, malformed } = read([Buffer.from(`Content-Length: 10\r\n\r\n${body}`), frame(ping)]);
    expect(malformed.length).toBeGreaterThan(0);
    expect(messages).toEqual([ping]);
  });

  it("loses neither the message whose Content-Length is too large nor the one it reaches into", () => {
    const body = JSON.stringify(ping);
    const long = Buffer.from(`Content-Length: ${Buffer.byteLength(body) + 30}\r\n\r\n${body}`);
    const { messages, malformed } = read([long, frame(ping), frame(ping)]);
    expect(malformed).toHaveLength(1);
    expect(messages).toEqual([ping, ping, ping]);
  });

  it("accepts other header fields in any case", () => {
    const body = Buffer.from(JSON.stringify(ping));
    const head = Buffer.from(
      `content-type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    expect(read([head, body])).toEqual({ messages: [ping], malformed: [] });
  });
});
