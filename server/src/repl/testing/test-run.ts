/** The request and the answer of a run of tests. Positions are 1-based lines and columns of the source file. */
export interface TestRequest {
  /** Absolute paths of test files, and of folders with test files; without them, all test files of the project. */
  readonly files?: readonly string[];
  /** Texts that replace those of open buffers and of the disk during the run. */
  readonly texts?: LaidTexts;
  /** A regular expression over full test names. */
  readonly name?: string;
  readonly timeoutMs: number;
}

/** Unsaved texts by absolute path; null for a file that is to be absent. */
export type LaidTexts = ReadonlyMap<string, string | null>;

/** `script` is the script `test` of `package.json`: only its exit code and its output are known. */
export type TestRunner = "vitest" | "node:test" | "jest" | "mocha" | "ava" | "script";

export interface TestPlace {
  /** Absolute path. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface TestFailure {
  /** The error's name; `Thrown` for a value that is no error. */
  readonly name: string;
  readonly message: string;
  readonly diff?: string;
  /** The place in the project's own files where the error was thrown. */
  readonly place?: TestPlace;
  /** The error's `cause`, or the errors of an AggregateError. */
  readonly causes?: readonly TestFailure[];
}

export interface TestOutcome {
  readonly file: string;
  /**
   * Titles from the outermost suite inwards. Empty for a failure outside of any test, for instance in a file that did
   * not load.
   */
  readonly titles: readonly string[];
  readonly state: "passed" | "failed" | "skipped" | "todo" | "unfinished";
  readonly durationMs?: number;
  readonly place?: TestPlace;
  readonly failures: readonly TestFailure[];
}

export interface TestRun {
  readonly runner: TestRunner;
  /** The version as the runner names it. */
  readonly version: string;
  readonly outcomes: readonly TestOutcome[];
  /** The reason why the run stopped early, or did not begin. */
  readonly problem?: string;
  /** Absolute paths of files of the run that were not begun. */
  readonly notRun?: readonly string[];
  /** The beginning of the tests' output. */
  readonly output: string;
  readonly durationMs: number;
  /** Present for a runner that reports no outcomes. */
  readonly exitCode?: number;
  /** The package in which the tests ran, relative to the project's folder; absent when there is only one. */
  readonly where?: string;
  /** Absolute paths of files that the tests changed in their copy of the project and that git does not ignore. */
  readonly written?: readonly string[];
}

export const OUTPUT_LIMIT = 4000;
export const NOT_INSTALLED =
  "is not installed; the project's packages have to be installed first, by `npm install` for one";
export const CANCELLED = "it was cancelled";

export function stoppedAfter({ timeoutMs }: TestRequest): string {
  return `stopped after ${timeoutMs / 1000} s`;
}
