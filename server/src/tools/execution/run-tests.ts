/** Runs the project's tests and tells what failed, where and why. */
import type { LaidTexts, TestOutcome, TestRequest, TestRun } from "../../repl/testing/test-run.ts";
import { toldEdits, triedEditsSchema, type TriedEdits } from "../edit-schema.ts";
import { defineTool, ToolFailure, type Tool, type ToolAnswer, type ToolContext } from "../tool.ts";
import { CAUTIOUS, type ExecutionSafety } from "./execution-safety.ts";
import type { ProjectNames } from "./project-names.ts";
import { verdictOf } from "../answers/rendered/test-verdict.ts";
import { renderFailures, showPlace, type FailurePort } from "../answers/rendered/render-test-failures.ts";
import { continued, indented, inOneLine } from "../answers/quoted-text.ts";
import { given } from "../../base/given.ts";
import { errorText } from "../../base/errors.ts";
import { plural } from "../../base/plural.ts";

/** What the tool needs. Contract: `run` does not throw for what tests do. */
export interface TestPort extends FailurePort {
  readonly run: (request: TestRequest, signal: AbortSignal) => Promise<readonly TestRun[] | string>;
  readonly findFile: ProjectNames["findFile"];
  /** Absolute paths of files whose text in the editor is not saved. */
  readonly unsaved: () => Promise<readonly string[]>;
  /** The `edits` of a call and what they make of the files, by absolute path; throws for edits that do not fit. */
  readonly editedTexts: (edits: TriedEdits, context: Pick<ToolContext, "sessionId" | "signal">) => Promise<LaidTexts>;
}

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;
const SLACK_MS = 60_000;
const DEFAULT_FAILURES = 10;
const MAX_FAILURES = 100;
const MAX_PASSED_NAMES = 20;
const FEW_PASSED = 6;
const MAX_FILES = 40;
const MAX_WRITTEN = 5;

export function createRunTests(port: TestPort, options: ExecutionSafety = CAUTIOUS): Tool {
  return defineTool({
    name: "run_tests",
    description: () =>
      isDangerous(options)
        ? "Runs the project's tests (vitest or node:test), all or one file's, in the project itself, with the person's rights, " +
          "if they approve it, with unsaved text, without what compile_form installed."
        : "Runs the project's tests (vitest, jest, mocha, ava, node:test or the script test), all or one file's, on a copy with " +
          "unsaved text, without what compile_form installed.",
    input: {
      type: "object",
      properties: {
        path: {
          type: "string",
          description: "Test file, e.g. test/total.test.ts, or a folder of them. Default: all test files.",
        },
        name: { type: "string", minLength: 1, description: "Regular expression: only tests whose full name matches." },
        timeout_ms: {
          type: "integer",
          minimum: 1,
          maximum: MAX_TIMEOUT_MS,
          description: `Stop all of it after this many milliseconds (default ${DEFAULT_TIMEOUT_MS}).`,
        },
        edits: triedEditsSchema,
        limit: {
          type: "integer",
          minimum: 1,
          maximum: MAX_FAILURES,
          description: `Failures to show in full (default ${DEFAULT_FAILURES}).`,
        },
      },
      additionalProperties: false,
    },
    told: {
      path: { type: "string", description: "A test file or folder." },
      name: { type: "string", description: "Regex for the full names of tests." },
      timeout_ms: { type: "integer", description: `Default ${DEFAULT_TIMEOUT_MS}.` },
      edits: toldEdits,
      limit: null,
    },
    ...options,
    categories: ["execution"],
    timeoutMs: MAX_TIMEOUT_MS + SLACK_MS,
    run: async (args, context): Promise<ToolAnswer> => {
      const { signal } = context;
      const bad = args.name === undefined ? undefined : whyNoPattern(args.name);
      if (bad !== undefined) throw new ToolFailure(bad);
      const found = args.path === undefined ? undefined : port.findFile(args.path);
      if (found !== undefined && "reason" in found) throw new ToolFailure(found.reason);
      const request: TestRequest = {
        ...given({ files: found === undefined ? undefined : [found.path], name: args.name }),
        ...given({ texts: args.edits === undefined ? undefined : await port.editedTexts(args.edits, context) }),
        timeoutMs: args.timeout_ms ?? DEFAULT_TIMEOUT_MS,
      };
      const unsaved = await port.unsaved();
      const runs = await port.run(request, signal);
      if (typeof runs === "string") throw new ToolFailure(runs);
      const texts = [];
      const shown = { failures: args.limit ?? DEFAULT_FAILURES, skipped: args.name === undefined };
      const seen = { ...port, lineOf: lineIn(request.texts, port) };
      for (const run of runs) texts.push(await renderRun(run, shown, seen));
      const cut = runs.some(({ problem }) => problem !== undefined);
      const notes = cut
        ? { complete: false, notes: ["A run was cut short; the results it had reported are shown."] }
        : {};
      const told = unsavedLine(unsaved, request.texts, port);
      return {
        content: [texts.join("\n\n"), ...told].join("\n"),
        ...notes,
        lists: () => ({ tests: verdictOf(runs, 0) }),
      };
    },
  });
}

