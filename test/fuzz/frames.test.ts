/** The frame reader under streams that no editor should send: it never throws, and no good frame is lost. */
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "vscode-jsonrpc/node";
import { FrameReader } from "../../server/src/handlers/frame-reader.ts";

function read(stream: Buffer, cuts: readonly number[]): Message[] {
  const input = new PassThrough();
  const messages: Message[] = [];
  new FrameReader(input, () => undefined).listen((message) => messages.push(message));
  const ends = [...new Set(cuts.map((cut) => cut % (stream.length + 1)))].toSorted((a, b) => a - b);
  let start = 0;
  for (const end of [...ends, stream.length]) {
    if (end > start) input.emit("data", stream.subarray(start, end));
    start = Math.max(start, end);
  }
  return messages;
}

function frame(message: object, off = 0): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${Math.max(0, body.length + off)}\r\n\r\n`), body]);
}

const message = fc.record({ jsonrpc: fc.constant("2.0"), id: fc.nat(), params: fc.jsonValue() });
const cuts = fc.array(fc.nat(100_000), { maxLength: 20 });
/** Nothing that reads as a header of its own. */
const rubbish = fc
  .oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.string({ unit: "binary", maxLength: 100 }).map((text) => Buffer.from(text)),
    fc
      .constantFrom("\r\n\r\n", "X-Other: 1\r\n\r\n", "{", "}", '{"jsonrpc"', "\0".repeat(9_000))
      .map((text) => Buffer.from(text)),
  )
  .filter((bytes) => !/content-length/i.test(bytes.toString("latin1")));

describe("the frame reader", () => {
  it("delivers every good frame in order, whatever stands between them and wherever the stream is cut", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(rubbish, message), { maxLength: 6 }), cuts, (parts, at) => {
        const stream = Buffer.concat(parts.flatMap(([bytes, good]) => [bytes, frame(good)]));
        expect(read(stream, at)).toEqual(parts.map(([, good]) => JSON.parse(JSON.stringify(good)) as unknown));
      }),
    );
  });

  it("loses no frame of the right length for one whose length is a little wrong", () => {
    const off = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: -30, max: 30 }));
    fc.assert(
      fc.property(fc.array(fc.tuple(message, off), { maxLength: 6 }), cuts, (parts, at) => {
        const sent = parts.map(([each, wrong], index) => [{ ...each, id: index }, wrong] as const);
        const got = read(Buffer.concat(sent.map(([each, wrong]) => frame(each, wrong))), at).map(
          (each) => (each as { id?: number }).id,
        );
        const good = sent.filter(([, wrong]) => wrong === 0).map(([each]) => each.id);
        expect(got.filter((id) => id !== undefined && good.includes(id))).toEqual(good);
      }),
    );
  });

  it("never throws, whatever the bytes are", () => {
    const piece = fc.oneof(
      rubbish,
      message.map((each) => frame(each)),
      fc.integer({ min: -5, max: 2_000 }).map((length) => Buffer.from(`Content-Length: ${length}\r\n\r\n`)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), cuts, (pieces, at) => {
        for (const each of read(Buffer.concat(pieces), at)) expect(each).toBeTypeOf("object");
      }),
    );
  });
});
