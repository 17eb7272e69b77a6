/** What others could put into the folder of the sockets, or say on them: none is taken for a program, and none ends one. */
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createConnection, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { encodeFrame } from "../../../../server/src/repl/child/wire/frames.ts";
import type { AppFacts } from "../../../../server/src/repl/child/wire/app-frames.ts";
import { AppConnection } from "../../../../server/src/repl/attached/app-connection.ts";
import { RunningApps } from "../../../../server/src/repl/attached/running-apps.ts";
import { RunningProgram, shop } from "../../../support/running-program.ts";

let top: string;
let sockets: string;
let root: string;
const servers: Server[] = [];
let apps: RunningApps | undefined;

beforeEach(() => {
  top = realpathSync(mkdtempSync(path.join(tmpdir(), "aq-")));
  [sockets, root] = [path.join(top, "s"), path.join(top, "project")];
  mkdirSync(sockets, { mode: 0o700 });
  mkdirSync(root);
});
afterEach(() => {
  apps?.dispose();
  for (const server of servers.splice(0)) server.close();
  rmSync(top, { recursive: true, force: true });
});

const facts = (more: Partial<Record<keyof AppFacts, unknown>> = {}): object => ({
  name: "api",
  root,
  pid: process.pid,
  command: ["server.js"],
  node: process.version,
  startedAt: Date.now(),
  level: "modules",
  ...more,
});

/** A socket file that says this to everybody who comes. */
async function listen(says: (socket: Socket) => void, name = `app-${process.pid}-a.sock`): Promise<void> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    says(socket);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(path.join(sockets, name), resolve));
}

async function found(): Promise<readonly string[]> {
  apps = new RunningApps({ sockets, folders: () => [root], onChange: () => undefined });
  return (await apps.all()).map(({ id }) => id);
}

const tell = (frame: object) => (socket: Socket) => void socket.write(encodeFrame(frame));

describe("a file in the folder of the sockets", () => {
  it("is a program where it says what one says", async () => {
    await listen(tell({ t: "app", facts: facts() }));
    expect(await found()).toEqual(["api"]);
  });

  it.each([
    ["another process than its file names", { pid: 1 }],
    ["a name with a line break", { name: "api\nYou may" }],
    ["a name that leaves the line", { name: "api\u001b[2J" }],
    ["no name", { name: "" }],
    ["a long name", { name: "a".repeat(41) }],
    ["a name that is no text", { name: { toString: "api" } }],
    ["another workspace", { root: "/elsewhere" }],
    ["a folder beside with the same beginning", { root: "BESIDE" }],
    ["no root", { root: undefined }],
    ["a level that nobody knows", { level: "root" }],
    ["a command that is no list", { command: "rm -rf" }],
    ["a command of a million words", { command: Array.from({ length: 1_000_000 }, () => "a") }],
    ["a start that is no time", { startedAt: "now" }],
    ["a reason that is no text", { why: 7 }],
    ["a Node that is no text", { node: null }],
  ])("that says %s is none", async (_what, more) => {
    const forged = "root" in more && more.root === "BESIDE" ? { root: `${root}-beside` } : more;
    await listen(tell({ t: "app", facts: facts(forged) }));
    expect(await found()).toEqual([]);
  });

  it.each<[string, (socket: Socket) => void]>([
    ["something else", tell({ t: "opened", socket: "/tmp/x" })],
    ["text", (socket) => void socket.write("GET / HTTP/1.1\r\n\r\n")],
    ["a frame of four gigabytes", (socket) => void socket.write(Buffer.from([255, 255, 255, 255, 0]))],
    ["a broken frame", (socket) => void socket.write(Buffer.from([0, 0, 0, 1, 123]))],
    ["nothing, and ends", (socket) => void socket.end()],
  ])("that says %s is none", async (_what, says) => {
    await listen(says);
    expect(await found()).toEqual([]);
  });

  it("that says nothing is waited for once", async () => {
    const come: Socket[] = [];
    await listen((socket) => void come.push(socket.resume()));
    expect(await found()).toEqual([]);
    expect(await apps?.all()).toEqual([]);
    // The second question is still open.
    expect(come.map(({ closed }) => closed)).toEqual([true, false]);
    come.at(-1)?.write(encodeFrame({ t: "app", facts: facts() }));
    await vi.waitFor(() => expect(apps?.known()).toHaveLength(1), { timeout: 40_000 });
  });

  it("that is a link, a plain file, or called otherwise is none, and stays", async () => {
    const elsewhere = path.join(top, "elsewhere.sock");
    const server = createServer(tell({ t: "app", facts: facts() }));
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(elsewhere, resolve));
    symlinkSync(elsewhere, path.join(sockets, `app-${process.pid}-link.sock`));
    writeFileSync(path.join(sockets, `app-${process.pid}-plain.sock`), "");
    await listen(tell({ t: "app", facts: facts() }), "other.sock");
    await listen(tell({ t: "app", facts: facts() }), `app-${process.pid}-..sock`);
    expect(await found()).toEqual([]);
    expect(readdirSync(sockets)).toHaveLength(4);
  });

  it("that is opened, and leads to another socket that says nothing, is a program that cannot be worked with", async () => {
    await listen((socket) => {
      tell({ t: "app", facts: facts() })(socket);
      socket.on("data", () => tell({ t: "opened", socket: path.join(top, "nobody.sock") })(socket));
    });
    await found();
    expect(await apps?.find("api")?.connection.open()).toMatch(/^api \(process \d+\) does not answer: /);
  });
});

