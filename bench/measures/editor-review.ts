/** A review of hundreds of hunks in Neovim: what the client itself takes, beside a review of six hunks. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Editor } from "../../scripts/editors/find.ts";
import { figuresOf, newestNeovim } from "../support/nvim.ts";
import { p95Below, rowsOf, type MeasureReport } from "../support/report.ts";
import { inTurns } from "../support/rounds.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";

const ROUNDS = 5;
/** Steps and decisions in one review; less than the small one has hunks. */
const STEPS = 5;
const GOAL_MS = 30;
const SMALL = "6 hunks in 1 file";
const LARGE = "600 hunks in 100 files";
const DENSE = "600 hunks in 6 files";
interface Sample {
  readonly arrival: readonly number[];
  readonly next: readonly number[];
  readonly accepted: readonly number[];
  readonly scrolled: readonly number[];
}

export async function measureEditorReview({ rounds }: Setting): Promise<MeasureReport> {
  const editor = newestNeovim("review");
  if ("rows" in editor) return editor;
  const samples = await inTurns(
    {
      [SMALL]: () => inTemporaryFolder(async (folder) => review(editor, folder, { files: 1, hunks: 6 })),
      [LARGE]: () => inTemporaryFolder(async (folder) => review(editor, folder, { files: 100, hunks: 600 })),
      [DENSE]: () => inTemporaryFolder(async (folder) => review(editor, folder, { files: 6, hunks: 600 })),
    },
    rounds(ROUNDS),
  );
  const each = (figure: keyof Sample): Record<string, number[]> =>
    Object.fromEntries(Object.entries(samples).map(([name, list]) => [name, list.flatMap((sample) => sample[figure])]));
  const goal = { [LARGE]: p95Below(GOAL_MS, "ms"), [DENSE]: p95Below(GOAL_MS, "ms") };
  return {
    rows: [
      ...rowsOf({ measure: "the proposal arrives", unit: "ms" }, each("arrival"), SMALL),
      ...rowsOf({ measure: "next hunk", unit: "ms" }, each("next"), SMALL, goal),
      ...rowsOf({ measure: "a hunk is accepted", unit: "ms" }, each("accepted"), SMALL, goal),
      ...rowsOf({ measure: "a line is scrolled", unit: "ms" }, each("scrolled"), SMALL, goal),
    ],
    notes: [`Neovim ${editor.version}; half of the files are open. The server's time is not in these figures.`],
  };
}

function review(editor: Editor, folder: string, size: { readonly files: number; readonly hunks: number }): Sample {
  const project = path.join(folder, "project");
  mkdirSync(project);
  const lines = Math.ceil(size.hunks / size.files) * 10;
  const text = Array.from({ length: lines }, (_value, line) => `export const value${line} = 1;\n`).join("");
  for (let file = 0; file < size.files; file += 1) {
    writeFileSync(path.join(project, `file${String(file).padStart(3, "0")}.ts`), text);
  }
  return figuresOf(editor, folder, "./nvim-review.lua", { folder: project, ...size, rounds: STEPS }) as Sample;
}
