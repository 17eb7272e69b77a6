/** Runs the project's tests behind the wall, with their runners, in a fresh copy of the project. */
import { performance } from "node:perf_hooks";
import { relative } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { planTests, type ReadText } from "../test-files.ts";
import { CANCELLED, OUTPUT_LIMIT, stoppedAfter, type TestRequest, type TestRun, type TestRunner } from "../test-run.ts";
import { headOf } from "../../../base/cut-text.ts";
import { given } from "../../../base/given.ts";
import { prepareAva } from "./ava.ts";
import { prepareJest } from "./jest.ts";
import { prepareMocha } from "./mocha.ts";
import { prepareNodeTest } from "./node-test.ts";
import { prepareScript } from "./script.ts";
import type { RoomProgram, TestRoom, WithRoom } from "./test-room.ts";
import { prepareVitest } from "./vitest.ts";
import type { PlanSetting, PreparedRun, PrepareRun } from "./walled-plan.ts";

export interface WalledTests {
  /** A real path. */
  readonly projectRoot: string;
  readonly nodePath?: string;
  readonly readText: ReadText;
  readonly withRoom: WithRoom;
}

const PREPARE: Readonly<Record<TestRunner, PrepareRun>> = {
  "node:test": prepareNodeTest,
  vitest: prepareVitest,
  jest: prepareJest,
  mocha: prepareMocha,
  ava: prepareAva,
  script: prepareScript,
};
/** How many characters of a program's output are kept. */
const MAX_PRINTED = 8_000_000;
const LIST_LIMIT_MS = 20_000;

/** Answers one run for each runner, or a sentence when nothing could be run. Rejects when the disk fails. */
export async function runWalled(
  { projectRoot, nodePath = process.execPath, readText, withRoom }: WalledTests,
  request: TestRequest,
  signal: AbortSignal,
): Promise<readonly TestRun[] | string> {
  const plans = await planTests({ root: projectRoot, readText, whyNotWalled: undefined }, request.files);
  if (typeof plans === "string") return plans;
  const ends = performance.now() + request.timeoutMs;
  return withRoom(request.texts ?? new Map(), async (room) => {
    const runs: TestRun[] = [];
    for (const [index, plan] of plans.entries()) {
      const limitMs = Math.max(1, Math.ceil(ends - performance.now()));
      const setting = { plan, request, room, nodePath, prefix: `${index}-`, limitMs };
      const where = plans.length > 1 && plan.root !== projectRoot ? relative(projectRoot, plan.root) : "";
      runs.push({ ...(await runPlan(setting, signal)), ...(where === "" ? {} : { where }) });
    }
    const written = signal.aborted ? [] : await room.written();
    const last = runs.at(-1);
    return last === undefined || written.length === 0 ? runs : [...runs.slice(0, -1), { ...last, written }];
  });
}

async function runPlan(setting: PlanSetting, signal: AbortSignal): Promise<TestRun> {
  const { plan, request, room, limitMs } = setting;
  const { runner } = plan;
  const started = performance.now();
  const took = (): number => Math.round(performance.now() - started);
  const prepared = await PREPARE[runner](setting);
  if (typeof prepared === "string") return ranNothing(runner, prepared);
  const { version, program, read, slackMs = 0 } = prepared;
  const limit = AbortSignal.timeout(limitMs + slackMs);
  const { code, printed, refused } = await runProgram(room, program, AbortSignal.any([signal, limit]));
  const isLate = limit.aborted && !signal.aborted;
  const told = await read({ printed, ...given({ code: isLate || signal.aborted ? undefined : code }) });
  const stopped = signal.aborted ? CANCELLED : isLate ? stoppedAfter(request) : undefined;
  const problem = stopped ?? refused ?? told.problem;
  const notRun = isLate && told.notRun === undefined ? await filesLeft(setting, prepared, told.outcomes) : told.notRun;
  return {
    runner,
    version,
    outcomes: told.outcomes,
    output: headOf(told.output, OUTPUT_LIMIT),
    durationMs: took(),
    ...given({ problem, notRun, exitCode: told.exitCode }),
  };
}

function ranNothing(runner: TestRunner, problem: string): TestRun {
  return { runner, version: "", outcomes: [], output: "", durationMs: 0, problem };
}

async function runProgram(
  room: TestRoom,
  program: RoomProgram,
  signal: AbortSignal,
): Promise<{ code?: number; printed: string; refused?: string }> {
  let printed = "";
  const decoders = { stdout: new StringDecoder("utf8"), stderr: new StringDecoder("utf8") };
  const hear = (stream: "stdout" | "stderr", chunk: Buffer): void => {
    if (printed.length < MAX_PRINTED) printed += decoders[stream].write(chunk);
  };
  const end = await room.run(program, hear, signal);
  return end.kind === "ended" ? { code: end.code, printed } : { printed, refused: end.reason };
}

/** Asked only after the time limit: most runners list their files only in a separate run. */
async function filesLeft(
  { room }: PlanSetting,
  { list }: PreparedRun,
  outcomes: TestRun["outcomes"],
): Promise<readonly string[] | undefined> {
  if (list === undefined) return undefined;
  const { code, printed } = await runProgram(room, list, AbortSignal.timeout(LIST_LIMIT_MS));
  if (code !== 0) return undefined;
  const begun = new Set(outcomes.map(({ file }) => file));
  return printed.split("\n").filter((line) => line.startsWith("/") && !begun.has(line));
}
