/** The output of several test files, each with the file's name. */
import type { TestOutcome } from "./test-run.ts";
import { plural } from "../../base/plural.ts";

export interface FilePrints {
  /** The file's name as it is shown. */
  readonly file: string;
  readonly output: string;
  readonly outcomes: readonly TestOutcome[];
  readonly problem?: string;
}

/** Longer output of files whose tests all passed is only shown in a run of the one file. */
const MOST_OF_PASSED = 1_000;

export function printedBy(runs: readonly FilePrints[], isNamed: boolean): string {
  const telling = runs.filter(({ output }) => output.trim() !== "");
  if (!isNamed) return telling.map(({ output }) => output).join("");
  const told = (of: readonly FilePrints[]): string =>
    of.map(({ file, output }) => `${file}:\n${output.trimEnd()}\n`).join("");
  const all = told(telling);
  if (all.length <= MOST_OF_PASSED) return all;
  const ill = telling.filter(
    ({ outcomes, problem }) => problem !== undefined || !outcomes.every(({ state }) => state === "passed"),
  );
  const well = telling.length - ill.length;
  const rest = `by ${plural(well, "file")} that passed: run one by its path\n`;
  return told(ill) + (well === 0 ? "" : ill.length === 0 ? rest : `and ${rest}`);
}
