/** A reporter for jest. It reports each event at once. */
import { stripVTControlCharacters } from "node:util";
import type { TestFailure, TestOutcome } from "../../testing/test-run.ts";
import { LateEnd } from "./late-end.ts";
import { tell } from "./tell-events.ts";
import { failureOf } from "./test-failures.ts";

interface TestFile {
  readonly path: string;
}
interface CaseStart {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
}
interface CaseResult extends CaseStart {
  readonly status: string;
  readonly duration?: number | null;
  readonly failureMessages?: readonly string[];
  readonly location?: { readonly line: number; readonly column: number } | null;
}
interface FileResult {
  readonly testResults: readonly CaseResult[];
  readonly testExecError?: { readonly message?: string; readonly stack?: string } | null;
  readonly failureMessage?: string | null;
  readonly console?: readonly { readonly message: string }[] | null;
}

const STATES: Readonly<Record<string, TestOutcome["state"]>> = { passed: "passed", failed: "failed", todo: "todo" };
const STACK = /\n\s+at [^]*$/;

/** The methods that jest 26 to 30 call. */
export class JestReporter {
  onTestStart({ path }: TestFile): void {
    tell({ opens: path });
  }

  onTestCaseStart({ path }: TestFile, { ancestorTitles, title }: CaseStart): void {
    tell({ begins: { file: path, titles: [...ancestorTitles, title] } });
  }

  /** The outcome of one try. It is used when the file is stopped before its end. */
  onTestCaseResult({ path }: TestFile, result: CaseResult): void {
    tell({ ends: outcomeOf(path, result) });
  }

  /** The final outcomes: a test may be tried again, and may fail after its own end. */
  onTestResult({ path }: TestFile, { testResults, testExecError, failureMessage, console }: FileResult): void {
    const outcomes = testResults.map((result) => outcomeOf(path, result));
    if (testExecError !== undefined && testExecError !== null) {
      const text = failureMessage ?? testExecError.stack ?? testExecError.message ?? "";
      const failure = failureIn(withoutAdvice(text));
      outcomes.push({ file: path, titles: [], state: "failed", failures: [failure] });
    }
    for (const { message } of console ?? []) tell({ prints: `${message}\n`, file: path });
    tell({ closes: path, outcomes });
  }

  onRunComplete(): void {
    new LateEnd("").begin();
  }
}

/** Removes jest's long advice on configuration from the error of a file that cannot be parsed. */
function withoutAdvice(text: string): string {
  const plain = stripVTControlCharacters(text).replace(/^[^]*?Test suite failed to run\s*/, "");
  return plain.replace(/^\s*Jest encountered an unexpected token[^]*?Details:\s*/, "").replaceAll(/^ {4}/gm, "");
}

function outcomeOf(file: string, { ancestorTitles, title, ...result }: CaseResult): TestOutcome {
  const { status, duration, failureMessages = [], location } = result;
  return {
    file,
    titles: [...ancestorTitles, title],
    state: STATES[status] ?? "skipped",
    ...(typeof duration === "number" ? { durationMs: duration } : {}),
    ...(location ? { place: { file, ...location } } : {}),
    failures: failureMessages.map(failureIn),
  };
}

/** Jest gives a failure as a text: the error's name and message, then the stack. */
function failureIn(text: string): TestFailure {
  const plain = stripVTControlCharacters(text);
  const head = plain.replace(STACK, "").trim();
  const [, name = "Error", message = head] = /^(\w*Error): ([^]*)$/.exec(head) ?? [];
  return failureOf({ name, message, stack: plain });
}
