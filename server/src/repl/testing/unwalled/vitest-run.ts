/** Runs the project's vitest in a separate process, with the editor's texts. */
import { existsSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { performance } from "node:perf_hooks";
import { tailOf } from "../../../base/cut-text.ts";
import { spawn } from "../../../process/spawn.ts";
import { readRegularText } from "../../../workspace/regular-file.ts";
import { planUnwalled } from "../../confinement/limited/limited.ts";
import { OPEN_NETWORK } from "../../confinement/limited/network.ts";
import { CHILD_EXTENSION, CHILD_FOLDER } from "../../child-folder.ts";
import type { VitestAnswer, VitestRequest } from "../../child/tests/run-vitest.ts";
import { findVitest, globFor } from "../installed-vitest.ts";
import type { TestPlan } from "../test-files.ts";
import { CANCELLED, NOT_INSTALLED, OUTPUT_LIMIT, type TestRequest, type TestRun } from "../test-run.ts";
import { given } from "../../../base/given.ts";

export interface VitestRunOptions {
  readonly nodePath: string;
  readonly nodeVersion: string;
  readonly unsavedTexts: () => Readonly<Record<string, string>>;
  /** Absolute paths of files that are to be absent. */
  readonly absent?: readonly string[];
}

/** The program itself keeps the time limit. After this additional time it no longer answers. */
const SLACK_MS = 5_000;
const TAIL = 2_000;

export async function runVitest(
  options: VitestRunOptions,
  plan: TestPlan,
  request: TestRequest,
  signal: AbortSignal,
): Promise<TestRun> {
  const started = performance.now();
  const installed = findVitest(plan.root);
  if (installed === undefined) {
    return { runner: "vitest", version: "", durationMs: since(started), ...ranNothing(`vitest ${NOT_INSTALLED}`) };
  }
  const { nodePath, nodeVersion, absent = [] } = options;
  const launch = planUnwalled({ nodePath, nodeVersion, isOpen: true, readable: [], wall: OPEN_NETWORK });
  try {
    const { scratch } = launch;
    const answerPath = join(scratch, "answer.json");
    const wanted: VitestRequest = {
      root: plan.root,
      files: plan.files,
      excluded: [...(plan.excluded ?? []), ...absent].map((path) => globFor(relative(plan.root, path))),
      ...given({ name: request.name }),
      limitMs: request.timeoutMs,
      laid: { texts: options.unsavedTexts(), absent },
      outputLimit: OUTPUT_LIMIT,
      answer: answerPath,
    };
    const requestPath = join(scratch, "request.json");
    writeFileSync(requestPath, JSON.stringify(wanted));
    const [program, ...before] = launch.command;
    const runner = join(CHILD_FOLDER, `tests/run-vitest${CHILD_EXTENSION}`);
    const args = [...before, ...launch.flags, runner, requestPath];
    // HOME and its caches are a fresh folder, because vitest writes there. With CI set, vitest writes no snapshots.
    const env = { ...launch.env, HOME: scratch, XDG_DATA_HOME: scratch, CI: "true", VITEST: "true" };
    const child = spawn(program, args, { cwd: plan.root, env, stdio: ["ignore", "pipe", "pipe"] });
    const ended = await end(child, request.timeoutMs + SLACK_MS, signal);
    const answer = await readAnswer(answerPath);
    return {
      runner: "vitest",
      version: installed.version,
      durationMs: since(started),
      ...(answer ?? ranNothing(ended)),
    };
  } finally {
    launch.dispose();
  }
}

function ranNothing(problem: string): VitestAnswer {
  return { outcomes: [], output: "", problem };
}

function since(started: number): number {
  return Math.round(performance.now() - started);
}

function end(child: ReturnType<typeof spawn>, limitMs: number, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    let tail = "";
    const hear = (text: string): void => void (tail = tailOf(tail + text, TAIL));
    child.stdout?.setEncoding("utf8").on("data", hear);
    child.stderr?.setEncoding("utf8").on("data", hear);
    let why = "";
    const kill = (reason: string): void => {
      why = reason;
      child.kill("SIGKILL");
    };
    const timer = setTimeout(() => kill("it did not answer in time and was killed"), limitMs);
    const onAbort = (): void => kill(CANCELLED);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    const settle = (reason: string): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      resolve(why === "" ? reason : why);
    };
    child.once("error", (error) => settle(`it could not be started: ${error.message}`));
    child.once("close", (code, killedBy) => settle(`it ended with ${killedBy ?? `code ${code}`}:\n${tail.trim()}`));
  });
}

async function readAnswer(path: string): Promise<VitestAnswer | undefined> {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(await readRegularText(path, { lossy: true })) as VitestAnswer;
  } catch {
    return undefined;
  }
}
