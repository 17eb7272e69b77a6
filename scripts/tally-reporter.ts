import type { Reporter, SerializedError, TestCase, TestModule } from "vitest/node";

/** What the run of all checks comes to: the tests that vitest reports, and the checks before them. */
export class TallyReporter implements Reporter {
  #passed = 0;
  #failed = 0;
  #skipped = 0;
  /** What failed, and what was skipped. */
  readonly #notes: string[] = [];
  /** How many checks had failed before vitest's report; undefined until that report is there. */
  #failedBefore: number | undefined;

  /** Counts a check that is one program with an exit status. */
  check(name: string, status: number): void {
    if (status === 0) this.#passed += 1;
    else this.#fail(name);
  }

  /** Counts programs the tests need and this machine cannot provide: skipped by hand, failed in CI. */
  missing(programs: readonly { name: string; reason: string }[], isCi: boolean): void {
    for (const { name, reason } of programs) {
      const note = `${name} is missing: ${reason}`;
      if (isCi) this.#fail(note);
      else this.#skip(note);
    }
  }

  /**
   * A file that did not load, a crash and an empty run each count as a failure, because none of them shows up among
   * the tests.
   */
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    this.#failedBefore = this.#failed;
    for (const module of modules) this.#countModule(module);
    if (this.#failed > this.#failedBefore) return;
    if (errors.length > 0) this.#fail(`vitest reports an error outside any test: ${errors[0]?.message}`);
    else if (modules.every((module) => module.children.size === 0)) this.#fail("no test ran");
  }

  /** The lines to end with, given the exit status of vitest; the last one is the count alone. */
  describe(status: number): string {
    if (this.#failedBefore === undefined) this.#fail(`vitest ended without a report (exit ${status})`);
    else if (status !== 0 && this.#failed === this.#failedBefore)
      this.#fail(`vitest reports an error outside any test (exit ${status})`);
    const count = `${this.#passed} passed, ${this.#failed} failed, ${this.#skipped} skipped`;
    return `${["", ...this.#notes, count].join("\n")}\n`;
  }

  get exitCode(): number {
    return this.#failed > 0 || this.#passed === 0 ? 1 : 0;
  }

  #countModule(module: TestModule): void {
    const before = this.#failed;
    for (const test of module.children.allTests()) this.#countTest(test);
    if (module.state() !== "passed" && module.state() !== "skipped" && this.#failed === before)
      this.#fail(`${module.relativeModuleId}: ${module.errors()[0]?.message ?? "did not load"}`);
  }

  #countTest(test: TestCase): void {
    const { state } = test.result();
    if (state === "passed") this.#passed += 1;
    else if (state === "failed") this.#fail(describeFailure(test));
    else this.#skip(titleOf(test));
  }

  #skip(note: string): void {
    this.#skipped += 1;
    this.#notes.push(`Skipped: ${note}`);
  }

  #fail(note: string): void {
    this.#failed += 1;
    this.#notes.push(`Failed: ${note}`);
  }
}

/** Where only the end of a run's output is kept, this line tells which test failed, and of what. */
function describeFailure(test: TestCase): string {
  const [error] = test.result().errors ?? [];
  const why = (error?.message ?? "").split("\n", 1)[0]?.slice(0, 200);
  return `${test.module.relativeModuleId}: ${titleOf(test)}: ${why}`;
}

/** The title of a test after those of the suites it stands in. */
function titleOf(test: TestCase): string {
  const titles = [test.name];
  for (let suite = test.parent; suite.type === "suite"; suite = suite.parent) titles.unshift(suite.name);
  return titles.join(" ");
}
