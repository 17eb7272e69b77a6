/** The image behind the operating system's wall, by both kinds of wall. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { describeEachWall } from "../../../support/wall.ts";
import { isRunning, startTestImage, startWalledImage, until, type TestImage } from "../with-image.ts";
import { knownWall } from "../../../support/known-wall.ts";

const messages = (result: { notes: readonly { message: string }[] }): string =>
  result.notes.map(({ message }) => message).join("\n");

describeEachWall("an image behind the wall", (only) => {
  let t: TestImage;
  beforeAll(() => {
    t = startWalledImage({ heapLimitMb: 128 }, only);
    t.write(".env", "TOKEN=CANARY\n");
  });
  afterAll(() => t.dispose());

  it("says that the operating system walls it in, how many secrets are closed, and what is not there", async () => {
    expect(t.image.status()).toMatchObject({ confinement: "confined", level: "walled" });
    await t.value("1");
    const { confinementDetail, missing } = t.image.status();
    expect(confinementDetail).toMatch(/^Walled by the operating system: .* cannot be opened \(1 now\)\.$/);
    expect(missing).toBeUndefined();
  });

  it("imports the project as it is at the moment, and the text of buffers that nobody saved", async () => {
    expect(await t.value("import { rate } from './src/money.ts'; rate")).toBe("2");
    t.write("new.ts.tmp", "export const made: number = 7;\n");
    renameSync(join(t.root, "new.ts.tmp"), join(t.root, "src/made.ts"));
    expect(await t.value("import { made } from './src/made.ts'; made")).toBe("7");
    expect(await t.value("require('node:fs').readdirSync('src').includes('made.ts')")).toBe("true");
  });

  it("runs programs, threads, node:sqlite and WebAssembly's system interface", async () => {
    expect(await t.value("require('node:child_process').execSync('echo $((40 + 2))').toString()")).toBe('"42\\n"');
    const thread =
      "new Promise((done) => new (require('node:worker_threads').Worker)('require(\"node:worker_threads\").parentPort.postMessage(6 * 7)', { eval: true }).on('message', done))";
    expect(await t.value(`await ${thread}`)).toBe("42");
    const sqlite =
      "new (require('node:sqlite').DatabaseSync)(require('node:os').tmpdir() + '/a.db').prepare('select 6 * 7 as n').get().n";
    expect(await t.value(sqlite)).toBe("42");
    expect(await t.value("typeof new (require('node:wasi').WASI)({ version: 'preview1' }).start")).toBe('"function"');
  });

  it("loads a native addon of an installed package", async () => {
    const addon = execFileSync("sh", ["-c", "find -L node_modules/@swc -name '*.node' | head -n 1"], {
      encoding: "utf8",
    }).trim();
    const installed = join(t.root, "node_modules/native");
    execFileSync("mkdir", ["-p", installed]);
    execFileSync("cp", [addon, join(installed, "addon.node")]);
    expect(await t.value("typeof require('native/addon.node')")).toBe('"object"');
  });

  it("writes to its own /tmp and home folder, and says what to do instead where it writes to the project", async () => {
    const file = "require('node:path').join(require('node:os').tmpdir(), 'agentq-was-here')";
    expect(
      await t.value(`require('node:fs').writeFileSync(${file}, 'x'); require('node:fs').existsSync(${file})`),
    ).toBe("true");
    expect(existsSync("/tmp/agentq-was-here")).toBe(false);
    const before = readdirSync(t.root);
    const refused = await t.evaluate("require('node:fs').writeFileSync('src/money.ts', '')");
    expect(refused).toMatchObject({ outcome: "error", stateKept: true });
    expect(refused.error?.message).toContain("EROFS");
    expect(messages(refused)).toMatch(/read-only.*run_command.*propose_edits/);
    expect(readdirSync(t.root)).toEqual(before);
  });

  it("gets no module under a name of secrets from the server, whenever it was written", async () => {
    t.write("src/.env.ts", "export const token = 'CANARY';\n");
    const { outcome, error } = await t.evaluate("import { token } from './src/.env.ts'; token");
    expect(outcome).toBe("error");
    expect(JSON.stringify(error)).not.toContain("CANARY");
  });

  it("says that secrets are closed, and that there is no network", async () => {
    const secret = await t.evaluate("require('node:fs').readFileSync('.env', 'utf8')");
    expect(secret.error?.message).toContain("EACCES");
    expect(messages(secret)).toContain("names that secrets have");
    const online = await t.evaluate(
      "await new Promise((done, fail) => require('node:net').connect(9, '192.0.2.1').on('error', fail))",
    );
    expect(messages(online)).toMatch(/no network.*run_command.*repl\.network/);
  });

  it("stops a loop and keeps the state, and reads what a child process writes", async () => {
    await t.value("const kept = 'kept'; 1");
    expect(await t.evaluate("for (;;) {}", { timeoutMs: 200 })).toMatchObject({ outcome: "timeout", stateKept: true });
    expect(await t.value("kept")).toBe('"kept"');
    await t.evaluate("require('node:child_process').execSync('echo said', { stdio: 'inherit' }); 1");
    await until(() => t.outputs.some(({ text }) => text.includes("said")));
  });

  it("names the signal that ended it, ends all that it started, and starts again", async () => {
    const result = await t.evaluate(
      "require('node:child_process').spawn('sleep', ['987'], { detached: true }).unref(); process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})",
    );
    expect(result).toMatchObject({ outcome: "crashed", stateKept: false });
    expect(result.error?.message).toMatch(/it was ended by SIGKILL/);
    await until(() => !/sleep 987/.test(execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })));
    expect(await t.value("1 + 1")).toBe("2");
  });

  it("ends a child that left its group with a restart", async () => {
    await t.value("require('node:child_process').spawn('sleep', ['986'], { detached: true }).unref(); 1");
    const { pid = 0 } = t.image.status();
    await t.image.restart();
    await until(() => !isRunning(pid));
    await until(() => !/sleep 986/.test(execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })));
    expect(await t.value("2 + 2")).toBe("4");
  });

  it("says that the memory ran out", async () => {
    const result = await t.evaluate("new Array(3e7).fill(0).map((_, i) => ({ i }))");
    expect(result.error?.message).toContain("it ran out of memory");
    expect(await t.value("3 + 3")).toBe("6");
  });
});

describeEachWall("an image behind the wall that is not to be", (only) => {
  let t: TestImage | undefined;
  let layers: string[];
  const layersHere = (): string[] =>
    readdirSync(tmpdir()).filter((name) => name.startsWith(`agentq-layer-${process.pid}-`));
  beforeAll(() => (layers = layersHere()));
  afterEach(() => t?.dispose());

  it("leaves nothing behind when it is closed while the wall is made", async () => {
    t = startWalledImage({}, only);
    const running = t.evaluate("1");
    await t.image.dispose();
    expect(await running).toMatchObject({ outcome: "interrupted" });
    await t.dispose();
    await until(() => layersHere().length === layers.length);
  });
});

describe("the level of an image", () => {
  const reason = "Neither bubblewrap (bwrap) nor util-linux (unshare) is on PATH.";
  it.each([
    ["open where the person chose so", { confinement: "open" }, { level: "open" }],
    [
      "limited where there is no wall, and says what is missing",
      { wall: knownWall({ kind: "none", reason, remedy: "Install bubblewrap." }) },
      { level: "limited", missing: `${reason} Install bubblewrap.` },
    ],
    [
      "limited where a command starts it elsewhere",
      {
        command: ["docker", "exec"],
        wall: knownWall({ kind: "walled", raise: () => Promise.reject(new Error("no")) }),
      },
      { level: "limited", missing: expect.stringContaining("docker") as string },
    ],
  ] as const)("is %s", async (_, options, wanted) => {
    const t = startTestImage(options);
    expect(t.image.status()).toMatchObject(wanted);
    await t.dispose();
  });

  it("is never lowered in silence: where the wall cannot be made, nothing starts", async () => {
    const raise = (): Promise<never> => Promise.reject(new Error("the disk is full"));
    const t = startTestImage({ wall: knownWall({ kind: "walled", raise }) });
    const { error } = await t.evaluate("1");
    expect(error?.message).toBe("The REPL cannot start: the disk is full.");
    await t.dispose();
  });
});