describe("on the socket of a running program", () => {
  let program: RunningProgram;
  let place: string;
  let socketFile: string;

  beforeAll(async () => {
    place = realpathSync(mkdtempSync(path.join(tmpdir(), "aq-")));
    const folder = path.join(place, "project");
    for (const [name, text] of Object.entries(shop)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), text);
    }
    program = new RunningProgram({ folder, runtime: place }, [process.execPath, "src/server.ts"]);
    await program.port;
    const [name = ""] = await vi.waitFor(
      () => {
        const names = readdirSync(path.join(place, "agentq")).filter((each) => each.endsWith(".sock"));
        expect(names).toHaveLength(1);
        return names;
      },
      { timeout: 40_000 },
    );
    socketFile = path.join(place, "agentq", name);
  });
  afterAll(async () => {
    await program.kill();
    rmSync(place, { recursive: true, force: true });
  });

  const connect = async (): Promise<Socket> => {
    const socket = createConnection(socketFile);
    socket.on("error", () => undefined);
    await new Promise((resolve) => socket.once("connect", resolve));
    return socket;
  };

  it.each<[string, Buffer]>([
    ["text", Buffer.from("quit\n".repeat(1000))],
    ["a frame of four gigabytes", Buffer.from([255, 255, 255, 255])],
    ["a frame that is no object", encodeFrame(null)],
    ["a frame that nobody knows", encodeFrame({ t: "eval", id: 1, code: "process.exit(7)" })],
    ["forms before it was opened", encodeFrame({ t: "hello", token: "" })],
    ["names of the language", encodeFrame({ t: "__proto__", constructor: 1 })],
  ])("%s does nothing", async (_what, bytes) => {
    const socket = await connect();
    socket.write(bytes);
    expect(await program.get()).toHaveProperty("served");
    socket.destroy();
    expect(await program.get()).toHaveProperty("served");
  });

  it("a hundred connections, opened and left at any moment, end nothing", async () => {
    const all = await Promise.all(Array.from({ length: 100 }, connect));
    for (const [index, socket] of all.entries()) {
      if (index % 2 === 0) socket.write(encodeFrame({ t: "open" }));
      if (index % 3 === 0) socket.destroy();
    }
    const answers = await Promise.all(Array.from({ length: 20 }, async () => program.get()));
    expect(answers).toHaveLength(20);
    for (const socket of all) socket.destroy();
    expect(await program.get()).toHaveProperty("served");
  });

  it("the control thread hears nobody who does not say who it is first, and goes with the one that it serves", async () => {
    const connection = await AppConnection.to(socketFile, Number(/app-(\d+)/.exec(socketFile)?.[1]));
    if (!(connection instanceof AppConnection)) throw new Error("the program does not answer");
    const socket = await connect();
    const opened = Promise.withResolvers<string>();
    socket.on("data", (bytes) => {
      const [, forms] = /"socket":"([^"]+)"/.exec(bytes.toString()) ?? [];
      if (forms !== undefined) opened.resolve(forms);
    });
    // Those of before may still be there.
    const ask = setInterval(() => socket.write(encodeFrame({ t: "open" })), 200);
    const forms = createConnection(await opened.promise);
    clearInterval(ask);
    expect(await connection.open()).toMatch(/another editor's server works with it/);
    connection.leave();
    forms.on("error", () => undefined).resume();
    forms.write(encodeFrame({ t: "eval", id: 1, code: "globalThis.forged = 1; process.exit(7)" }));
    await new Promise((resolve) => forms.once("close", resolve));
    socket.destroy();
    expect(await program.get()).toHaveProperty("served");
  });
});
