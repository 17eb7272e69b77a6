/**
 * A separate program. It runs the project's vitest through its Node API and writes the outcomes to a file. argv[2] is
 * the path of the file with the request.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import type { TestOutcome } from "../../testing/test-run.ts";
import type { LaidRun } from "./unwalled/laid-vitest.ts";
import type { VitestProject } from "./unwalled/vitest-projects.ts";
import { failureOf } from "./test-failures.ts";

export interface VitestRequest {
  readonly root: string;
  readonly files: readonly string[];
  /** Globs of files to leave out. */
  readonly excluded: readonly string[];
  readonly name?: string;
  readonly limitMs: number;
  /** Options for vitest's command line, as in the project's own script. */
  readonly words?: readonly string[];
  /** Unsaved texts, when vitest runs in the project itself and not in a copy. */
  readonly laid?: LaidRun;
  readonly outputLimit: number;
  /** The path of the file for the answer. */
  readonly answer: string;
}

export interface VitestAnswer {
  readonly outcomes: readonly TestOutcome[];
  readonly problem?: string;
  /** Files of the run that were not begun. */
  readonly notRun?: readonly string[];
  readonly output: string;
}

/** The parts of vitest's API that are used here and that vitest 1 to 5 share. */
interface VitestModule {
  readonly createVitest: (mode: "test", options: object, vite: object) => Promise<Vitest>;
  /** Present from vitest 2 on. */
  readonly parseCLI?: (words: readonly string[], more: object) => { readonly options: object };
}
interface Vitest {
  readonly start: (filters: readonly string[]) => Promise<unknown>;
  readonly projects: readonly VitestProject[];
  readonly state: {
    /** The files that were begun. */
    readonly getFiles: () => readonly Task[];
    /** The paths of all files of the run. */
    readonly getPaths: () => readonly string[];
    readonly getUnhandledErrors: () => readonly unknown[];
  };
}
interface Task {
  readonly type: string;
  readonly name: string;
  readonly filepath?: string;
  readonly mode: "run" | "only" | "skip" | "todo" | "queued";
  readonly location?: { readonly line: number; readonly column: number };
  readonly result?: { readonly state: string; readonly duration?: number; readonly errors?: readonly unknown[] };
  readonly tasks?: readonly Task[];
}
interface Unhandled {
  readonly VITEST_TEST_PATH?: string;
  readonly VITEST_TEST_NAME?: string;
}

const request = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as VitestRequest;
let output = "";

const laid = request.laid && (await import("./unwalled/laid-vitest.ts")).prepareLaid(request.laid, request.files);
const { createVitest, parseCLI } = await loadVitest();
let vitest: Vitest | undefined;
let problem: string | undefined;
const limit = setTimeout(() => finish(`stopped after ${request.limitMs / 1000} s`), request.limitMs);
try {
  vitest = await createVitest("test", options(), { logLevel: "silent" });
  for (const project of vitest.projects) laid?.enter(project);
  await vitest.start(request.files);
} catch (error) {
  problem = explain(error);
}
clearTimeout(limit);
finish(problem);

function options(): object {
  const own = parseCLI?.(["vitest", ...(request.words ?? [])], { allowUnknownOptions: true }).options ?? {};
  return {
    ...own,
    root: request.root,
    watch: false,
    run: true,
    ...(request.name === undefined ? {} : { testNamePattern: request.name }),
    includeTaskLocation: true,
    reporters: [{ onUserConsoleLog }],
    cliExclude: request.excluded,
    coverage: { enabled: false },
    allowOnly: true,
    passWithNoTests: true,
    ui: false,
    ...laid?.options,
  };
}

function onUserConsoleLog({ content }: { readonly content: string }): void {
  if (output.length < request.outputLimit) output += content.slice(0, request.outputLimit - output.length);
}

async function loadVitest(): Promise<VitestModule> {
  const entry = createRequire(join(request.root, "package.json")).resolve("vitest/node");
  return (await import(pathToFileURL(entry).href)) as VitestModule;
}

/** Ends the process, even if a test left something open. */
function finish(reason: string | undefined): never {
  const begun = vitest?.state.getFiles() ?? [];
  const outcomes = begun.flatMap((file) => outcomesOf(file, file.filepath ?? file.name, []));
  const notRun = (vitest?.state.getPaths() ?? []).filter((path) => !begun.some(({ filepath }) => filepath === path));
  const outside = (vitest?.state.getUnhandledErrors() ?? []).map(unhandledOutcome);
  const why = reason === undefined ? {} : { problem: reason };
  const left = notRun.length === 0 ? {} : { notRun };
  const answer: VitestAnswer = { outcomes: [...outcomes, ...outside], output, ...why, ...left };
  writeFileSync(request.answer, JSON.stringify(answer));
  // An orderly exit waits for vitest's threads, perhaps for ever.
  process.kill(process.pid, "SIGKILL");
  process.exit(0);
}

function unhandledOutcome(error: unknown): TestOutcome {
  const { VITEST_TEST_PATH: path, VITEST_TEST_NAME: running } = error as Unhandled;
  const failure = failureOf(error);
  const during = running === undefined ? "" : ` while "${running}" ran`;
  const file = path ?? failure.place?.file ?? request.root;
  return { file, titles: [`(unhandled error${during})`], state: "failed", failures: [failure] };
}

function outcomesOf(task: Task, file: string, titles: readonly string[]): TestOutcome[] {
  const errors = (task.result?.errors ?? []).map((error) => failureOf(error));
  const place = task.location === undefined ? {} : { place: { file, ...task.location } };
  if (task.tasks === undefined || task.type === "test") {
    const duration = task.result?.duration === undefined ? {} : { durationMs: task.result.duration };
    return [{ file, titles, state: stateOf(task), ...duration, ...place, failures: errors }];
  }
  // The run was stopped while the file was being loaded.
  if (titles.length === 0 && task.result === undefined && task.tasks.length === 0) {
    return [{ file, titles, state: "unfinished", failures: [] }];
  }
  const inside = task.tasks.flatMap((inner) => outcomesOf(inner, file, [...titles, inner.name]));
  // A suite's own errors come from its hooks, or from a file that could not be loaded.
  return errors.length === 0 ? inside : [{ file, titles, state: "failed", ...place, failures: errors }, ...inside];
}

function stateOf({ mode, result }: Task): TestOutcome["state"] {
  if (mode === "todo") return "todo";
  if (result?.state === "pass") return "passed";
  if (result?.state === "fail") return "failed";
  return mode === "skip" || result?.state === "skip" ? "skipped" : "unfinished";
}

const MOST_INNER = 3;

function explain(error: unknown): string {
  const { message, code, resource, errors } = error as Partial<Record<"message" | "code" | "resource", string>> & {
    errors?: unknown;
  };
  const parts = [code, message ?? String(error), resource].filter((part) => part !== undefined);
  // Vitest reports a project that it cannot set up as an error with inner errors.
  const inner = Array.isArray(errors) ? errors.slice(0, MOST_INNER).map((each) => `\n  ${explain(each)}`) : [];
  return stripVTControlCharacters(parts.join(" ") + inner.join(""));
}
