import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Duplex } from "node:stream";
import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { childEnvironment } from "../../../../server/src/process/child-environment.ts";
import { spawn, type ChildProcess } from "../../../../server/src/process/spawn.ts";
import type { LiveWall } from "../../../../server/src/process/live-wall.ts";
import { Sandbox } from "../../../../server/src/sandbox/sandbox.ts";
import { describeEachWall, filesBelow, startWall, treeOf, type TestWall } from "../../../support/wall.ts";

const signal = new AbortController().signal;
/** A busy machine takes its time. */
const WAITS = { timeout: 40_000 };

describeEachWall("a process that lives behind a wall", (only) => {
  let t: TestWall;
  let wall: LiveWall | undefined;
  const children: ChildProcess[] = [];
  beforeEach(() => {
    const files = { "a.txt": "one", ".env": "CANARY", "sub/.env.local": "CANARY", "sub/key.pem": "CANARY" };
    t = startWall(files, {}, only);
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
    await wall?.dispose();
    await t.dispose();
  });

  /** A shell behind the wall that runs each line it gets on descriptor 3 and answers there. */
  async function shell(
    readable: readonly string[] = [],
    more: { readonly isOnline?: true } = {},
  ): Promise<(script: string) => Promise<string>> {
    wall = await t.sandbox.live({ folder: t.root, readable, ...more }, signal);
    const loop = 'while read -r line <&3; do sh -c "$line" >&3 2>&1; echo END >&3; done';
    const [program, ...words] = wall.line(["sh", "-c", loop]);
    const { env } = wall;
    const child = spawn(program, words, { env, stdio: ["ignore", "ignore", "inherit", "pipe", ...wall.stdio] });
    wall.begun(child);
    children.push(child);
    const channel = child.stdio[3] as Duplex;
    const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`the shell ended with ${code}`)));
    ended.catch(() => undefined);
    // A wall that ends with the test may have something left to read.
    channel.on("error", () => undefined);
    const sh = (script: string): Promise<string> => {
      const told = new Promise<string>((resolve) => {
        let text = "";
        const hear = (chunk: Buffer): void => {
          text += chunk.toString("utf8");
          if (!text.endsWith("END\n")) return;
          channel.off("data", hear);
          resolve(text.slice(0, -"END\n".length));
        };
        channel.on("data", hear);
        channel.write(`${script}\n`);
      });
      return Promise.race([told, ended]);
    };
    await sh("true");
    return sh;
  }

  it("sees files that are replaced, made and deleted after its start, and writes to none", async () => {
    const sh = await shell();
    expect(await sh("cat a.txt; ls")).toBe("onea.txt\nsub\n");
    writeFileSync(join(t.root, "b.txt"), "two");
    execFileSync("mv", [join(t.root, "b.txt"), join(t.root, "a.txt")]);
    writeFileSync(join(t.root, "c.txt"), "three");
    expect(await sh("cat a.txt c.txt")).toBe("twothree");
    rmSync(join(t.root, "c.txt"));
    expect(await sh("ls")).toBe("a.txt\nsub\n");
    expect(await sh("echo x > a.txt; echo x > new.txt; rm a.txt; chmod 777 a.txt")).toMatch(
      /(.*Read-only file system\n){4}/,
    );
    expect(readdirSync(t.root).toSorted()).toEqual([".env", "a.txt", "sub"]);
  });

  it("writes to a home folder and a /tmp of its own, and to nothing else", async () => {
    const sh = await shell();
    expect(await sh('echo 2 > "$HOME/y"; echo 3 > /tmp/live-z; cat "$HOME/y" /tmp/live-z')).toBe("2\n3\n");
    expect(existsSync("/tmp/live-z")).toBe(false);
    const open = await sh("awk '{print $5, $6}' /proc/self/mountinfo | grep -E ' rw' | cut -d' ' -f1");
    const places = open.split("\n").filter((line) => line !== "" && !/^\/(?:dev|proc)/.test(line));
    expect(places.toSorted()).toEqual([childEnvironment()["HOME"] ?? "", "/tmp"].toSorted());
  });

  it("goes on closing when a file has taken the place of a folder in which something happens", async () => {
    const sh = await shell();
    writeFileSync(join(t.root, "sub/new.ts"), "1");
    rmSync(join(t.root, "sub"), { recursive: true });
    writeFileSync(join(t.root, "sub"), "a file");
    writeFileSync(join(t.root, ".env.late"), "CANARY");
    await expect.poll(() => sh("cat .env.late 2>&1"), WAITS).toContain("Permission denied");
    expect(await sh("cat sub")).toBe("a file");
  });

  it("knows whether it would be the same if it were made now, in whatever order files are listed", async () => {
    let isReversed = false;
    const listFiles = async (folder: string) => {
      const files = filesBelow(folder);
      return { files: isReversed ? files.toReversed() : files, unread: [] };
    };
    const sandbox = new Sandbox({ folders: () => [t.root], env: childEnvironment(), listFiles, ...only });
    onTestFinished(() => sandbox.dispose());
    for (const name of ["a", "b"]) {
      execFileSync("git", ["init", "-q", join(t.root, name)]);
      execFileSync("git", ["remote", "add", "origin", "https://me:CANARY@host"], { cwd: join(t.root, name) });
    }
    const program = { folder: t.root, readable: [t.root] };
    wall = await sandbox.live(program, signal);
    isReversed = true;
    writeFileSync(join(t.root, "new.ts"), "1");
    expect(await wall.isCurrent(program, signal)).toBe(true);
    writeFileSync(join(t.root, "sub/.env"), "CANARY");
    expect(await wall.isCurrent(program, signal)).toBe(false);
    rmSync(join(t.root, "sub/.env"));
    expect(await wall.isCurrent(program, signal)).toBe(true);
    expect(await wall.isCurrent({ ...program, isOnline: true }, signal)).toBe(false);
    await expect(wall.isCurrent(program, AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
  });

  it("cannot open what may hold secrets, and says so instead of showing an empty file", async () => {
    const sh = await shell();
    const told = await sh("cat .env; cat sub/.env.local; cat sub/key.pem");
    expect(told).not.toContain("CANARY");
    expect(told).toMatch(/(.*Permission denied\n){3}/);
    expect(wall?.closed).toEqual(expect.arrayContaining([join(t.root, ".env"), join(t.root, "sub/key.pem")]));
  });

  it("cannot open a secret that was replaced, deleted and written anew, or never there before", async () => {
    const sh = await shell();
    const denied = /^cat: .*: Permission denied\n$/;
    const settled = async (file: string): Promise<void> => {
      await expect.poll(() => sh(`cat ${file}`), WAITS).toMatch(denied);
      // The place stays closed.
      expect(await sh(`cat ${file}`)).toMatch(denied);
    };
    for (const path of [".env", "sub/key.pem"]) {
      writeFileSync(join(t.root, "new"), "CANARY-2");
      renameSync(join(t.root, "new"), join(t.root, path));
      await settled(path);
      rmSync(join(t.root, path));
      writeFileSync(join(t.root, path), "CANARY-3");
      await settled(path);
    }
    writeFileSync(join(t.root, ".env.production"), "CANARY-4");
    writeFileSync(join(t.root, "sub/.npmrc"), "CANARY-5");
    await settled(".env.production");
    await settled("sub/.npmrc");
    mkdirSync(join(t.root, ".aws"));
    writeFileSync(join(t.root, ".aws/credentials"), "CANARY-6");
    await expect.poll(() => sh("cat .aws/credentials"), WAITS).toMatch(/No such file/);
    expect(await sh("awk '$6 !~ /^ro/ {print $5}' /proc/self/mountinfo | grep -E 'env|pem|npmrc|aws'")).toBe("");
  });

  it("cannot open a secret in a folder that is put in the place of another, or made later at any depth", async () => {
    const sh = await shell();
    const settled = (file: string) => expect.poll(() => sh(`cat ${file}`), WAITS).toMatch(/Permission denied\n$/);
    execFileSync("sh", ["-c", "mv sub old && cp -a old sub"], { cwd: t.root });
    await settled("sub/key.pem");
    await settled("sub/.env.local");
    await settled("old/key.pem");
    mkdirSync(join(t.root, "sub/new/er"), { recursive: true });
    writeFileSync(join(t.root, "sub/new/er/.env"), "CANARY-7");
    await settled("sub/new/er/.env");
    rmSync(join(t.root, "sub"), { recursive: true });
    execFileSync("git", ["init", "-q", join(t.root, "sub")]);
    writeFileSync(join(t.root, "sub/.npmrc"), "CANARY-8");
    await settled("sub/.npmrc");
    expect(await sh("awk '$6 !~ /^ro/ {print $5}' /proc/self/mountinfo | grep -E 'env|pem|npmrc'")).toBe("");
  });

  it("is not shown the credentials of the repository when git has written its settings anew", async () => {
    const git = (...args: string[]): string => execFileSync("git", args, { cwd: t.root, encoding: "utf8" });
    git("init", "-q");
    git("remote", "add", "origin", "https://anna:CANARY@example.com/a.git");
    const sh = await shell();
    expect(await sh("git remote get-url origin")).toBe("https://example.com/a.git\n");
    git("config", "user.name", "Anna");
    await expect.poll(() => sh("cat .git/config"), WAITS).not.toContain("CANARY");
    expect(await sh("git remote get-url origin")).toBe("https://example.com/a.git\n");
    expect(await sh("awk '$6 !~ /^ro/ {print $5}' /proc/self/mountinfo | grep config")).toBe("");
  });

  it("reaches no socket that is made in the project later", async () => {
    const sh = await shell();
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => void server.listen(join(t.root, "sub/late.sock"), resolve));
    const connect = `${process.execPath} -e 'require("net").connect("sub/late.sock").on("error", (e) => console.log(e.code)).on("connect", () => process.exit())'`;
    await expect.poll(() => sh(connect), WAITS).toMatch(/^E[A-Z]+\n$/);
    server.close();
  });

  it("reaches no socket and no named pipe of the project, wherever they lie", async () => {
    mkdirSync(join(t.root, "node_modules"));
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => void server.listen(join(t.root, "node_modules/s.sock"), resolve));
    const other = createServer(() => undefined);
    await new Promise<void>((resolve) => void other.listen(join(t.root, "sub/s.sock"), resolve));
    execFileSync("mkfifo", [join(t.root, "pipe")]);
    chmodSync(join(t.root, "pipe"), 0o666);
    const sh = await shell();
    const connect = (path: string): string =>
      `${process.execPath} -e 'require("net").connect("${path}").on("error", (e) => console.log(e.code)).on("connect", () => console.log("CONNECTED"))'`;
    expect(await sh(connect("node_modules/s.sock"))).toMatch(/^E[A-Z]+\n$/);
    expect(await sh(connect("sub/s.sock"))).toMatch(/^E[A-Z]+\n$/);
    expect(await sh("echo x > pipe")).toMatch(/Permission denied|Read-only/);
    server.close();
    other.close();
  });

  it("sees what lies outside only where it is named, without its secrets, and no other process and network", async () => {
    const outside = realpathSync(mkdtempSync(join(tmpdir(), "agentq-live-outside-")));
    writeFileSync(join(outside, "lib.js"), "lib");
    writeFileSync(join(outside, ".npmrc"), "CANARY");
    const sh = await shell([outside]);
    const neighbour = realpathSync(mkdtempSync(join(tmpdir(), "agentq-live-neighbour-")));
    expect(await sh(`cat ${outside}/lib.js; cat ${outside}/.npmrc`)).toMatch(/^lib.*Permission denied\n$/);
    expect(await sh(`ls ${neighbour}`)).toContain("No such file");
    rmSync(neighbour, { recursive: true });
    expect(
      await sh(`test -e /proc/${process.pid}/environ && tr '\\0' ' ' < /proc/${process.pid}/environ`),
    ).not.toContain("vitest");
    expect((await sh("cat /proc/net/dev")).split("\n").filter((line) => line.includes(":"))).toHaveLength(1);
    rmSync(outside, { recursive: true });
  });

  it("has the machine's network where it is to have one", async () => {
    const interfaces = "grep -c : /proc/net/dev";
    const own = execFileSync("sh", ["-c", interfaces], { encoding: "utf8" });
    expect(await (await shell([], { isOnline: true }))(interfaces)).toBe(own);
  });

  it.each([
    ["SIGKILL", 137],
    ["SIGTERM", 143],
  ])("ends with 128 and the number of %s, which ended the program", async (name, code) => {
    wall = await t.sandbox.live({ folder: t.root, readable: [] }, signal);
    const [program, ...words] = wall.line(["node", "-e", `process.kill(process.pid, "${name}")`]);
    const child = spawn(program, words, {
      env: wall.env,
      stdio: ["ignore", "ignore", "inherit", "ignore", ...wall.stdio],
    });
    expect(await new Promise((resolve) => void child.once("exit", resolve))).toBe(code);
  });

  it("leaves nothing behind", async () => {
    wall = await t.sandbox.live({ folder: t.root, readable: [] }, signal);
    const place = wall.line([]).find((word) => word.endsWith("/wall.arguments")) ?? "";
    expect(existsSync(place)).toBe(true);
    await wall.dispose();
    expect(existsSync(dirname(place))).toBe(false);
  });

  it("leaves no watch behind where the program could not be started", async () => {
    mkdirSync(join(t.layer.folder, "status"));
    const run = { layer: t.layer, folder: t.root, command: ["true"] as [string], onOutput: () => undefined, signal };
    expect(await t.sandbox.run({ ...run, isLive: true })).toMatchObject({ kind: "refused" });
    const watched = ` ino:${statSync(t.root).ino.toString(16)} `;
    const descriptors = readdirSync("/proc/self/fdinfo").map((name) => join("/proc/self/fdinfo", name));
    const texts = descriptors.filter((path) => existsSync(path)).map((path) => readFileSync(path, "utf8"));
    expect(texts.filter((text) => text.includes(watched))).toEqual([]);
  });
});

