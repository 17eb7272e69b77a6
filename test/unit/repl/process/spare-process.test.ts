/** A process that stands ready: who gets it, what makes it useless, and that its wall is as tight as any. */
import { execFileSync } from "node:child_process";
import { createServer } from "node:net";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { descendantsOf } from "../../../support/descendants.ts";
import { imagesOf } from "../../../support/images.ts";
import { describeEachWall } from "../../../support/wall.ts";
import type { SpareOptions } from "../../../../server/src/repl/process/spare-process.ts";
import { isRunning, startTestImage, startWalledImage, until, type TestImage } from "../with-image.ts";

const PATIENCE = { timeout: 40_000, interval: 20 };

/** Other files of the same worker may have left processes. */
let others: readonly number[] = [];
const isOwn = (pid: number): boolean => !others.includes(pid);
const started = (): number[] => descendantsOf(process.pid).filter(isOwn);
const images = (): number[] => imagesOf(process.pid).filter(isOwn);

describeEachWall("a process that stands ready", (only) => {
  let t: TestImage;
  let added: readonly string[] = [];
  afterEach(async () => {
    await t.dispose();
    added = [];
  });

  function start(more: Partial<SpareOptions> = {}): void {
    others = descendantsOf(process.pid);
    t = startWalledImage({ spare: more }, { ...only, folders: () => [t.root, ...added] });
  }

  /** The process that stands ready once `expectUse` was heard. */
  async function ready(): Promise<number> {
    const before = images();
    t.spare?.expectUse();
    const fresh = (): number | undefined => images().find((pid) => !before.includes(pid));
    await until(() => fresh() !== undefined);
    return fresh() ?? 0;
  }

  const own = async (): Promise<number[]> => {
    await t.value("1");
    return images();
  };

  it("is the process of the first evaluation", async () => {
    start();
    const spare = await ready();
    expect(t.states).toEqual([]);
    expect(await t.value("import { rate } from './src/money.ts'; rate")).toBe("2");
    expect(images()).toEqual([spare]);
    expect(t.image.status()).toMatchObject({ state: "idle", level: "walled" });
  });

  it("is the process after a restart, and has nothing of the one before", async () => {
    start();
    await t.value("globalThis.left = 1");
    const spare = await ready();
    await t.image.restart();
    expect(await t.value("typeof left")).toBe('"undefined"');
    expect(images()).toEqual([spare]);
  });

  it("cannot open what came to be closed while it stood ready", async () => {
    start();
    await ready();
    t.write("new/.env", "TOKEN=CANARY\n");
    t.write(".env.tmp", "TOKEN=CANARY\n");
    renameSync(join(t.root, ".env.tmp"), join(t.root, ".env"));
    const server = createServer().listen(join(t.root, "new/socket"));
    onTestFinished(() => void server.close());
    const read = (file: string): string =>
      `try { require('node:fs').readFileSync('${file}', 'utf8') } catch (e) { e.code }`;
    for (const file of [".env", "new/.env"]) {
      await vi.waitUntil(async () => (await t.value(read(file))) === '"EACCES"', PATIENCE);
    }
    const connect =
      "new Promise((done) => require('node:net').connect('new/socket').on('connect', () => done('open')).on('error', (e) => done(e.code)))";
    expect(await t.value(`await ${connect}`)).not.toBe('"open"');
  });

  it("is ended where the wall would be another now: a folder was added", async () => {
    start();
    const spare = await ready();
    added = ["/usr/share"];
    expect(await own()).not.toContain(spare);
    expect(isRunning(spare)).toBe(false);
  });

  it("is ended where only a new start closes what has come: the settings of a new repository", async () => {
    start();
    const spare = await ready();
    execFileSync("git", ["init", "-q"], { cwd: t.root });
    execFileSync("git", ["remote", "add", "origin", "https://me:CANARY@host/a.git"], { cwd: t.root });
    const settings = await t.value("require('node:fs').readFileSync('.git/config', 'utf8')");
    expect(settings).toContain("origin");
    expect(settings).not.toContain("CANARY");
    expect(isRunning(spare)).toBe(false);
  });

  it("is missed by nobody when it has died", async () => {
    start();
    const spare = await ready();
    process.kill(spare, "SIGKILL");
    await until(() => started().length === 0);
    expect(await own()).toHaveLength(1);
    expect(t.states.map(({ state }) => state)).toEqual(["starting", "busy", "idle"]);
  });

  it("gives its memory back when nobody wants it for long", async () => {
    start({ longestMs: 2_000 });
    t.spare?.expectUse();
    await until(() => started().length > 0);
    await until(() => started().length === 0);
    expect(await own()).toHaveLength(1);
  });

  it("is not started while other work goes on, nor after the end", async () => {
    start({ quietMs: 50 });
    t.spare?.expectUse();
    t.spare?.leaveAlone();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(images()).toEqual([]);
    const spare = await ready();
    await t.spare?.dispose();
    expect(isRunning(spare)).toBe(false);
    t.spare?.expectUse();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(images()).toEqual([]);
  });

  it("is ended with a start that is given up while it takes the process", async () => {
    start();
    t.spare?.expectUse();
    const running = t.evaluate("1");
    await t.image.dispose();
    expect(await running).toMatchObject({ outcome: "interrupted" });
    await t.spare?.dispose();
    expect(images()).toEqual([]);
  });
});

it("no process stands ready where no wall can be made, and evaluations start their own", async () => {
  const t = startTestImage({ spare: {} });
  onTestFinished(() => t.dispose());
  t.spare?.expectUse();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(images()).toEqual([]);
  expect(await t.value("1 + 1")).toBe("2");
});
