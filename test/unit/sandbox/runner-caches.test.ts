/** Caches of test runners: warm for the next run, never the person's own, and nothing of proposed text stays in them. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { layerRooms } from "../../../server/src/sandbox/layer-rooms.ts";
import { RunnerCaches } from "../../../server/src/sandbox/runner-caches.ts";
import { installedRunners } from "../../support/runners.ts";
import { describeEachWall, startWall, type TestWall } from "../../support/wall.ts";

const JEST = `jest_${(process.getuid?.() ?? 0).toString(36)}`;

describeEachWall("the caches of test runners", (only) => {
  let wall: TestWall;
  beforeEach(() => (wall = startWall({ "a.txt": "a\n" }, {}, only)));
  afterEach(() => wall.dispose());

  /** What a script of the shell printed in a room of its own, with proposed text in it or without. */
  async function sh(script: string, { proposed = false, needed = [] as readonly string[] } = {}): Promise<string> {
    const options = { sandbox: wall.sandbox, needed, unsaved: async () => new Map<string, string>() };
    const texts = new Map(proposed ? [[join(wall.root, "a.txt"), "proposed\n"]] : []);
    let text = "";
    await layerRooms({ ...options, ignored: async () => new Set<string>() })(texts, async (room) => {
      const hear = (_: string, chunk: Buffer): void => void (text += chunk.toString("utf8"));
      const program = { command: ["sh", "-c", script], folder: wall.root } as const;
      await room.run(program, hear, AbortSignal.timeout(20_000));
    });
    return text;
  }

  it("keep what a run left there, and nothing else of /tmp", async () => {
    await sh(`echo kept > /tmp/${JEST}/map; echo gone > /tmp/other`);
    expect(await sh(`cat /tmp/${JEST}/map; ls /tmp/other`)).toMatch(/^kept\nls: .*No such file/);
  });

  it("are seen by a run of proposed text, whose changes of them are dropped", async () => {
    await sh(`echo ours > /tmp/${JEST}/map`);
    const change = `cat /tmp/${JEST}/map a.txt; echo forged > /tmp/${JEST}/map; echo more > /tmp/${JEST}/more; cat /tmp/${JEST}/map`;
    expect(await sh(change, { proposed: true })).toBe("ours\nproposed\nforged\n");
    expect(await sh(`cat /tmp/${JEST}/*`)).toBe("ours\n");
  });

  it("are neither the person's own nor there for a command", async () => {
    const own = join(tmpdir(), JEST, "agentq-probe");
    mkdirSync(dirname(own), { recursive: true });
    writeFileSync(own, "the person's\n");
    try {
      expect(await sh(`ls /tmp/${JEST}; echo in > /tmp/${JEST}/agentq-new`)).toBe("");
      expect(existsSync(join(tmpdir(), JEST, "agentq-new"))).toBe(false);
      expect((await wall.sh("ls /tmp")).text).not.toContain(JEST);
    } finally {
      rmSync(own);
    }
  });

  it("stand where jest keeps its own", async () => {
    const jest = join(installedRunners(), "node_modules/jest/bin/jest.js");
    const needed = [join(installedRunners(), "node_modules")];
    writeFileSync(join(wall.root, "package.json"), "{}");
    expect(await sh(`'${process.execPath}' '${jest}' --showConfig`, { needed })).toContain(`"/tmp/${JEST}"`);
  }, 180_000);

  it("go with the server", async () => {
    await sh(`touch /tmp/${JEST}/map`);
    const [mount] = await wall.sandbox.caches.mounts(wall.layer, { isShared: true });
    const folder = mount !== undefined && "from" in mount ? mount.from : "";
    expect(existsSync(join(folder, "map"))).toBe(true);
    await wall.sandbox.dispose();
    expect(existsSync(folder)).toBe(false);
  });
});

describe("caches that grow too large", () => {
  it.each([
    [
      "in bytes",
      { bytes: 1_000, files: 100 },
      (folder: string) => writeFileSync(join(folder, "big"), "x".repeat(2_000)),
    ],
    [
      "in files",
      { bytes: 1_000, files: 10 },
      (folder: string) => Array.from({ length: 20 }, (_, index) => writeFileSync(join(folder, String(index)), "")),
    ],
  ])("%s begin anew", async (_, most, grow) => {
    const caches = new RunnerCaches(most);
    const from = async (): Promise<string> => {
      const [mount] = await caches.mounts({ copyOf: (folder) => folder }, { isShared: true });
      return mount !== undefined && "from" in mount ? mount.from : "";
    };
    const first = await from();
    writeFileSync(join(first, "small"), "x");
    await caches.lookAfter();
    expect(await from()).toBe(first);
    grow(first);
    void caches.lookAfter();
    expect(await from()).not.toBe(first);
    expect(existsSync(first)).toBe(false);
    await caches.dispose();
  });
});
