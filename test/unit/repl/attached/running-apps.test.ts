import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { RunningApps } from "../../../../server/src/repl/attached/running-apps.ts";

let sockets: string;
beforeEach(() => void (sockets = mkdtempSync(join(tmpdir(), "agentq-apps-"))));
afterEach(() => rmSync(sockets, { recursive: true }));

/** A socket's file on which nobody listens. */
async function leaveSocket(pid: number): Promise<string> {
  const path = join(sockets, `app-${pid}-0123456789ab.sock`);
  const code = "require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))";
  await once(spawn(process.execPath, ["-e", code, path]), "exit");
  expect(existsSync(path)).toBe(true);
  return path;
}

it("removes the socket of a program that has ended, and leaves that of one that has not begun to listen", async () => {
  const over = spawn(process.execPath, ["-e", ""]);
  await once(over, "exit");
  const ended = await leaveSocket(over.pid ?? 0);
  const begins = await leaveSocket(process.pid);
  const apps = new RunningApps({ sockets, folders: () => ["/"], onChange: () => undefined });
  expect(await apps.all()).toEqual([]);
  expect([existsSync(ended), existsSync(begins)]).toEqual([false, true]);
  apps.dispose();
});
