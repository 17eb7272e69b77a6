import type { Reporter, TestModule } from "vitest/node";
import { processorSeconds } from "../test/support/processor-seconds.ts";

const DEAREST = 10;
/** A file that takes longer says why in its head (CONTRIBUTING.md). */
const DEAR_SECONDS = 15;

interface Cost {
  files: number;
  tests: number;
  seconds: number;
}

/** What the tests cost in processor seconds, by folder and by file. */
export class CostReporter implements Reporter {
  #files: (Cost & { readonly path: string })[] = [];

  onTestRunEnd(modules: readonly TestModule[]): void {
    this.#files = modules.flatMap((module) => {
      const seconds = module.meta().processorSeconds;
      if (seconds === undefined) return [];
      return [{ path: module.relativeModuleId, files: 1, tests: [...module.children.allTests()].length, seconds }];
    });
  }

  /** The lines to print after the run; none where the system does not tell. */
  describe(): string {
    if (this.#files.length === 0) return "";
    const folders = Map.groupBy(this.#files, ({ path }) => folderOf(path));
    const byFolder = [...folders].map(([path, files]) => ({ path, ...sumOf(files) }));
    return [
      "",
      `Processor seconds: ${processorSeconds()?.toFixed(0)} in all, and of the tests`,
      ...byFolder.toSorted(dearestFirst).map(lineOf),
      `The dearest files (above ${DEAR_SECONDS} s the head of a file says why):`,
      ...this.#files.toSorted(dearestFirst).slice(0, DEAREST).map(lineOf),
      "",
    ].join("\n");
  }
}

/** Of `test/unit/repl/forms/x.test.ts`: `test/unit/repl`. */
function folderOf(path: string): string {
  const folders = path.split("/").slice(0, -1);
  return folders.slice(0, folders[1] === "unit" ? 3 : 2).join("/");
}

function sumOf(files: readonly Cost[]): Cost {
  const sum = { files: 0, tests: 0, seconds: 0 };
  for (const { tests, seconds } of files) {
    sum.files += 1;
    sum.tests += tests;
    sum.seconds += seconds;
  }
  return sum;
}

const dearestFirst = (one: Cost, other: Cost): number => other.seconds - one.seconds;

function lineOf({ path, files, tests, seconds }: Cost & { readonly path: string }): string {
  const count = files === 1 ? `${tests} tests` : `${tests} tests in ${files} files`;
  return `${seconds.toFixed(1).padStart(8)}  ${path} (${count}, ${(seconds / Math.max(1, tests)).toFixed(2)} s each)`;
}
