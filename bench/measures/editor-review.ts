/** A review of hundreds of hunks in Neovim: what the client itself takes, beside a review of six hunks. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { findEditors } from "../../scripts/editors/find.ts";
import { p95Below, rowsOf, type MeasureReport } from "../support/report.ts";
import { inTurns } from "../support/rounds.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";

const ROUNDS = 5;
/** Steps and decisions in one review; less than the small one has hunks. */
const STEPS = 5;
const GOAL_MS = 30;
const SMALL = "6 hunks in 1 file";
const LARGE = "600 hunks in 100 files";
const CLIENT = fileURLToPath(new URL("../../client-nvim", import.meta.url));
const SCRIPT = fileURLToPath(new URL("../support/nvim-review.lua", import.meta.url));

interface Sample {
  readonly arrival: readonly number[];
  readonly next: readonly number[];
  readonly decided: readonly number[];
}

export async function measureEditorReview({ rounds }: Setting): Promise<MeasureReport> {
  const editor = findEditors(["nvim"]).at(-1);
  if (editor === undefined) {
    return {
      rows: [{ measure: "review", subject: "Neovim", skipped: "there is no Neovim; try npm run editors nvim" }],
      notes: [],
    };
  }
  const samples = await inTurns(
    {
      [SMALL]: () => inTemporaryFolder(async (folder) => review(editor.path, folder, { files: 1, hunks: 6 })),
      [LARGE]: () => inTemporaryFolder(async (folder) => review(editor.path, folder, { files: 100, hunks: 600 })),
    },
    rounds(ROUNDS),
  );
  const each = (figure: keyof Sample): Record<string, number[]> =>
    Object.fromEntries(Object.entries(samples).map(([name, list]) => [name, list.flatMap((sample) => sample[figure])]));
  const goal = { [LARGE]: p95Below(GOAL_MS, "ms") };
  return {
    rows: [
      ...rowsOf({ measure: "the proposal arrives", unit: "ms" }, each("arrival"), SMALL),
      ...rowsOf({ measure: "next hunk", unit: "ms" }, each("next"), SMALL, goal),
      ...rowsOf({ measure: "a decision is shown", unit: "ms" }, each("decided"), SMALL, goal),
    ],
    notes: [`Neovim ${editor.version}; half of the files are open. The server's time is not in these figures.`],
  };
}

function review(program: string, folder: string, size: { readonly files: number; readonly hunks: number }): Sample {
  const project = path.join(folder, "project");
  mkdirSync(project);
  const text = Array.from({ length: 100 }, (_value, line) => `export const value${line} = 1;\n`).join("");
  for (let file = 0; file < size.files; file += 1) {
    writeFileSync(path.join(project, `file${String(file).padStart(3, "0")}.ts`), text);
  }
  const result = path.join(folder, "figures.json");
  const bench = { folder: project, ...size, rounds: STEPS, result };
  const set = `lua _G.bench = vim.json.decode([==[${JSON.stringify(bench)}]==])`;
  execFileSync(
    program,
    ["--headless", "--clean", "-n", "-i", "NONE", "--cmd", `set rtp^=${CLIENT}`, "-c", set, "-c", `luafile ${SCRIPT}`],
    { cwd: project, timeout: 120_000, stdio: "ignore", env: { ...process.env, XDG_STATE_HOME: folder } },
  );
  return JSON.parse(readFileSync(result, "utf8")) as Sample;
}
