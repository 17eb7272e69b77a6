/** A project with secrets, and what lies outside of it: files, processes, and who listens. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { SandboxOptions } from "../../../server/src/sandbox/sandbox.ts";
import { startWall, treeOf, type TestWall } from "../../support/wall.ts";

const FILES: Readonly<Record<string, string>> = {
  "src/a.ts": "export const a = 1;\n",
  ".git/config": "[core]\n",
  ".env": "CANARY-env",
  ".aws/credentials": "CANARY-aws",
  "packages/a/.env.local": "CANARY-package",
  "packages/a/server.pem": "CANARY-key",
};

/** Outside of all test folders. */
const TRIED = [
  "/usr/agentq-was-here",
  "/usr/bin/agentq-was-here",
  "/usr/local/bin/agentq-was-here",
  "/etc/agentq-was-here",
  "/new.txt",
];

export interface EscapeStage {
  readonly t: TestWall;
  readonly outsider: number;
  /** Runs an attempt by `run`, and expects that the disk is as it was and nobody was reached. */
  readonly attempt: (script: string, run: (script: string) => Promise<string>) => Promise<string>;
  readonly dispose: () => Promise<void>;
}

export async function startEscapes(only: Pick<SandboxOptions, "only">): Promise<EscapeStage> {
  const out = realpathSync(mkdtempSync(join(tmpdir(), "agentq-outside-")));
  const home = join(out, "home");
  mkdirSync(join(home, ".ssh"), { recursive: true });
  writeFileSync(join(out, "outside.txt"), "CANARY-outside");
  writeFileSync(join(home, ".ssh/id_ed25519"), "CANARY-ssh");
  writeFileSync(join(home, ".bashrc"), "# CANARY-bashrc\n");
  const t = startWall(FILES, { HOME: home }, only);
  mkdirSync(join(t.root, "node_modules/@ws"), { recursive: true });
  symlinkSync(join(t.root, "packages/a"), join(t.root, "node_modules/@ws/a"));
  symlinkSync(".env", join(t.root, "to-env"));
  symlinkSync(".", join(t.root, "chain"));
  symlinkSync(join(out, "outside.txt"), join(t.root, "leads-out"));
  const outsider = spawn("sleep", ["600"], { env: { ...process.env, SECRET: "CANARY-environment" } });
  const listeners = new Listeners();
  const [socket, abstract] = [join(out, "socket"), `agentq-${process.pid}`];
  const port = ((await listeners.listen(0)).address() as AddressInfo).port;
  await listeners.listen(socket);
  await listeners.listen(`\0${abstract}`);
  const variables = {
    OUT: out,
    REAL_HOME: home,
    OUTSIDER: String(outsider.pid),
    SERVER: String(process.pid),
    LAYER: t.layer.folder,
    PORT: String(port),
    SOCKET: socket,
    ABSTRACT: abstract,
  };
  const given = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`);
  return {
    t,
    outsider: outsider.pid ?? 0,
    attempt: async (script, run) => {
      const before = { project: treeOf(t.root), outside: treeOf(out) };
      const text = await run([...given, `{ ${script}\n}`].join("\n"));
      expect({ project: treeOf(t.root), outside: treeOf(out) }).toEqual(before);
      expect(listeners.heard).toBe(0);
      expect(outsider.exitCode ?? outsider.signalCode).toBeNull();
      expect(TRIED.filter((place) => existsSync(place))).toEqual([]);
      return text;
    },
    dispose: async () => {
      outsider.kill("SIGKILL");
      listeners.close();
      await t.dispose();
      rmSync(out, { recursive: true, force: true });
    },
  };
}

class Listeners {
  readonly #servers: Server[] = [];
  heard = 0;

  async listen(at: string | number): Promise<Server> {
    const server = createServer((socket) => {
      this.heard += 1;
      socket.destroy();
    });
    this.#servers.push(server);
    await new Promise<void>((resolve) =>
      typeof at === "number" ? server.listen(at, "127.0.0.1", resolve) : server.listen(at, resolve),
    );
    return server;
  }

  close(): void {
    for (const server of this.#servers) server.close();
  }
}
