/**
 * Runs the test files for node:test as Node does, each in a process of its own: no file can see the globals or the
 * modules of another, or end its process.
 */
import { availableParallelism } from "node:os";
import { relative } from "node:path";
import { performance } from "node:perf_hooks";
import { headOf } from "../../../base/cut-text.ts";
import { printedBy } from "../printed-by-files.ts";
import { runNodeTestFile, type FileRun, type NodeTestOptions } from "./node-test-file.ts";
import type { TestPlan } from "../test-files.ts";
import { CANCELLED, OUTPUT_LIMIT, stoppedAfter, type TestRequest, type TestRun } from "../test-run.ts";
import { given } from "../../../base/given.ts";

/** A file's process has two threads, and this process has work while it starts. */
const AT_ONCE = Math.min(4, Math.max(2, availableParallelism() / 2));

export async function runNodeTests(
  options: NodeTestOptions,
  plan: TestPlan,
  request: TestRequest,
  signal: AbortSignal,
): Promise<TestRun> {
  const started = performance.now();
  const leftMs = (): number => request.timeoutMs - (performance.now() - started);
  const ran = new Map<string, FileRun>();
  const waiting = [...plan.files];
  const name = given({ name: request.name });
  const work = async (): Promise<void> => {
    while (!signal.aborted && leftMs() > 0) {
      const file = waiting.shift();
      if (file === undefined) return;
      ran.set(file, await runNodeTestFile(options, { file, ...name, timeoutMs: Math.ceil(leftMs()) }, signal));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const runs = plan.files.flatMap((file) => {
    const run = ran.get(file);
    return run === undefined ? [] : [{ file: relative(plan.root, file), ...run }];
  });
  const problem = signal.aborted ? CANCELLED : problemOf(runs, request, waiting.length > 0);
  const version = runs[0]?.nodeVersion.replace(/^v/, "") ?? "";
  return {
    runner: "node:test",
    version: `of Node ${version}`,
    outcomes: runs.flatMap(({ outcomes }) => outcomes),
    output: headOf(printedBy(runs, plan.files.length > 1), OUTPUT_LIMIT),
    durationMs: Math.round(performance.now() - started),
    ...given({ problem }),
    ...(waiting.length === 0 ? {} : { notRun: waiting }),
  };
}

interface NamedRun extends FileRun {
  /** The path relative to the project. */
  readonly file: string;
}

/**
 * A reason that ended the whole run is reported alone; the reason that ended one file's process is reported with the
 * file's name.
 */
function problemOf(runs: readonly NamedRun[], request: TestRequest, isCut: boolean): string | undefined {
  if (isCut || runs.some(({ isLate }) => isLate)) return stoppedAfter(request);
  const problems = runs.flatMap(({ file, problem }) => (problem === undefined ? [] : [`${file}: ${problem}`]));
  return problems.length === 0 ? undefined : problems.join("\n  ");
}
