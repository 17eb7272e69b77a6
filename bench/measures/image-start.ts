/** From nothing to the first value that a TypeScript module of the project gives: the image, tsx and Node itself. */
import { mkdirSync, writeFileSync } from "node:fs";
import type { ImageWall } from "../../server/src/repl/confinement/image-wall.ts";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { listFiles } from "../../server/src/composition/sandbox.ts";
import { childEnvironment } from "../../server/src/process/child-environment.ts";
import type { Image } from "../../server/src/repl/image.ts";
import { Sandbox } from "../../server/src/sandbox/sandbox.ts";
import { evaluateIn, imageMaker, valueOf, type ImageWatch } from "../support/image-host.ts";
import { runnerFile, runScript, tsxCommand, type ScriptRun } from "../support/script-runs.ts";
import { below, rowsOf, type MeasureReport } from "../support/report.ts";
import { inTurns, timed } from "../support/rounds.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";

const ROUNDS = 15;
const GOAL_MS = 150;
const READY = "the image, walled, a process standing ready";
const READY_GOAL_MS = 30;
const RESTARTED = "the same, restarted";
const RESTART_GOAL_MS = 40;
/** Within which a process stands ready. */
const READY_MS = 2_500;
const IMAGE = "the image, walled, its host running";
const { signal } = new AbortController();
const NODE = "node, stripping types";

export function measureImageStart({ program, rounds }: Setting): Promise<MeasureReport> {
  return inTemporaryFolder(async (folder) => {
    const entry = writeProject(folder);
    const startImage = await imageMaker(program);
    // The host's own code is loaded first, as the server keeps it between two images.
    const sandbox = new Sandbox({ folders: () => [folder], env: childEnvironment(), listFiles });
    const found = await sandbox.wall();
    const wall: ImageWall = { kind: "walled", raise: (wanted) => sandbox.live(wanted, signal) };
    const walled: ImageWatch = { wall: Object.assign(async () => wall, { peek: () => wall }) };
    await withImage((image) => evaluateIn(image, "1"), {});
    async function withImage<T>(work: (image: Image) => Promise<T>, watch: ImageWatch): Promise<T> {
      const image = startImage(folder, watch);
      try {
        return await work(image);
      } finally {
        await image.dispose();
      }
    }
    const first = (code: string, expected: string, watch: ImageWatch = {}): Promise<number> => {
      const evaluate = async (image: Image): Promise<void> => {
        const value = await valueOf(image, code);
        if (value !== expected) throw new Error(`the image answered ${value} instead of ${expected}`);
      };
      return withImage((image) => timed(() => evaluate(image)), watch);
    };
    /** One that stands ready is there before the clock starts. */
    const standingReady = async (
      work: (image: Image, next: () => Promise<void>) => Promise<number>,
    ): Promise<number> => {
      const spare = startImage.spare?.(folder, walled);
      const next = async (): Promise<void> => {
        spare?.expectUse();
        await sleep(READY_MS);
      };
      await next();
      const image = startImage(folder, walled, spare);
      const took = await work(image, next);
      await Promise.all([image.dispose(), spare?.dispose()]);
      return took;
    };
    const restarted = async (image: Image, next: () => Promise<void>): Promise<number> => {
      await evaluateIn(image, "1");
      await next();
      return timed(() => image.restart());
    };
    const imported = `import { answer } from "./src/answer.ts"; answer`;
    const script = (command: readonly string[]): Promise<number> =>
      runScript(command, folder).then(({ fromSpawnMs }: ScriptRun) => fromSpawnMs);
    const runner = runnerFile(folder, entry);
    const tsx = tsxCommand();
    const samples = await inTurns<string, number>(
      {
        ...(found.kind === "walled" ? { [IMAGE]: () => first(imported, "42", walled) } : {}),
        ...(found.kind === "walled" && startImage.spare !== undefined
          ? {
              [READY]: () => standingReady((image) => timed(() => valueOf(image, imported))),
              [RESTARTED]: () => standingReady(restarted),
            }
          : {}),
        "the image, limited by Node's permissions": () => first(imported, "42"),
        "the image, open": () => first(imported, "42", { confinement: "open" }),
        "the image, limited, 1+1 instead": () => first("1+1", "2"),
        [NODE]: () => script([process.execPath, runner]),
        ...("value" in tsx ? { tsx: () => script([...tsx.value, runner]) } : {}),
      },
      rounds(ROUNDS),
    );
    const measure = "first value from a TypeScript module";
    const rows = rowsOf({ measure, unit: "ms" }, samples, NODE, {
      [IMAGE]: below(GOAL_MS, "ms"),
      [READY]: below(READY_GOAL_MS, "ms"),
      [RESTARTED]: below(RESTART_GOAL_MS, "ms"),
    });
    await sandbox.dispose();
    return {
      rows: [...rows, ...("value" in tsx ? [] : [{ measure, subject: "tsx", skipped: tsx.missing }])],
      notes: [],
    };
  });
}

function writeProject(folder: string): string {
  mkdirSync(path.join(folder, "src"));
  writeFileSync(path.join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  const entry = path.join(folder, "src/answer.ts");
  writeFileSync(
    entry,
    'interface Known {\n  readonly value: number;\n}\n\nexport const answer: Known["value"] = 42;\n',
  );
  return entry;
}
