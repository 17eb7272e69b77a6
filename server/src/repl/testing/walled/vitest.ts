/** The project's vitest, with its configuration and the options of its own script. */
import { relative } from "node:path";
import type { VitestAnswer, VitestRequest } from "../../child/tests/run-vitest.ts";
import { given } from "../../../base/given.ts";
import { manifestIn } from "../manifest.ts";
import { callsIn, keptWords } from "../test-script.ts";
import { findVitest, globFor } from "../installed-vitest.ts";
import { NOT_INSTALLED, OUTPUT_LIMIT, stoppedAfter } from "../test-run.ts";
import { childProgram } from "./child-program.ts";
import { endedBadly, type PlanSetting, type PreparedRun, type ProgramEnd, type ToldByProgram } from "./walled-plan.ts";

const VALUED = ["-c", "--config", "-r", "--root", "--dir", "--project", "--pool", "--environment", "--mode", "-t"];
const DROPPED =
  /^(?:--(?:watch|coverage|reporter|outputFile|ui|open|run|testNamePattern|update|silent|changed|bail|shard)(?:$|[.=])|-[wtu]$)/;
/** The program itself keeps the time limit. After this additional time it no longer answers. */
const SLACK_MS = 5_000;

export async function prepareVitest(setting: PlanSetting): Promise<PreparedRun | string> {
  const { plan, request, room, nodePath, prefix, limitMs } = setting;
  const installed = findVitest(plan.root);
  if (installed === undefined) return `vitest ${NOT_INSTALLED}`;
  const [call] = callsIn(manifestIn(plan.root), (name) => name === "vitest");
  const answer = `${prefix}answer.json`;
  const wanted: VitestRequest = {
    root: plan.root,
    files: plan.files,
    excluded: (plan.excluded ?? []).map((path) => globFor(relative(plan.root, path))),
    ...given({ name: request.name }),
    limitMs,
    words: keptWords(call, { valued: VALUED, dropped: DROPPED, names: false }),
    outputLimit: OUTPUT_LIMIT,
    answer: room.pathOf(answer),
  };
  const handed = await room.hand(`${prefix}request.json`, JSON.stringify(wanted));
  const env = { ...call?.env, VITEST: "true" };
  return {
    version: installed.version,
    program: { command: [nodePath, childProgram("run-vitest"), handed], folder: plan.root, env },
    read: (end) => readAnswer(setting, answer, end),
    slackMs: SLACK_MS,
  };
}

async function readAnswer({ room, request }: PlanSetting, name: string, end: ProgramEnd): Promise<ToldByProgram> {
  try {
    const answer = JSON.parse((await room.left(name)) ?? "") as VitestAnswer;
    // The plan's limit is the time that earlier plans left of the request's limit, so the message names the request's.
    const isLate = answer.problem?.startsWith("stopped after ") ?? false;
    return isLate ? { ...answer, problem: stoppedAfter(request) } : answer;
  } catch {
    return { outcomes: [], output: "", ...given({ problem: endedBadly(end) }) };
  }
}
