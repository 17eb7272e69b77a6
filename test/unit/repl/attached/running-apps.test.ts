/** Which programs are found, and which files of programs go. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, realpathSync, renameSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { encodeFrame } from "../../../../server/src/repl/child/wire/frames.ts";
import { RunningApps } from "../../../../server/src/repl/attached/running-apps.ts";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-apps-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Leaves the file of a socket on which nobody listens. Answers the process that is gone. */
async function leaveSocket(name: (pid: number) => string): Promise<{ pid: number; file: string }> {
  const code = `require("net").createServer().listen(process.argv[1], () => process.stdout.write("."))`;
  const at = path.join(folder, "left");
  const child = spawn(process.execPath, ["-e", code, at], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  const file = path.join(folder, name(child.pid ?? 0));
  renameSync(at, file);
  chmodSync(file, 0o600);
  child.kill("SIGKILL");
  await once(child, "exit");
  return { pid: child.pid ?? 0, file };
}

const answering: Server[] = [];
afterEach(() => answering.splice(0).forEach((server) => server.close()));

/** A program that says what it is once it is ready. */
async function listen(startedAt: number, isReady: Promise<unknown> = Promise.resolve()): Promise<void> {
  const facts = {
    name: "api",
    root: folder,
    pid: process.pid,
    command: [],
    node: "v24.0.0",
    startedAt,
    level: "modules",
  };
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    void isReady.then(() => socket.write(encodeFrame({ t: "app", facts })));
  });
  answering.push(server);
  await new Promise<void>((resolve) =>
    server.listen(path.join(folder, `app-${process.pid}-${startedAt}.sock`), resolve),
  );
}

it("takes away the file of a program that was killed, and leaves that of one that does not listen yet", async () => {
  const killed = await leaveSocket((pid) => `app-${pid}-a.sock`);
  const starting = await leaveSocket(() => `app-${process.pid}-b.sock`);
  const apps = new RunningApps({ sockets: folder, folders: () => [folder], onChange: () => undefined });
  expect(await apps.all()).toEqual([]);
  expect([existsSync(killed.file), existsSync(starting.file)]).toEqual([false, true]);
  apps.dispose();
});

it("gives the name that several programs say to the oldest, whichever answers first", async () => {
  const { promise: isFree, resolve: free } = Promise.withResolvers<void>();
  await listen(1, isFree);
  await listen(2, Promise.resolve());
  answering[1]?.on("connection", () => setTimeout(free, 50));
  const apps = new RunningApps({ sockets: folder, folders: () => [folder], onChange: () => undefined });
  const found = (await apps.all()).map(({ id, connection }) => [id, connection.facts.startedAt]);
  expect(found).toEqual([
    ["api", 1],
    [`api:${process.pid}`, 2],
  ]);
  apps.dispose();
});

it("asks programs again when other folders are open, and leaves those that are of none", async () => {
  await listen(1);
  let open = "/another/folder";
  const heard: string[] = [];
  const onChange = (id: string, what: string): void => void heard.push(`${id} ${what}`);
  const apps = new RunningApps({ sockets: folder, folders: () => [open], onChange });
  expect(await apps.all()).toEqual([]);
  open = folder;
  expect(await apps.all()).toHaveLength(1);
  open = "/another/folder";
  await apps.look();
  await vi.waitFor(() => expect(heard).toEqual(["api started", "api ended"]), { timeout: 40_000 });
  expect(apps.known()).toEqual([]);
  apps.dispose();
});
