/** Messages as they leave this process. */
import { PassThrough, type Writable } from "node:stream";
import { expect, it } from "vitest";
import { StreamMessageWriter, type Message } from "vscode-jsonrpc/node";
import { joinedWrites } from "../../../server/src/process/joined-writes.ts";

const MESSAGE = { jsonrpc: "2.0", method: "héllo" } as Message;
const BODY = '{"jsonrpc":"2.0","method":"héllo"}';
const FRAME = `Content-Length: ${Buffer.byteLength(BODY)}\r\n\r\n${BODY}`;

function writerTo(output: Writable): { writer: StreamMessageWriter; pieces: string[] } {
  const pieces: string[] = [];
  output.on("data", (piece: Buffer) => pieces.push(piece.toString("utf8")));
  return { writer: new StreamMessageWriter(joinedWrites(output)), pieces };
}

it("writes each message in one piece", async () => {
  const { writer, pieces } = writerTo(new PassThrough());
  await writer.write(MESSAGE);
  await Promise.all([writer.write(MESSAGE), writer.write(MESSAGE)]);
  expect(pieces).toEqual([FRAME, FRAME, FRAME]);
});

it("tells of a reader that went away, once", async () => {
  const output = new PassThrough();
  const { writer } = writerTo(output);
  const errors: string[] = [];
  writer.onError(([error]) => errors.push(error.message));
  output.destroy(new Error("write EPIPE"));
  await expect(writer.write(MESSAGE)).rejects.toThrow(/EPIPE|destroyed/);
  expect(errors[0]).toMatch(/EPIPE|destroyed/);
});
