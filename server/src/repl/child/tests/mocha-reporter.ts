/** A reporter for mocha. It reports each event at once. */
import { inspect } from "node:util";
import type { TestFailure, TestOutcome } from "../../testing/test-run.ts";
import { LateEnd } from "./late-end.ts";
import { tell } from "./tell-events.ts";
import { failureOf, type ThrownInTest } from "./test-failures.ts";

interface Runnable {
  readonly title: string;
  readonly file?: string;
  readonly duration?: number;
  readonly parent?: Suite;
  /** For a hook: the test for which it ran. */
  readonly ctx?: { readonly currentTest?: Runnable };
  titlePath(): string[];
}
interface Suite {
  readonly file?: string;
  eachTest(use: (test: Runnable) => void): void;
}
interface Runner {
  readonly suite: Suite;
  on(event: "test" | "pass" | "pending", listener: (test: Runnable) => void): unknown;
  on(event: "fail", listener: (test: Runnable, error: unknown) => void): unknown;
  on(event: "start" | "end", listener: () => void): unknown;
}

export class MochaReporter {
  #file: string | undefined;

  constructor(runner: Runner) {
    runner.on("start", () => tell({ planned: filesOf(runner.suite) }));
    runner.on("test", (test) => {
      this.#enter(test);
      tell({ begins: { file: test.file ?? "", titles: test.titlePath() } });
    });
    runner.on("pass", (test) => this.#ends(test, "passed"));
    runner.on("pending", (test) => this.#ends(test, "skipped"));
    runner.on("fail", (test, error) => {
      this.#ends(test, "failed", [failureFrom(error)]);
      // A test whose hook failed does not run.
      const waiting = test.ctx?.currentTest;
      if (waiting !== undefined && waiting !== test) {
        tell({ passesOver: { file: fileOf(waiting), titles: waiting.titlePath() } });
      }
    });
    runner.on("end", () => {
      this.#enter(undefined);
      new LateEnd("").begin();
    });
  }

  #ends(test: Runnable, state: TestOutcome["state"], failures: readonly TestFailure[] = []): void {
    this.#enter(test);
    const duration = test.duration === undefined ? {} : { durationMs: test.duration };
    tell({ ends: { file: fileOf(test), titles: test.titlePath(), state, ...duration, failures } });
  }

  #enter(test: Runnable | undefined): void {
    const file = test === undefined ? undefined : fileOf(test);
    if (file === this.#file) return;
    if (this.#file !== undefined) tell({ closes: this.#file });
    if (file !== undefined) tell({ opens: file });
    this.#file = file;
  }
}

/** A hook belongs to the file of its suite. */
function fileOf({ file, parent }: Runnable): string {
  return file ?? parent?.file ?? "";
}

function filesOf(suite: Suite): string[] {
  const files = new Set<string>();
  suite.eachTest(({ file }) => files.add(file ?? ""));
  return [...files];
}

/** Assertion libraries shorten values in their messages, so a diff of the values is added. */
function failureFrom(thrown: unknown): TestFailure {
  if (!(thrown instanceof Error)) return failureOf(thrown);
  const { name, message, stack, cause } = thrown;
  const { actual, expected } = thrown as ThrownInTest;
  const isCompared = typeof actual === "object" && actual !== null && typeof expected === "object";
  const diff = isCompared && !message.includes("\n") ? { diff: difference(expected, actual) } : {};
  return failureOf({ name, message, cause, ...diff, ...(stack === undefined ? {} : { stack }) });
}

function difference(expected: unknown, actual: unknown): string {
  const lines = (value: unknown): string[] => inspect(value, { depth: 5, compact: false, sorted: true }).split("\n");
  const [wanted, found] = [lines(expected), lines(actual)];
  return [
    "- Expected",
    "+ Received",
    "",
    ...wanted.filter((line) => !found.includes(line)).map((line) => `- ${line}`),
    ...found.filter((line) => !wanted.includes(line)).map((line) => `+ ${line}`),
  ].join("\n");
}
