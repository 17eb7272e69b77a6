/** What listens on a port may be anything: no answer is large, slow, or believed in more than it says. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { hostname } from "node:os";
import { afterEach, describe, expect, it } from "vitest";
import { identified } from "../../../../server/src/terminal/programs/identify.ts";
import { InspectorClient, type Address } from "../../../../server/src/terminal/programs/inspector-client.ts";

let server: Server;
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  server.close();
});

/** An inspector whose first message gets this answer. */
async function inspector(answer: (socket: Socket) => void): Promise<Address> {
  server = createServer((_, response) => response.end('[{"webSocketDebuggerUrl":"ws://10.0.0.1:1/abc"}]'));
  server.on("upgrade", ({ headers }, socket: Socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    const accept = createHash("sha1")
      .update(`${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    socket.once("data", () => answer(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { host: "127.0.0.1", port: (server.address() as AddressInfo).port };
}

function frame(text: string): Buffer {
  const data = Buffer.from(text);
  const head = Buffer.from([0x81, 126, 0, 0]);
  head.writeUInt16BE(data.length, 2);
  return Buffer.concat([head, data]);
}

const reply = (value: unknown): string => JSON.stringify({ id: 1, result: { result: { value } } });

describe("an answer of an inspector", () => {
  it("is read also in pieces, behind notifications", async () => {
    const address = await inspector((socket) => {
      const all = Buffer.concat([frame('{"method":"Debugger.resumed"}'), frame(reply("ok"))]);
      socket.setNoDelay(true).write(all.subarray(0, 7));
      setImmediate(() => socket.write(all.subarray(7)));
    });
    const client = await InspectorClient.to(address);
    expect(await client.evaluate("1")).toBe("ok");
    client.close();
  });

  it.each<[string, Buffer, RegExp]>([
    ["that would be endless", Buffer.from([0x81, 127, 0, 0, 1, 0, 0, 0, 0, 0]), /sends more than an inspector/],
    ["larger than any is", Buffer.from([0x81, 127, 0, 0, 0, 0, 0, 32, 0, 0]), /sends more than an inspector/],
    ["that is masked", Buffer.from([0x81, 0x81, 1, 2, 3, 4, 5]), /no inspector of Node/],
    ["that is binary", Buffer.from([0x82, 1, 1]), /no inspector of Node/],
    ["that is no JSON", frame("<html>"), /no inspector of Node/],
    ["that is null", frame("null"), /no inspector of Node/],
    ["that is the end", Buffer.from([0x88, 0]), /closed the connection/],
  ])("%s ends the connection with a sentence", async (_what, bytes, words) => {
    const client = await InspectorClient.to(await inspector((socket) => socket.write(bytes)));
    await expect(client.evaluate("1")).rejects.toThrow(words);
    await expect(client.evaluate("1")).rejects.toThrow(words);
  });
});

describe("who answers", () => {
  const told = { pid: process.pid, node: "24.0.0", other: null, machine: hostname(), user: process.getuid?.() ?? null };

  it.each<[string, unknown, RegExp]>([
    ["another process", { ...told, pid: process.pid + 1 }, /is that of process \d+, and not of \d+/],
    ["another machine", { ...told, machine: "elsewhere" }, /is on another machine/],
    ["another user", { ...told, user: 4711 }, /is another user's/],
    ["an old Node", { ...told, node: "22.14.9" }, /is Node 22\.14\.9: Node 22\.15 or newer is needed/],
    ["Deno", { ...told, other: "Deno" }, /is Deno, and no Node/],
    ["Bun", { ...told, other: "Bun" }, /is Bun, and no Node/],
    ["something without a process", { node: "24.0.0" }, /is no Node/],
    ["a text", "hello", /no Node/],
  ])("is refused as %s", async (_who, answer, words) => {
    const text = typeof answer === "string" ? answer : JSON.stringify(answer);
    const address = await inspector((socket) => socket.write(frame(reply(text))));
    const client = await InspectorClient.to(address);
    await expect(identified(client, address, process.pid)).rejects.toThrow(words);
    client.close();
  });

  it.runIf(process.platform === "linux")("is refused when the process that is named has no such port", async () => {
    const address = await inspector((socket) =>
      socket.write(frame(reply(JSON.stringify({ ...told, pid: process.ppid })))),
    );
    const client = await InspectorClient.to(address);
    await expect(identified(client, address)).rejects.toThrow(/which has no such port here|is not known to be Node/);
    client.close();
  });
});
