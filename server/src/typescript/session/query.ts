/** Asks a question of the session that runs: of the text as it is now, and again when the process dies under it. */
import { setTimeout as sleep } from "node:timers/promises";
import { isConnectionFailure } from "./native-process.ts";
import { untilStuck } from "./stuck.ts";
import { answerSteadily } from "./steady-answer.ts";
import type { Session } from "./session.ts";
import type { SessionKeeper } from "./session-keeper.ts";
import { TypeScriptUnavailable } from "../typescript-unavailable.ts";
import type { View } from "../view.ts";
import { pause, untilAborted } from "../../base/abort.ts";
import type { WorkspaceFiles } from "../files/workspace-files.ts";
import { giveWay } from "../yielding.ts";

interface QueryParts {
  readonly keeper: SessionKeeper;
  readonly disk: WorkspaceFiles;
  readonly log: (message: string) => void;
}

const DEATH_NOTICE_MS = 1_000;
export const NO_CONNECTION = "the connection to the TypeScript compiler process was lost";

const MOST_STUCK = 1;
/** Nearly as long as most tools wait for an answer. */
const LONG_MS = 55_000;
const CANCELLED_WITHIN_MS = 5_000;

/** The question is to be asked again of a new process. */
class StartedAnew extends Error {}

/** Contract: that of `TypeScriptService.query`. */
export async function query<Result>(
  parts: QueryParts,
  run: (view: View) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const { keeper, disk, log } = parts;
  // The answer must include what was written before the question, so the disk is read while the projects may still be
  // loading.
  let looked = keeper.session === undefined ? disk.look() : undefined;
  looked?.catch(() => undefined);
  const stuck: string[] = [];
  const begun = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    if (attempt > 1) looked = disk.look();
    const session = await untilAborted(keeper.live(), signal);
    let death: string | undefined;
    const died = session.native.exited.then((reason): never => {
      death = reason;
      throw new TypeScriptUnavailable(keeper.whyUnanswered(reason));
    });
    died.catch(() => undefined);
    const answered = new AbortController();
    untilStuck(session.native.pid, answered.signal).then(
      (why) => {
        stuck.push(why);
        if (!keeper.isOutdated(session)) keeper.startAnew(session, why);
      },
      () => undefined,
    );
    const asked = ask(parts, { session, run, signal }, looked);
    try {
      return await untilAborted(Promise.race([asked, died]), signal);
    } catch (error) {
      if (signal.aborted) void giveUp(parts, { session, asked, begun });
      if (stuck.length > MOST_STUCK) throw new TypeScriptUnavailable(keeper.whyUnanswered(stuck.at(-1) ?? ""));
      const isCutOff = death !== undefined || isConnectionFailure(error);
      // A process that was replaced under the question did not die of it.
      if (error instanceof StartedAnew || (isCutOff && keeper.isOutdated(session) && !signal.aborted)) {
        looked = undefined;
        attempt -= 1;
        continue;
      }
      if (!isCutOff || signal.aborted) throw error;
      // A request that was cut off by the death fails a moment before the exit is known.
      death ??= await Promise.race([session.native.exited, pause(DEATH_NOTICE_MS, signal).then(() => undefined)]);
      if (death === undefined) {
        keeper.startAnew(session, NO_CONNECTION);
        death = NO_CONNECTION;
      }
      if (attempt > 1) throw new TypeScriptUnavailable(keeper.whyUnanswered(death));
      log(`typescript: asked again after a restart (${death})`);
    } finally {
      answered.abort();
    }
  }
}

/** A question that goes on in the compiler though nobody waits for it would keep all later ones from newer text. */
async function giveUp(
  { keeper }: Pick<QueryParts, "keeper">,
  { session, asked, begun }: { readonly session: Session; readonly asked: Promise<unknown>; readonly begun: number },
): Promise<void> {
  const isLong = performance.now() - begun >= LONG_MS;
  const ended = asked.then(
    () => true,
    () => true,
  );
  if (!isLong || (await Promise.race([ended, sleep(CANCELLED_WITHIN_MS, false, { ref: false })]))) return;
  if (!keeper.isOutdated(session)) keeper.startAnew(session, "it goes on with a question that was given up");
}

interface Asked<Result> {
  readonly session: Session;
  readonly run: (view: View) => Promise<Result>;
  readonly signal: AbortSignal;
}

async function ask<Result>(
  parts: QueryParts,
  asked: Asked<Result>,
  looked: Promise<void> | undefined,
): Promise<Result> {
  const { keeper, disk } = parts;
  const { session } = asked;
  if (looked === undefined) {
    const early = await askEarly(parts, asked);
    if (early !== undefined) return early.answer;
  }
  await looked;
  // Another question at the same time may have learned of the change first and started anew.
  if (disk.takeDependenciesChanged())
    keeper.startAnew(session, "installed packages, configurations or workspace folders changed");
  if (keeper.isOutdated(session)) throw new StartedAnew();
  return answer(keeper, asked);
}

/**
 * Nearly always nothing changed since the last question. So this one is asked at once, and the disk is looked at
 * while the compiler thinks; the answer is taken when the look found nothing, else it is dropped and asked for anew.
 */
async function askEarly<Result>(
  { keeper, disk }: QueryParts,
  asked: Asked<Result>,
): Promise<{ readonly answer: Result } | undefined> {
  const { session, signal } = asked;
  const isBehind = (): boolean => session.isStale() || disk.haveDependenciesChanged();
  if (isBehind()) {
    await disk.look();
    return undefined;
  }
  const state = session.state();
  const dropped = new AbortController();
  const early = answer(keeper, { ...asked, signal: AbortSignal.any([signal, dropped.signal]) });
  early.catch(() => undefined);
  // Requests are written in the next turn of the event loop, and the look would hold them up.
  await giveWay();
  try {
    await disk.look();
    // Another question's look may have found a change and be bringing the state up to date by now.
    return isBehind() || session.state() !== state ? undefined : { answer: await early };
  } finally {
    dropped.abort();
  }
}

function answer<Result>(keeper: SessionKeeper, { session, run, signal }: Asked<Result>): Promise<Result> {
  const enter = async (): Promise<void> => {
    await session.gate.enter(
      () => session.isStale(),
      () => session.update(),
    );
    keeper.reportProjects(session);
  };
  return answerSteadily(session, enter, run, signal);
}