describeEachWall("a program beside which the project changes", (only) => {
  it("writes to the folders that lie over others and to nothing else, and reads no secret that comes meanwhile", async () => {
    const t = startWall({ "a.txt": "one", ".env": "CANARY", "dist/old": "old" }, {}, only);
    execFileSync("git", ["init", "-q"], { cwd: t.root });
    const before = treeOf(t.root);
    const layer = t.sandbox.openOver([join(t.root, "dist")]);
    const stop = new AbortController();
    let text = "";
    const onOutput = (_: string, chunk: Buffer): void => void (text += chunk.toString("utf8"));
    const writes =
      "echo new > dist/new; cat dist/new dist/old; for at in a.txt b.txt .git/config .env; do echo x > $at; done";
    const command: [string, ...string[]] = [
      "sh",
      "-c",
      `exec 2>&1; ${writes}; while :; do echo; echo round; cat .env sub/.npmrc; sleep 0.1; done`,
    ];
    const running = t.sandbox.run({ layer, folder: t.root, command, onOutput, signal: stop.signal, isLive: true });
    try {
      await expect.poll(() => text, WAITS).toMatch(/^new\nold(?:.*(?:Read-only|denied)[^]*?){4}round/);
      expect(treeOf(t.root)).toEqual(before);
      mkdirSync(join(t.root, "sub"));
      for (const name of [".env", "sub/.npmrc"]) {
        writeFileSync(join(t.root, "new"), "CANARY-2");
        renameSync(join(t.root, "new"), join(t.root, name));
      }
      // Between the coming and the closing lies a moment.
      await expect.poll(() => text.split("round").at(-2), WAITS).toMatch(/^\s*$/);
      const closed = text.length;
      await expect.poll(() => text.slice(closed).split("round").length, WAITS).toBeGreaterThan(4);
      expect(text.slice(closed)).not.toContain("CANARY");
    } finally {
      stop.abort();
      await running;
      await t.sandbox.drop(layer);
      await t.dispose();
    }
  });
});
