/** Whatever ends at whatever moment: nothing real has changed, nothing goes on, and the next server finds a clean house. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { sweepLayers } from "../../../server/src/sandbox/layer/layer.ts";
import { STAGED, sweepStaged } from "../../../server/src/process/staged-names.ts";
import { times } from "../../support/fuzz.ts";
import { describeEachWall, treeOf, walledPath } from "../../support/wall.ts";

const program = fileURLToPath(new URL("../../support/killed-server.ts", import.meta.url));
const MOMENTS = times(2);

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "agentq-power-cut-")));
  writeFileSync(join(root, "a.txt"), "one\n");
  writeFileSync(join(root, "typed.txt"), "saved\n");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function begin(...args: readonly string[]): Promise<ChildProcess> {
  const env = { ...process.env, PATH: walledPath() };
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
  if (child.stdout !== null) await once(child.stdout, "data");
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
  child.kill("SIGKILL");
  await ended;
}

function commandLines(): Map<number, string> {
  const all = new Map<number, string>();
  for (const name of readdirSync("/proc").filter((each) => /^\d+$/.test(each))) {
    try {
      all.set(Number(name), readFileSync(`/proc/${name}/cmdline`, "utf8"));
    } catch {
      // It ended.
    }
  }
  return all;
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}

/** Every process that a process started, directly or through others. */
function startedBy(pid: number): number[] {
  const own = [...commandLines().keys()].filter((each) => parentOf(each) === pid);
  return [...own, ...own.flatMap(startedBy)];
}

function runs(marks: readonly string[]): boolean {
  return [...commandLines().values()].some((line) => marks.some((mark) => line.includes(mark)));
}

/** Each goes on until it is killed, with a child that left its group. The mark tells the children of one moment from those of others. */
const PROGRAMS = {
  run: (mark: string) =>
    `(setsid sleep ${mark} &); i=0; while [ $i -lt 200 ]; do echo x > f$i; echo y >> a.txt; i=$((i+1)); done; sleep ${mark}`,
  evaluate: (mark: string) =>
    `require("node:child_process").spawn("sleep", ["${mark}"], { detached: true }); require("node:fs").writeFileSync(require("node:os").tmpdir() + "/x", "x"); await new Promise(() => {})`,
};

describeEachWall("what happens behind a wall whose server, wall or set-up is killed", ({ only = "" }) => {
  it.each([
    // The last moment is later than a program takes to begin.
    ["a command", "run", 150],
    ["a form", "evaluate", 1200],
  ] as const)(
    "leaves of %s no process, mount or folder that the next start does not clean, and no changed file",
    async (_, mode, latestMs) => {
      const before = treeOf(root);
      for (let moment = 0; moment < MOMENTS; moment += 1) {
        const mark = `300.${process.pid}${moment}`;
        const server = await begin(mode, root, PROGRAMS[mode](mark), only);
        // Some moments come when the program runs for certain, however busy the machine is.
        if (moment % 4 === 1) await vi.waitUntil(() => runs([`sleep\0${mark}`]), { timeout: 30_000, interval: 50 });
        else await pause(Math.random() * latestMs);
        const started = startedBy(server.pid ?? 0);
        const victim = moment % 3 === 0 ? started[Math.floor(Math.random() * started.length)] : undefined;
        if (victim !== undefined) {
          const said = server.stdout === null ? [] : once(server.stdout, "data");
          try {
            process.kill(victim, "SIGKILL");
          } catch {
            // It ended by itself.
          }
          // Whatever is left of the run ends soon: the server waits for no one.
          await Promise.race([said, pause(3_000)]);
        }
        await killed(server);
        const left = [mark, `agentq-layer-${server.pid}-`];
        await vi.waitUntil(() => !runs(left), { timeout: 60_000, interval: 50 });
        await sweepLayers();
        expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`agentq-layer-${server.pid}-`))).toEqual([]);
        expect(readFileSync("/proc/self/mountinfo", "utf8")).not.toContain("agentq-layer-");
        expect(treeOf(root)).toEqual(before);
      }
    },
    400_000,
  );
});

it.runIf(process.platform === "linux")(
  "an entry whose server is killed is there as it was, or as it is to be",
  async () => {
    mkdirSync(join(root, "deep"));
    for (let moment = 0; moment < MOMENTS; moment += 1) {
      writeFileSync(join(root, "deep/file"), Buffer.alloc(2 ** 20, "a"), { mode: 0o644 });
      const server = await begin("put", root);
      await pause(Math.random() * 40);
      await killed(server);
      const now = readFileSync(join(root, "deep/file"));
      expect([now.length, new Set(now).size]).toEqual([2 ** 20, 1]);
      await sweepStaged([root]);
      expect(readdirSync(root).filter((name) => name.startsWith(STAGED))).toEqual([]);
    }
  },
  400_000,
);
