/** What a layer costs: over a small project and a large one, and what came of a command that changed a thousand files. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { listFiles } from "../../server/src/composition/sandbox.ts";
import { childEnvironment } from "../../server/src/process/child-environment.ts";
import { layerChanges, Sandbox, type Layer } from "../../server/src/sandbox/sandbox.ts";
import { below, rowsOf, type MeasureReport, type Row, type SkippedRow } from "../support/report.ts";
import { inTurns, timed } from "../support/rounds.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";

const ROUNDS = 15;
const [SMALL, LARGE, CHANGED] = [20, 20_000, 1_000];
const { signal } = new AbortController();

export async function measureCommands(setting: Setting): Promise<MeasureReport> {
  const rows = await inTemporaryFolder(async (folder) => {
    const [small, large] = [path.join(folder, "small"), path.join(folder, "large")];
    writeProject(small, SMALL);
    writeProject(large, LARGE);
    const wall = await sandboxOver(small).wall();
    if (wall.kind === "none") return [{ measure: "layer of a command", subject: "all", skipped: wall.reason }];
    return [...(await setUp(small, large, setting)), ...(await collecting(large, setting))];
  });
  return { rows, notes: [] };
}

function writeProject(folder: string, count: number): void {
  for (let index = 0; index < count; index += 1) {
    const place = path.join(folder, "src", `part${index % 200}`);
    if (index < 200) mkdirSync(place, { recursive: true });
    writeFileSync(path.join(place, `file${index}.ts`), `export const value${index} = ${index};\n`.repeat(20));
  }
  execFileSync("git", ["init", "-q"], { cwd: folder });
  execFileSync("git", ["add", "."], { cwd: folder });
}

function sandboxOver(folder: string): Sandbox {
  return new Sandbox({ folders: () => [folder], env: childEnvironment(), listFiles });
}

async function run(sandbox: Sandbox, folder: string, script: string, layer = sandbox.open()): Promise<Layer> {
  const command = ["sh", "-c", script] as const;
  const end = await sandbox.run({ layer, folder, command, onOutput: () => undefined, signal });
  if (end.kind !== "ended" || end.code !== 0) throw new Error(JSON.stringify(end));
  return layer;
}

async function setUp(small: string, large: string, { rounds }: Setting): Promise<(Row | SkippedRow)[]> {
  const [few, many] = [sandboxOver(small), sandboxOver(large)];
  const whole = (sandbox: Sandbox, folder: string) => async (): Promise<number> =>
    timed(async () => sandbox.drop(await run(sandbox, folder, "true")));
  const samples = await inTurns(
    {
      [`${SMALL} files`]: whole(few, small),
      [`${LARGE} files`]: whole(many, large),
      [`listing ${LARGE} files alone`]: () => timed(() => listFiles(large, signal)),
    },
    rounds(ROUNDS),
  );
  return rowsOf({ measure: "`true` in a layer, from its set-up to its end", unit: "ms" }, samples, `${SMALL} files`, {
    [`${LARGE} files`]: below(50, "ms"),
  });
}

async function collecting(large: string, { rounds }: Setting): Promise<Row[]> {
  const sandbox = sandboxOver(large);
  const layer = await run(sandbox, large, `find src -name '*.ts' | head -${CHANGED} | xargs sed -i 1d`);
  const [root] = layer.roots;
  if (root === undefined) throw new Error("a layer without folders");
  const collect = async (): Promise<void> => {
    const { length } = await layerChanges(root, { isSkipped: () => false, signal });
    if (length !== CHANGED) throw new Error(`${length} changes in place of ${CHANGED}`);
  };
  // The same changes in git's eyes, which looks at every file of the project.
  const copy = `${large}-changed`;
  execFileSync("cp", ["-a", large, copy]);
  execFileSync("cp", ["-a", `${root.upper}/.`, copy]);
  const git = (): void => void execFileSync("git", ["diff", "--name-only", "--no-ext-diff"], { cwd: copy });
  const samples = await inTurns(
    {
      "git diff": () =>
        timed(async () => {
          git();
        }),
      "the layer's changes": () => timed(collect),
    },
    rounds(ROUNDS),
  );
  await sandbox.drop(layer);
  return rowsOf({ measure: `what changed, ${CHANGED} of ${LARGE} files`, unit: "ms" }, samples, "git diff");
}
