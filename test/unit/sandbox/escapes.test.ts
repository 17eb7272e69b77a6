import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeEachWall, startWall, treeOf, type TestWall } from "../../support/wall.ts";
import { readings, reachings, writings } from "./attempts.ts";

const SECRETS: Readonly<Record<string, string>> = {
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

describeEachWall("out of the wall", (only) => {
  let out: string;
  let t: TestWall;
  let outsider: ChildProcess;
  let variables: Record<string, string>;
  const listening: Server[] = [];
  let heard = 0;

  const listen = async (at: string | number): Promise<Server> => {
    const server = createServer((socket) => {
      heard += 1;
      socket.destroy();
    });
    listening.push(server);
    await new Promise<void>((resolve) =>
      typeof at === "number" ? server.listen(at, "127.0.0.1", resolve) : server.listen(at, resolve),
    );
    return server;
  };

  beforeAll(async () => {
    out = realpathSync(mkdtempSync(join(tmpdir(), "agentq-outside-")));
    const home = join(out, "home");
    mkdirSync(join(home, ".ssh"), { recursive: true });
    writeFileSync(join(out, "outside.txt"), "CANARY-outside");
    writeFileSync(join(home, ".ssh/id_ed25519"), "CANARY-ssh");
    writeFileSync(join(home, ".bashrc"), "# CANARY-bashrc\n");
    const files = { "src/a.ts": "export const a = 1;\n", ".git/config": "[core]\n", ...SECRETS };
    t = startWall(files, { HOME: home }, only);
    mkdirSync(join(t.root, "node_modules/@ws"), { recursive: true });
    symlinkSync(join(t.root, "packages/a"), join(t.root, "node_modules/@ws/a"));
    symlinkSync(".env", join(t.root, "to-env"));
    symlinkSync(".", join(t.root, "chain"));
    symlinkSync(join(out, "outside.txt"), join(t.root, "leads-out"));
    outsider = spawn("sleep", ["600"], { env: { ...process.env, SECRET: "CANARY-environment" } });
    const port = ((await listen(0)).address() as AddressInfo).port;
    const [socket, abstract] = [join(out, "socket"), `agentq-${process.pid}`];
    await listen(socket);
    await listen(`\0${abstract}`);
    variables = {
      OUT: out,
      REAL_HOME: home,
      OUTSIDER: String(outsider.pid),
      SERVER: String(process.pid),
      LAYER: t.layer.folder,
      PORT: String(port),
      SOCKET: socket,
      ABSTRACT: abstract,
    };
  });
  afterAll(async () => {
    outsider.kill("SIGKILL");
    for (const server of listening) server.close();
    await t.dispose();
    rmSync(out, { recursive: true, force: true });
  });

  /** What the script printed. Afterwards the disk is as it was, and nobody was reached. */
  async function attempt(script: string): Promise<string> {
    const given = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`);
    const before = { project: treeOf(t.root), outside: treeOf(out) };
    const { end, text } = await t.sh([...given, `{ ${script}\n}`].join("\n"), AbortSignal.timeout(20_000));
    expect(end.kind).toBe("ended");
    expect({ project: treeOf(t.root), outside: treeOf(out) }).toEqual(before);
    expect(heard).toBe(0);
    expect(outsider.exitCode ?? outsider.signalCode).toBeNull();
    return text;
  }

  it("a script that does what it may shows that the attempts run at all", async () => {
    expect(await attempt("cat src/a.ts; echo $OUTSIDER; node -p 1+1; echo CANARY | cat")).toBe(
      `export const a = 1;\n${outsider.pid}\n2\nCANARY\n`,
    );
  });

  it.each(Object.entries(readings))("%s is not read", async (_, script) => {
    expect(await attempt(script)).not.toContain("CANARY");
  });

  it.each(Object.entries(reachings))("%s is not reached", async (_, script) => {
    expect(await attempt(script)).not.toContain("CANARY");
  });

  it.each(Object.entries(writings))("%s is not written", async (_, script) => {
    expect(await attempt(script)).not.toContain("CANARY");
    expect(TRIED.filter((place) => existsSync(place))).toEqual([]);
  });
});
