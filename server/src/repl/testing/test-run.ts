/** What running tests answers. Positions are 1-based lines and columns of the file as it is written. */
export interface TestRequest {
  /** Absolute paths of test files, and of folders with test files; without them, every test file of the project. */
  readonly files?: readonly string[];
  /** Laid over the open buffers and the disk while the tests run. */
  readonly texts?: LaidTexts;
  /** A regular expression over full test names. */
  readonly name?: string;
  readonly timeoutMs: number;
}

/** Texts that are in no file, by absolute path; null for a file that is to be absent. */
export type LaidTexts = ReadonlyMap<string, string | null>;

/** `script` is the script `test` of `package.json`, of which nothing but exit code and text is known. */
export type TestRunner = "vitest" | "node:test" | "jest" | "mocha" | "ava" | "script";

export interface TestPlace {
  /** Absolute path. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface TestFailure {
  /** The error's; `Thrown` for a value that is no error. */
  readonly name: string;
  readonly message: string;
  readonly diff?: string;
  /** Where the error was thrown, in the project's own files. */
  readonly place?: TestPlace;
  /** Its `cause`, or the errors that it collects. */
  readonly causes?: readonly TestFailure[];
}

export interface TestOutcome {
  readonly file: string;
  /** Titles from the outermost suite inwards. Empty for what failed outside any test, such as a file that did not load. */
  readonly titles: readonly string[];
  readonly state: "passed" | "failed" | "skipped" | "todo" | "unfinished";
  readonly durationMs?: number;
  readonly place?: TestPlace;
  readonly failures: readonly TestFailure[];
}

export interface TestRun {
  readonly runner: TestRunner;
  /** As the runner names it. */
  readonly version: string;
  readonly outcomes: readonly TestOutcome[];
  /** Why the run ended before its end, or never began. */
  readonly problem?: string;
  /** Absolute paths of the files that were to run and were not begun. */
  readonly notRun?: readonly string[];
  /** The beginning of what the tests printed. */
  readonly output: string;
  readonly durationMs: number;
  /** The exit code of a runner that tells no outcomes. */
  readonly exitCode?: number;
  /** The package in which it ran, from the project's folder; none where there is no other. */
  readonly where?: string;
  /** Absolute paths of files that git does not ignore and that the tests changed in their copy of the project. */
  readonly written?: readonly string[];
}

export const OUTPUT_LIMIT = 4000;
export const NOT_INSTALLED =
  "is not installed; the project's packages have to be installed first, by `npm install` for one";
export const CANCELLED = "it was cancelled";

export function stoppedAfter({ timeoutMs }: TestRequest): string {
  return `stopped after ${timeoutMs / 1000} s`;
}