/** Whether no wall holds the tests. */
function isDangerous({ safety }: ExecutionSafety): boolean {
  return (typeof safety === "function" ? safety() : safety) === "dangerous";
}

/** A line of the text that the tests saw. */
function lineIn(laid: LaidTexts = new Map(), { lineOf }: TestPort): TestPort["lineOf"] {
  return async (path, line) => {
    const text = laid.get(path);
    return typeof text === "string" ? text.split("\n")[line - 1] : lineOf(path, line);
  };
}

function whyNoPattern(name: string): string | undefined {
  try {
    RegExp(name);
    return undefined;
  } catch (error) {
    return `\`name\` is not a regular expression: ${errorText(error)}. Escape its special characters with a backslash.`;
  }
}

interface Shown {
  readonly failures: number;
  /** False where the request itself named the tests to run. */
  readonly skipped: boolean;
}

async function renderRun(run: TestRun, shown: Shown, port: TestPort): Promise<string> {
  const limit = shown.failures;
  const failed = run.outcomes.filter(({ state }) => state === "failed");
  const lines = [headLine(run)];
  if (run.problem !== undefined)
    lines.push(continued(`The run did not end well: ${run.problem}`), ...filesOf(run, port));
  for (const outcome of failed.slice(0, limit)) {
    lines.push("", `FAILED ${title(outcome, port)}`, ...(await renderFailures(outcome.failures, port)));
  }
  if (failed.length > limit) {
    lines.push("", `${failed.length - limit} more failed:`);
    for (const outcome of failed.slice(limit, limit + MAX_FAILURES)) lines.push(`  ${title(outcome, port)}`);
  }
  lines.push(...listed("unfinished", run.outcomes, port));
  if (shown.skipped) lines.push(...listed("skipped", run.outcomes, port), ...listed("todo", run.outcomes, port));
  const passed = run.outcomes.filter(({ state }) => state === "passed");
  lines.push(...passedLines(passed, run.outcomes, port));
  if (run.output.trim() !== "") lines.push("", "printed:", indented(run.output.trimEnd()));
  lines.push(...writtenLine(run, port));
  return lines.join("\n");
}

function headLine({ where, exitCode, outcomes, runner, version, durationMs }: TestRun): string {
  const found = exitCode === undefined ? counts(outcomes) : `Exit code ${exitCode}`;
  const place = where === undefined ? "" : `${where}: `;
  return `${place}${found} (${[runner, inOneLine(version)].join(" ").trim()}, ${seconds(durationMs)})`;
}

/** What the call laid over a file is known to whoever made the call. */
function unsavedLine(unsaved: readonly string[], laid: LaidTexts = new Map(), { showPath }: FailurePort): string[] {
  const seen = unsaved.filter((path) => !laid.has(path)).map((path) => showPath(path));
  if (seen.length === 0) return [];
  const rest = seen.length > MAX_WRITTEN ? ` and ${seen.length - MAX_WRITTEN} more` : "";
  return ["", `Run with the editor's text of ${seen.slice(0, MAX_WRITTEN).join(", ")}${rest}, not saved yet.`];
}

