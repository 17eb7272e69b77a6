import { expect, it } from "vitest";
import { RawJson, rawJsonDecoder, rawJsonEncoder } from "../../../server/src/base/raw-json.ts";

const large = { jsonrpc: "2.0", id: 7, result: { text: `größe 🟢 "${"x".repeat(200_000)}"` } };
const bytesOf = (message: object): Buffer => Buffer.from(JSON.stringify(message), "utf8");

it("hands a large answer on without reading it, byte for byte and under another id", async () => {
  const message = (await rawJsonDecoder.decode(bytesOf(large))) as unknown as { id: number; result: unknown };
  expect(message).toMatchObject({ jsonrpc: "2.0", id: 7 });
  expect(message.result).toBeInstanceOf(RawJson);
  const written = await rawJsonEncoder.encode({ ...message, id: "of the editor" } as never);
  expect(JSON.parse(Buffer.from(written).toString("utf8"))).toEqual({ ...large, id: "of the editor" });
});

it("reads a large answer for one who asks for its value", async () => {
  const { result } = (await rawJsonDecoder.decode(bytesOf(large))) as unknown as { result: RawJson };
  expect(result.parse()).toEqual(large.result);
});

it.each([
  ["a small answer", { jsonrpc: "2.0", id: 1, result: [1, 2] }],
  ["an error", { jsonrpc: "2.0", id: 1, error: { code: 1, message: "x".repeat(200_000) } }],
  ["a notification", { jsonrpc: "2.0", method: "m", params: ["x".repeat(200_000)] }],
  ["an answer with its members in another order", { jsonrpc: "2.0", result: "x".repeat(200_000), id: 1 }],
])("reads and writes %s as usual", async (_name, message) => {
  const read = await rawJsonDecoder.decode(bytesOf(message));
  expect(read).toEqual(message);
  expect(JSON.parse(Buffer.from(await rawJsonEncoder.encode(read)).toString("utf8"))).toEqual(message);
});

it("never looks into a large answer: even what is no JSON at all passes", async () => {
  const broken = Buffer.from(`{"jsonrpc":"2.0","id":7,"result":${"[".repeat(200_000)}}`, "utf8");
  const message = await rawJsonDecoder.decode(broken);
  expect(((message as unknown as { result: RawJson }).result.bytes as Buffer).buffer).toBe(broken.buffer);
  expect(Buffer.from(await rawJsonEncoder.encode(message)).equals(broken)).toBe(true);
});
