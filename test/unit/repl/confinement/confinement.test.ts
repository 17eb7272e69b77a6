import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeLevel, whyNot } from "../../../../server/src/repl/confinement/level.ts";
import { canConfine, imageEnvironment } from "../../../../server/src/repl/confinement/limited/limited.ts";
import { readableFolders } from "../../../../server/src/repl/confinement/readable-folders.ts";
import { describeEachNode } from "../../../support/node-versions.ts";
import { startTestImage, type TestImage } from "../with-image.ts";

describe("an image that Node's permissions confine", () => {
  let t: TestImage;
  let outside: string;
  beforeAll(() => {
    process.env["AGENTQ_TEST_API_KEY"] = "sk-secret";
    process.env["NODE_OPTIONS"] = "--title=from-node-options";
    outside = realpathSync(mkdtempSync(join(tmpdir(), "agentq-repl-outside-")));
    writeFileSync(join(outside, "secret.ts"), "export const secret = 'outside';");
    t = startTestImage();
  });
  afterAll(async () => {
    delete process.env["AGENTQ_TEST_API_KEY"];
    delete process.env["NODE_OPTIONS"];
    await t.dispose();
    rmSync(outside, { recursive: true });
  });

  const escapes: Record<string, string> = {
    "writing a project file": "require('node:fs').writeFileSync('src/money.ts', 'stolen')",
    "renaming a project file": "require('node:fs').renameSync('src/money.ts', 'src/gone.ts')",
    "deleting a project file": "(await import('node:fs/promises')).rm('src/money.ts')",
    "reading a file outside": "require('node:fs').readFileSync('/etc/passwd', 'utf8')",
    "reading its own start environment": "require('node:fs').readFileSync('/proc/self/environ')",
    "starting a process": "require('node:child_process').execSync('id')",
    "starting a thread": "new (require('node:worker_threads').Worker)('1', { eval: true })",
    "starting a thread without flags": "new (require('node:worker_threads').Worker)('1', { eval: true, execArgv: [] })",
    "an inspector session": "new (require('node:inspector').Session)().connect()",
    "opening the inspector": "require('node:inspector').open(0)",
    "a native addon": "process.dlopen({ exports: {} }, '/tmp/x.node')",
    "the internal bindings": "process.binding('spawn_sync')",
    "giving itself rights":
      "(process as any).permission.has('child') || (() => { throw new Error('ERR_ACCESS_DENIED') })()",
  };
  it.for(Object.entries(escapes))("refuses %s", async ([, code]) => {
    const { outcome, error } = await t.evaluate(code);
    expect(outcome).toBe("error");
    expect(`${error?.name} ${error?.message}`).toMatch(/ERR_ACCESS_DENIED|disabled|No such binding/);
  });

  it("has no node:sqlite, which would open files on its own", async () => {
    expect((await t.evaluate("require('node:sqlite')")).error?.message).toContain("sqlite");
  });

  it("does not get a file outside from the server either, by import or by a forged stack", async () => {
    const imported = await t.evaluate(`import { secret } from ${JSON.stringify(join(outside, "secret.ts"))}; secret`);
    expect(imported.error?.name).toContain("ERR_ACCESS_DENIED");
    expect(imported.notes, "the error says it, in the words of any level").toEqual([]);
    symlinkSync(join(outside, "secret.ts"), join(t.root, "src/link.ts"));
    expect((await t.evaluate("import { secret } from './src/link.ts'; secret")).outcome).toBe("error");
    const forged = await t.evaluate(
      "const e = new Error('x'); e.stack = 'Error: x\\n    at f (/etc/passwd:1:1)'; throw e",
    );
    expect(forged.error?.frames[0]?.code).toBeUndefined();
  });

  it("says what it means that a package's native addon is not loaded", async () => {
    t.write("node_modules/native/index.js", "module.exports = require('./native.node');");
    t.write("node_modules/native/native.node", "");
    const { error, notes } = await t.evaluate("require('native')");
    expect(error?.name).toContain("ERR_DLOPEN_DISABLED");
    expect(notes.map(({ message }) => message).join()).toContain("starts no process, thread or addon");
  });

  it("cannot read a neighbour whose name begins like the project's", async () => {
    const neighbour = `${t.root}-neighbour`;
    mkdirSync(neighbour);
    writeFileSync(join(neighbour, "x.txt"), "x");
    const { error } = await t.evaluate(`require('node:fs').readFileSync(${JSON.stringify(join(neighbour, "x.txt"))})`);
    rmSync(neighbour, { recursive: true });
    expect(error?.name).toContain("ERR_ACCESS_DENIED");
  });

  it("sees no secret and no options of the server's environment", async () => {
    expect(await t.value("process.env.AGENTQ_TEST_API_KEY")).toBe("undefined");
    expect(await t.value("process.env.NODE_OPTIONS")).toBe("undefined");
    expect(await t.value("Object.keys(process.env).filter((name) => /KEY|TOKEN|SECRET|PASSWORD/i.test(name))")).toBe(
      "[]",
    );
    expect(await t.value("process.title")).not.toContain("from-node-options");
  });

  it("may write to its scratch folder, which goes with it", async () => {
    const folder = JSON.parse(await t.value("require('node:os').tmpdir()")) as string;
    expect(
      await t.value(
        "const fs = require('node:fs'); const f = require('node:path').join(require('node:os').tmpdir(), 'a.txt'); fs.writeFileSync(f, 'ok'); fs.readFileSync(f, 'utf8')",
      ),
    ).toBe('"ok"');
    await t.image.restart();
    expect(existsSync(folder)).toBe(false);
  });

  it("removes the scratch folder that a killed server left", async () => {
    const dead = spawnSync(process.execPath, ["-e", ""]).pid;
    const left = mkdtempSync(join(tmpdir(), `agentq-image-${dead}-`));
    const own = mkdtempSync(join(tmpdir(), `agentq-image-${process.pid}-`));
    await t.image.restart();
    expect(existsSync(left)).toBe(false);
    expect(existsSync(own)).toBe(true);
    rmSync(own, { recursive: true });
  });

  it("still evaluates, imports and is interrupted", async () => {
    expect(await t.value("import { rate } from './src/money.ts'; rate")).toBe("2");
    expect(await t.evaluate("for (;;) {}", { timeoutMs: 200 })).toMatchObject({ outcome: "timeout", stateKept: true });
    expect(t.image.status().confinementDetail).toMatch(/^Limited by Node's permissions: .*network/);
  });
});

describeEachNode([24, 26], ({ path, major }) => {
  it("has the network only where it was allowed, and its status says which", async () => {
    const serve = `import http from 'node:http';
      const server = http.createServer((_, response) => response.end('served'));
      await new Promise((ok, no) => server.listen(0, '127.0.0.1', () => ok(0)).on('error', no));
      const { port } = server.address() as any; port`;
    const open = startTestImage({ nodePath: path, network: "open" });
    const port = Number(await open.value(serve));
    expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe("served");
    expect(open.image.status().confinementDetail).toContain("the network is open by choice");
    await open.dispose();

    const closed = startTestImage({ nodePath: path });
    if (major === 26) {
      expect(closed.image.status().confinementDetail).toContain("no network");
      // Node 26 refuses to listen by an error that only such a handler can catch.
      const listen = `import http from 'node:http';
        const refused: any = await new Promise((ok, no) => {
          process.once('uncaughtException', ok);
          http.createServer().listen(0, '127.0.0.1', () => no(new Error('it listens')));
        });
        refused.code`;
      expect(await closed.value(listen)).toBe('"ERR_ACCESS_DENIED"');
      const asked = await closed.evaluate("await fetch('http://127.0.0.1:9999')");
      expect(JSON.stringify(asked.notes)).toContain('repl.network: \\"open\\"');
    } else {
      expect(closed.image.status().confinementDetail).toContain("tried at the start");
      const own = await closed.evaluate(`${serve}; await (await fetch('http://127.0.0.1:' + port)).text()`);
      // Its own loopback works either way; from here it is reached only where no namespace could be made.
      expect(own.preview).toBe('"served"');
      expect(closed.image.status().confinementDetail).toMatch(/no network but its own loopback|the network is open: /);
    }
    await closed.dispose();
  });
});

describe("an open image", () => {
  it("has the person's rights, and says that it was a choice", async () => {
    const t = startTestImage({ confinement: "open" });
    expect(await t.value("require('node:child_process').execSync('echo hi', { encoding: 'utf8' })")).toBe('"hi\\n"');
    expect(t.image.status()).toMatchObject({ confinement: "open" });
    expect(t.image.status().confinementDetail).toContain("Open by choice");
    await t.dispose();
  });
});

describe("an image that cannot be confined", () => {
  it("is refused with one sentence, and can be opened", async () => {
    expect(canConfine("v24.21.0") && canConfine("v26.3.1") && canConfine("v27.0.0")).toBe(true);
    expect(canConfine("v22.22.0") || canConfine("v24.20.0") || canConfine("v26.2.0") || canConfine("v25.9.0")).toBe(
      false,
    );
    expect(whyNot("v22.20.0", "limited")).toMatch(
      /^Node v22.20.0 cannot confine the REPL: [^.]*24\.21[^.]*26\.3[^.]*\.$/,
    );
    expect(whyNot("v22.20.0", "open")).toBeUndefined();
    expect(whyNot("v20.1.0", "open")).toContain("needs Node 22.18");
    expect(describeLevel({ nodeVersion: "v22.20.0", confinement: "confined" })).toContain("Not running");
  });

  it("answers an evaluation with the reason and is dead, not silent", async () => {
    const folder = mkdtempSync(join(tmpdir(), "agentq-repl-node-"));
    const nodePath = join(folder, "old-node");
    writeFileSync(nodePath, "#!/bin/sh\necho v22.20.0\n", { mode: 0o755 });
    const t = startTestImage({ nodePath });
    const result = await t.evaluate("1");
    expect(result).toMatchObject({ outcome: "error", error: { name: "ReplUnavailable" } });
    expect(t.image.status()).toMatchObject({ state: "dead", nodeVersion: "v22.20.0" });
    await t.dispose();
    rmSync(folder, { recursive: true });
  });
});

describeEachNode([22], ({ path }) => {
  it("is refused confined, with what to do, and works open, saying why", async () => {
    const confined = startTestImage({ nodePath: path });
    const refused = await confined.evaluate("1 + 1");
    expect(refused).toMatchObject({ outcome: "error", error: { name: "ReplUnavailable" } });
    expect(refused.error?.message).toMatch(
      /^Node v22\.\d+\.\d+ cannot confine the REPL: use Node 24\.21 or 26\.3 or later, or allow the open mode \(full rights\)\.$/,
    );
    expect(confined.image.status()).toMatchObject({ state: "dead", confinement: "confined" });
    await confined.dispose();

    const open = startTestImage({ nodePath: path, confinement: "open" });
    expect(await open.value("import { rate } from './src/money.ts'; rate + 1")).toBe("3");
    expect(open.image.status().confinementDetail).toMatch(
      /^Open: evaluations run with full rights; confinement needs Node 24\.21/,
    );
    await open.dispose();
  });
});

describe("what the image may read and know", () => {
  it("passes on an allow-list of the environment", () => {
    const env = imageEnvironment(
      { PATH: "/bin", LC_ALL: "C", AWS_SESSION: "x", NODE_OPTIONS: "--inspect" },
      "/scratch",
    );
    expect(env).toEqual({
      PATH: "/bin",
      LC_ALL: "C",
      TMPDIR: "/scratch",
      TMP: "/scratch",
      TEMP: "/scratch",
      NO_COLOR: "1",
    });
  });

  it("follows links to packages of the same repository only", () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "agentq-repl-links-")));
    for (const folder of [".git", "packages/app/node_modules", "packages/lib", "node_modules/@own"]) {
      mkdirSync(join(root, folder), { recursive: true });
    }
    const stranger = realpathSync(mkdtempSync(join(tmpdir(), "agentq-repl-stranger-")));
    writeFileSync(join(stranger, "package.json"), "{}");
    writeFileSync(join(root, "packages/lib/package.json"), "{}");
    symlinkSync(join(root, "packages/lib"), join(root, "node_modules/@own/lib"));
    symlinkSync(stranger, join(root, "node_modules/stranger"));
    const folders = readableFolders(join(root, "packages/app"));
    expect(folders).toContain(join(root, "packages/lib"));
    expect(folders).toContain(join(root, "node_modules"));
    expect(folders).not.toContain(stranger);
    expect(folders).not.toContain(root);
    rmSync(root, { recursive: true });
    rmSync(stranger, { recursive: true });
  });
});
