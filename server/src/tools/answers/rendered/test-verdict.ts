/** What runs of tests come to: counts, and each failure with its place. */
import { pathToFileURL } from "node:url";
import { shortened } from "../../../base/cut-text.ts";
import type { FailedTest, TestVerdict } from "../../../protocol/proposal-shapes.ts";
import type { TestOutcome, TestPlace, TestRun } from "../../../repl/testing/test-run.ts";
import { given } from "../../../base/given.ts";
import { plural } from "../../../base/plural.ts";

const MAX_MESSAGE = 1_000;
const MAX_FAILURES = 200;
const SHOWN_FAILURES = 5;
const MAX_LINE = 200;

/** `leftOut` are test files that were not run because there are too many. */
export function verdictOf(runs: readonly TestRun[], leftOut: number): TestVerdict {
  const outcomes = runs.flatMap((run) => run.outcomes);
  const problems = runs.flatMap(({ problem }) => problem ?? []);
  if (outcomes.length === 0) return unavailable(problems[0] ?? "No test ran.");
  const failed = outcomes.filter(({ state }) => state === "failed" || state === "unfinished");
  const notRun = runs.flatMap((run) => run.notRun ?? []).length + leftOut;
  const left = notRun === 0 ? [] : [`${plural(notRun, "more test file")} ${notRun === 1 ? "was" : "were"} not run`];
  const reasons = [...problems, ...left];
  return {
    state: "done",
    passed: outcomes.filter(({ state }) => state === "passed").length,
    failed: failed.length,
    skipped: outcomes.filter(({ state }) => state === "skipped" || state === "todo").length,
    failures: failed.slice(0, MAX_FAILURES).map(failedTest),
    files: [...new Set(outcomes.map(({ file }) => pathToFileURL(file).href))],
    ...given({ reason: reasons.length === 0 ? undefined : `${reasons.join("; ")}.` }),
  };
}

export function unavailable(reason: string): TestVerdict {
  return { state: "unavailable", passed: 0, failed: 0, skipped: 0, failures: [], files: [], reason };
}

/** `16 of 16 tests pass (2 files)`, and the first failures; for the model. */
export function describeVerdict(verdict: TestVerdict, showUri: (uri: string) => string): string[] {
  const { state, passed, failed, failures, files, reason } = verdict;
  if (state !== "done") return [`no test was run: ${reason ?? "nobody knows why"}`];
  const shown = failures.slice(0, SHOWN_FAILURES).map(({ name, uri, range, message }) => {
    const line = range === undefined ? "" : `:${range.start.line + 1}`;
    return `  ${showUri(uri)}${line} ${name}: ${shortened(message.split("\n")[0] ?? "", MAX_LINE)}`;
  });
  const more = failed > shown.length ? [`  … ${failed - shown.length} more`] : [];
  const note = reason === undefined ? "" : `; ${reason.replace(/\.$/, "")}`;
  const head = `${passed} of ${passed + failed} tests pass (${plural(files.length, "file")}${note})`;
  return [failed === 0 ? `${head}.` : `${head}, ${plural(failed, "fails", "fail")}:`, ...shown, ...more];
}

function failedTest({ file, titles, place, failures, state }: TestOutcome): FailedTest {
  const [first] = failures;
  const own = failures.find((failure) => failure.place?.file === file)?.place ?? place;
  const message = first === undefined ? undefined : `${first.name}: ${first.message}`;
  const names = titles.filter((title) => title !== file);
  return {
    name: names.length === 0 ? "(outside of any test)" : names.join(" > "),
    uri: pathToFileURL(file).href,
    ...given({ range: own === undefined ? undefined : rangeOf(own) }),
    message: shortened(message ?? (state === "unfinished" ? "did not end" : "failed"), MAX_MESSAGE),
  };
}

/** Lines of a run begin at 1, those of LSP at 0. */
function rangeOf({ line, column }: TestPlace): NonNullable<FailedTest["range"]> {
  const at = { line: Math.max(0, line - 1), character: Math.max(0, column - 1) };
  return { start: at, end: at };
}
