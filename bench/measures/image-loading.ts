/** A project of 500 TypeScript modules loaded: into the image, by tsx, and by Node's own stripping of types. */
import { imageMaker, valueOf } from "../support/image-host.ts";
import { writeManyModules, type ManyModules } from "../support/many-modules.ts";
import { canReadProcesses, totalCpuMs } from "../support/processes.ts";
import { ratioUpTo, rowsOf, type MeasureReport } from "../support/report.ts";
import { inTurns } from "../support/rounds.ts";
import { runnerFile, runScript, tsxCommand, type ScriptRun } from "../support/script-runs.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";

const MODULES = 500;
const ROUNDS = 8;
/** At least twice as fast. */
const GOAL_RATIO = 0.5;
const IMAGE = "the image";
const NODE = "node, stripping types";
const TSX = "tsx, nothing cached";

export function measureImageLoading({ program, rounds }: Setting): Promise<MeasureReport> {
  return inTemporaryFolder(async (folder) => {
    const project = writeManyModules(folder, MODULES);
    const startImage = await imageMaker(program);
    const runner = runnerFile(folder, project.entry);
    const tsx = tsxCommand();
    const samples = await inTurns<string, ScriptRun>(
      {
        [IMAGE]: () => loadIntoImage(startImage, project),
        [NODE]: () => runScript([process.execPath, runner], folder),
        ...("missing" in tsx
          ? {}
          : {
              [TSX]: () => runScript([...tsx.value, runner], folder, { TSX_DISABLE_CACHE: "1" }),
              "tsx, from its cache": () => runScript([...tsx.value, runner], folder, { TMPDIR: folder }),
            }),
      },
      rounds(ROUNDS),
    );
    const baseline = "missing" in tsx ? NODE : TSX;
    const goals = "missing" in tsx ? {} : { [IMAGE]: ratioUpTo(GOAL_RATIO) };
    const rows = (measure: string, figure: keyof ScriptRun): MeasureReport["rows"] => {
      const figures = Object.entries(samples).map(([name, runs]) => [name, runs.map((run) => run[figure])]);
      return rowsOf({ measure, unit: "ms" }, Object.fromEntries(figures), baseline, figure === "cpuMs" ? {} : goals);
    };
    const what = `${MODULES} modules`;
    return {
      rows: [
        ...rows(`${what}, process already up`, "importMs"),
        ...rows(`${what}, from the spawn`, "fromSpawnMs"),
        ...(canReadProcesses ? rows(`${what}, processor time`, "cpuMs") : []),
        ...("missing" in tsx ? [{ measure: what, subject: "tsx", skipped: tsx.missing }] : []),
      ],
      notes: [`The ${MODULES} modules have ${project.megabytes.toFixed(1)} MB together.`],
    };
  });
}

/** The image's processor time is its own process's and the host's, which compiles for it. */
async function loadIntoImage(
  startImage: Awaited<ReturnType<typeof imageMaker>>,
  { folder, total }: ManyModules,
): Promise<ScriptRun> {
  const before = process.cpuUsage();
  const started = performance.now();
  const image = startImage(folder);
  try {
    await valueOf(image, "0");
    const up = performance.now();
    const value = await valueOf(image, `import { total } from "./src/entry.ts"; total`);
    const ended = performance.now();
    if (value !== String(total)) throw new Error(`the image answered ${value} instead of ${total}`);
    const { user, system } = process.cpuUsage(before);
    const pid = image.status().pid ?? -1;
    const cpuMs = (canReadProcesses ? totalCpuMs(pid) : 0) + (user + system) / 1_000;
    return { fromSpawnMs: ended - started, importMs: ended - up, cpuMs };
  } finally {
    await image.dispose();
  }
}
