/**
 * Stops an evaluation and nothing else. Before anything is ended the main thread is asked whose code it runs: an
 * evaluation that only waits is cancelled in about a millisecond, and an innocent one that happens to run is left alone.
 */
import type { Runtime, Session } from "node:inspector";
import type { Post, Reply } from "../inspector/inspector-post.ts";
import { startPauses, type PausedMain, type Pauses } from "./locate.ts";
import { CELL } from "../../wire/shared-cells.ts";
import { within } from "../inspector/time-limit.ts";
import type { BusyFrame } from "../../wire/busy-frame.ts";

export interface Stopped {
  /** `abandoned`: it was not on the main thread. `stuck`: only the end of the process can stop it. */
  readonly how: "abandoned" | "terminated" | "stuck";
  /** Where the main thread was when it was not free. */
  readonly where?: readonly BusyFrame[];
  /** Whose code held the main thread, when it was not the evaluation's own; 0 when nobody knows. */
  readonly holder?: number;
}

export interface StopperParts {
  readonly session: Session;
  readonly post: Post;
  readonly cells: Int32Array;
  readonly isRunning: (id: number) => boolean;
}

const LOOK_MS = 30;
const PING_MS = 30;
/** Before code is ended that nobody asked to stop: a machine with much else to do answers late too. */
const PATIENCE_MS = 300;
const TERMINATION_MS = 150;
/** A machine with much else to do is given some rounds whatever the clock says. */
const GIVE_UP_MS = 1500;
const ROUNDS = 4;

/** `isLocated`: where it was is worth the milliseconds also when another evaluation holds the main thread. */
export type Stop = (id: number, isLocated: boolean) => Promise<Stopped>;

export function createStopper({ session, post, cells, isRunning }: StopperParts): Stop {
  const evaluate = (expression: string, more: object): Promise<Reply<Runtime.EvaluateReturnType>> =>
    post<Runtime.EvaluateReturnType>("Runtime.evaluate", { expression, silent: true, ...more });

  /** Cancels the evaluation (its timers go, and it does not begin if it has not) and tells whose code is running. */
  const cancel = async (id: number): Promise<number | undefined> => {
    const reply = await within(LOOK_MS, evaluate(`__agentq.cancel(${id})`, { returnByValue: true }));
    const owner = reply?.result?.result.value as unknown;
    return typeof owner === "number" ? owner : undefined;
  };
  /** True when the event loop turns. A question that a termination hit is asked again. */
  const isFree = async (ms: number): Promise<boolean> => {
    const until = Date.now() + ms;
    for (let left = ms; left > 0; left = until - Date.now()) {
      const reply = await within(left, evaluate("__agentq.revive();__agentq.tick()", { awaitPromise: true }));
      if (reply === undefined) return false;
      // It can take the termination upon itself, and the code that was meant goes on: then it fails in one way or another.
      if (!failed(reply)) return true;
    }
    return false;
  };
  const isAnother = (owner: number, id: number): boolean => owner !== id && isRunning(owner);

  const stop = async (id: number, isLocated: boolean, pauses: Pauses): Promise<Stopped> => {
    const began = Date.now();
    /** A form that is over and whose code held the main thread in an earlier round. */
    let suspect: number | undefined;
    let found: Omit<Stopped, "how"> = {};
    const learn = async (paused: PausedMain, owner: number): Promise<void> => {
      found = { where: await paused.frames(), ...(owner === id ? {} : { holder: owner }) };
    };
    for (let rounds = 0; rounds < ROUNDS || Date.now() - began < GIVE_UP_MS; rounds++) {
      const owner = await cancel(id);
      if (owner !== undefined && isAnother(owner, id)) {
        if (!isLocated) return { how: "abandoned", holder: owner };
        const paused = await pauses.pause(true);
        if (typeof paused === "object") {
          await learn(paused, await paused.owner());
          paused.resume("goOn");
        }
        return { how: "abandoned", holder: owner, ...found };
      }
      // An answer without an owner comes from an idle thread, or from between the callbacks of a busy one.
      const isHeld = owner !== undefined && owner !== id;
      if (isHeld && (await isFree(PING_MS))) return { how: rounds === 0 ? "abandoned" : "terminated", ...found };
      const paused = await pauses.pause(owner !== undefined);
      if (paused === "idle") continue;
      if (paused === "silent") {
        const last = Atomics.load(cells, CELL.owner);
        if (owner === undefined && isAnother(last, id)) return { how: "abandoned", holder: last };
        // Once it was asked to end there is nobody left to be spared.
        if (await isFree(rounds === 0 ? PATIENCE_MS : PING_MS)) return { how: "abandoned", ...found };
        await within(TERMINATION_MS, post("Runtime.terminateExecution"));
      } else {
        const now = await paused.owner();
        const isLeftover = isHeld && now !== id && !isRunning(now);
        let isGuilty = now === id || (isLeftover && now === suspect);
        if (isGuilty && found.where === undefined) {
          await learn(paused, now);
          isGuilty = (await paused.owner()) === now;
        }
        paused.resume(isGuilty ? "terminate" : "goOn");
        if (!isGuilty && isLeftover) {
          suspect = now;
          if (await isFree(PATIENCE_MS)) return { how: "abandoned", ...found };
        }
        if (!isGuilty) continue;
      }
      if (await isFree(PING_MS)) return { how: "terminated", ...found };
    }
    return { how: "stuck", ...found };
  };

  return async (id, isLocated) => {
    const pauses = startPauses(session, post);
    try {
      return await stop(id, isLocated, pauses);
    } finally {
      pauses.end();
    }
  };
}

export function failed({ error, result }: Reply<Runtime.EvaluateReturnType>): boolean {
  return error !== null || result?.exceptionDetails !== undefined;
}