/** Snapshots, for the most part. */
function writtenLine({ written = [] }: TestRun, port: TestPort): string[] {
  if (written.length === 0) return [];
  const shown = written.slice(0, MAX_WRITTEN).map((path) => port.showPath(path));
  const rest = written.length > MAX_WRITTEN ? ` and ${written.length - MAX_WRITTEN} more` : "";
  return [
    "",
    `Dropped, as the tests ran on a copy: changes of ${shown.join(", ")}${rest}. run_command proposes such changes.`,
  ];
}

/** Few tests, and those of one file, are named; more are told by their files, and very many by their number. */
function passedLines(passed: readonly TestOutcome[], all: readonly TestOutcome[], port: TestPort): string[] {
  if (passed.length > MAX_PASSED_NAMES) return [];
  const files = [...Map.groupBy(passed, ({ file }) => file)];
  if (passed.length <= FEW_PASSED || files.length === 1) return listed("passed", all, port);
  const shown = files.map(([file, own]) => `${port.showPath(file)} ${own.length}`);
  return ["", `passed (a run of one file names its tests): ${shown.join(", ")}`];
}

/** With several files, the outcomes alone do not tell which files ran and which never did. */
function filesOf({ outcomes, notRun = [] }: TestRun, port: TestPort): string[] {
  if (notRun.length === 0) return [];
  const open = new Set(outcomes.filter(({ state }) => state === "unfinished").map(({ file }) => file));
  const ended = new Set(outcomes.map(({ file }) => file).filter((file) => !open.has(file)));
  const named = (what: string, paths: readonly string[]): string[] => {
    const rest = paths.length > MAX_FILES ? ` and ${paths.length - MAX_FILES} more` : "";
    const shown = paths.slice(0, MAX_FILES).map((path) => port.showPath(path));
    return paths.length === 0 ? [] : [`${what}: ${shown.join(", ")}${rest}`];
  };
  return [
    ...named("Ran to the end", [...ended]),
    ...named("Stopped while it ran", [...open]),
    ...named("Never ran", notRun),
    `Run one of them with path, or give all of them more time with timeout_ms (up to ${MAX_TIMEOUT_MS}).`,
  ];
}

function counts(outcomes: readonly TestOutcome[]): string {
  if (outcomes.length === 0) return "No test ran";
  const states = ["failed", "passed", "unfinished", "skipped", "todo"] as const;
  const shown = states.map((state) => [outcomes.filter((outcome) => outcome.state === state).length, state] as const);
  const files = new Set(outcomes.map(({ file }) => file)).size;
  const text = shown.filter(([count]) => count > 0).map(([count, state]) => `${count} ${state}`);
  return `${text.join(", ")} in ${plural(files, "file")}`;
}

function listed(state: TestOutcome["state"], outcomes: readonly TestOutcome[], port: TestPort): string[] {
  const of = outcomes.filter((outcome) => outcome.state === state);
  if (of.length === 0) return [];
  const shown = of.slice(0, MAX_PASSED_NAMES).map((outcome) => `  ${title(outcome, port)}`);
  const rest = of.length > MAX_PASSED_NAMES ? [`  … ${of.length - MAX_PASSED_NAMES} more`] : [];
  return ["", `${state}:`, ...shown, ...rest];
}

function title({ file, titles, place, durationMs }: TestOutcome, port: TestPort): string {
  const where = place === undefined ? port.showPath(file) : showPlace(place, port);
  const took = durationMs === undefined || durationMs < 100 ? "" : ` (${seconds(durationMs)})`;
  // A file that cannot be loaded has its own path for a title.
  const names = titles.filter((each) => each !== file).map(inOneLine);
  return [where, names.join(" > ")].filter((part) => part !== "").join(" ") + took;
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
