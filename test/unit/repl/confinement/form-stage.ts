/** What lies around an image that `escapes.ts` is tried in: files outside, another process, and who listens. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { TestImage } from "../with-image.ts";

export interface FormStage {
  /** The code with `OUT`, `PID` and `PORT` as they are here. */
  readonly here: (code: string) => string;
  /** How often somebody came to a port or a socket outside. */
  readonly reached: () => number;
  /** The project and the folder outside are as they were, and the other process lives. */
  readonly expectUntouched: () => void;
  readonly dispose: () => Promise<void>;
}

export async function stageForms(t: TestImage): Promise<FormStage> {
  const outside = realpathSync(mkdtempSync(join(tmpdir(), "agentq-repl-outside-")));
  writeFileSync(join(outside, "secret.txt"), "SECRET=CANARY\n");
  writeFileSync(join(outside, "secret.ts"), "export const secret = 'CANARY';");
  writeFileSync(join(outside, "package.json"), "{}");
  writeFileSync(join(outside, "x.node"), "");
  for (const folder of ["node_modules/addon", "node_modules/.bin", "node_modules/@own", "packages/lib"]) {
    mkdirSync(join(t.root, folder), { recursive: true });
  }
  writeFileSync(join(t.root, "node_modules/addon/x.node"), "");
  writeFileSync(join(t.root, "node_modules/addon/tool.js"), "");
  writeFileSync(join(t.root, "packages/lib/index.ts"), "");
  symlinkSync("../addon/tool.js", join(t.root, "node_modules/.bin/tool"));
  symlinkSync("../../packages/lib", join(t.root, "node_modules/@own/lib"));

  const victim = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e9)"], { stdio: "ignore" });
  let reached = 0;
  const listening = [join(outside, "socket"), join(t.root, "socket"), undefined].map(async (socket) => {
    const server = createServer((connection) => {
      reached++;
      connection.destroy();
    });
    await new Promise<void>((resolve) =>
      socket === undefined ? server.listen(0, "127.0.0.1", resolve) : server.listen(socket, resolve),
    );
    return server;
  });
  const servers = await Promise.all(listening);
  const ports = servers.map((server) => server.address()).filter((address) => typeof address === "object");
  const here = { OUT: outside, PID: String(victim.pid), PORT: String(ports[0]?.port) };
  const before = digest(t.root) + digest(outside);
  return {
    here: (code) => code.replaceAll(/OUT|PID|PORT/g, (name) => here[name as keyof typeof here]),
    reached: () => reached,
    expectUntouched: () => {
      expect(digest(t.root) + digest(outside)).toBe(before);
      expect(victim.exitCode ?? victim.signalCode).toBeNull();
    },
    dispose: async () => {
      await t.dispose();
      for (const server of servers) server.close();
      victim.kill("SIGKILL");
      rmSync(outside, { recursive: true });
    },
  };
}

/** Names, contents and modes of everything below a folder. */
function digest(folder: string): string {
  const hash = createHash("sha256");
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted()) {
    const stat = statSync(join(folder, name));
    hash.update(`${name} ${stat.mode} ${stat.mtimeMs} `);
    if (stat.isFile()) hash.update(readFileSync(join(folder, name)));
  }
  return hash.digest("hex");
}
