/**
 * Stops one evaluation and nothing else. The main thread is asked whose code it runs before anything is ended: an
 * evaluation that only waits is cancelled in about a millisecond, and another evaluation that happens to run is not
 * disturbed.
 */
import type { Runtime, Session } from "node:inspector";
import type { BusyFrame } from "../../wire/busy-frame.ts";
import { kernelCall } from "../../wire/kernel-call.ts";
import { CELL } from "../../wire/shared-cells.ts";
import type { Post, Reply } from "../inspector/inspector-post.ts";
import { withTimeLimit } from "../inspector/time-limit.ts";
import type { AwaitedPrograms } from "./awaited-programs.ts";
import type { PausedMain } from "./paused-main.ts";
import { Pauses } from "./pauses.ts";

export interface Stopped {
  /**
   * `abandoned`: the evaluation was not on the main thread. `stuck`: only the end of the process can stop the
   * evaluation.
   */
  readonly how: "abandoned" | "terminated" | "stuck";
  /** The place of the main thread, when it was not free. */
  readonly where?: readonly BusyFrame[];
  /** The evaluation whose code held the main thread, when it was another one; 0 when it is not known. */
  readonly holder?: number;
  /** The programs for which the main thread waited and that were ended. */
  readonly programs?: string;
}

export interface StopperParts {
  readonly session: Session;
  readonly post: Post;
  readonly cells: Int32Array;
  readonly programs: AwaitedPrograms;
  readonly isRunning: (id: number) => boolean;
}

const LOOK_MS = 30;
const PING_MS = 30;
/** How long to wait before code is ended that nobody asked to stop: a busy machine also answers late. */
const PATIENCE_MS = 300;
const TERMINATION_MS = 150;
/** On a busy machine, at least `ROUNDS` rounds are tried, however long they take. */
const GIVE_UP_MS = 1500;
const ROUNDS = 4;
const TURN = `${kernelCall("revive")};${kernelCall("tick")}`;

/**
 * `isLocated`: the place of the main thread shall be found, which takes some milliseconds, also when another evaluation
 * holds the main thread.
 */
export type Stop = (id: number, isLocated: boolean) => Promise<Stopped>;

export function createStopper(parts: StopperParts): Stop {
  return async (id, isLocated) => {
    const pauses = new Pauses(parts.session, parts.post);
    try {
      const stopped = await new Stopping(parts, pauses, id).stop(isLocated);
      if (stopped.how === "terminated") parts.programs.over();
      return stopped;
    } finally {
      pauses.end();
    }
  };
}

export function failed({ error, result }: Reply<Runtime.EvaluateReturnType>): boolean {
  return error !== null || result?.exceptionDetails !== undefined;
}

/**
 * One interrupt of one evaluation. A round answers how the evaluation ended, or undefined when another round has to
 * follow.
 */
class Stopping {
  readonly #parts: StopperParts;
  readonly #pauses: Pauses;
  readonly #id: number;
  /** A finished form whose code held the main thread in an earlier round. */
  #suspect: number | undefined;
  /**
   * Some code was already asked to end. From then on no code is spared, and an idle thread does not mean that the
   * evaluation only waited.
   */
  #isEnding = false;
  #found: Omit<Stopped, "how"> = {};

  constructor(parts: StopperParts, pauses: Pauses, id: number) {
    this.#parts = parts;
    this.#pauses = pauses;
    this.#id = id;
  }

  async stop(isLocated: boolean): Promise<Stopped> {
    const began = Date.now();
    for (let rounds = 0; rounds < ROUNDS || Date.now() - began < GIVE_UP_MS; rounds++) {
      const stopped = await this.#round(isLocated);
      if (stopped !== undefined) return stopped;
    }
    return { how: "stuck", ...this.#found };
  }

  async #round(isLocated: boolean): Promise<Stopped | undefined> {
    const owner = await this.#cancel();
    if (owner !== undefined && this.#isAnother(owner)) return this.#leaveAlone(owner, isLocated);
    // An answer without an owner comes from an idle thread, or from a busy one between two callbacks.
    const isHeld = owner !== undefined && owner !== this.#id;
    if (isHeld && (await this.#isFree(PING_MS))) return this.#over();
    const paused = await this.#pauses.pause(owner !== undefined);
    if (paused === "idle") return undefined;
    if (paused === "silent") return this.#endSilent(owner);
    return this.#endPaused(paused, isHeld);
  }

  /**
   * Cancels the evaluation: its timers are cleared, and it does not begin if it has not yet. Answers the evaluation
   * whose code is running.
   */
  async #cancel(): Promise<number | undefined> {
    const reply = await withTimeLimit(LOOK_MS, this.#evaluate(kernelCall("cancel", this.#id), { returnByValue: true }));
    const owner = reply?.result?.result.value as unknown;
    return typeof owner === "number" ? owner : undefined;
  }

  #isAnother(owner: number): boolean {
    return owner !== this.#id && this.#parts.isRunning(owner);
  }

  /** Another evaluation holds the main thread, and goes on. */
  async #leaveAlone(owner: number, isLocated: boolean): Promise<Stopped> {
    if (!isLocated) return { how: "abandoned", holder: owner };
    const paused = await this.#pauses.pause(true);
    if (typeof paused === "object") {
      await this.#learn(paused, await paused.owner());
      paused.resume();
    }
    return { how: "abandoned", holder: owner, ...this.#found };
  }

  /** Ends the code of a main thread that does not even answer a pause. */
  async #endSilent(owner: number | undefined): Promise<Stopped | undefined> {
    const last = Atomics.load(this.#parts.cells, CELL.owner);
    if (owner === undefined && this.#isAnother(last)) return { how: "abandoned", holder: last };
    const patience = this.#isEnding ? PING_MS : PATIENCE_MS;
    if (await this.#isFree(patience)) return this.#over();
    this.#isEnding = true;
    // Both messages are handled first when native code returns, so that the rest of the form does not run.
    void this.#evaluate(kernelCall("leave"), {});
    const terminated = withTimeLimit(TERMINATION_MS, this.#parts.post("Runtime.terminateExecution"));
    const programs = this.#parts.programs.end();
    if (programs !== "") this.#found = { programs, ...this.#found };
    await terminated;
    return this.#endedIfFree();
  }

  /** Ends the paused code if it belongs to the evaluation, or if a finished form left it behind. */
  async #endPaused(paused: PausedMain, isHeld: boolean): Promise<Stopped | undefined> {
    const now = await paused.owner();
    const isLeftover = isHeld && now !== this.#id && !this.#parts.isRunning(now);
    let isGuilty = now === this.#id || (isLeftover && now === this.#suspect);
    if (isGuilty && this.#found.where === undefined) {
      await this.#learn(paused, now);
      isGuilty = (await paused.owner()) === now;
    }
    this.#isEnding ||= isGuilty;
    if (isGuilty) {
      await paused.terminate();
      return this.#endedIfFree();
    }
    paused.resume();
    if (!isLeftover) return undefined;
    this.#suspect = now;
    return (await this.#isFree(PATIENCE_MS)) ? this.#over() : undefined;
  }

  async #learn(paused: PausedMain, owner: number): Promise<void> {
    this.#found = { ...this.#found, where: await paused.frames(), ...(owner === this.#id ? {} : { holder: owner }) };
  }

  async #endedIfFree(): Promise<Stopped | undefined> {
    return (await this.#isFree(PING_MS)) ? this.#over() : undefined;
  }

  /** The main thread is free: by what was ended, or because the evaluation only waited. */
  #over(): Stopped {
    return { how: this.#isEnding ? "terminated" : "abandoned", ...this.#found };
  }

  /** True when the event loop turns. A question that a termination hit is asked again. */
  async #isFree(ms: number): Promise<boolean> {
    const until = Date.now() + ms;
    for (let left = ms; left > 0; left = until - Date.now()) {
      const reply = await withTimeLimit(left, this.#evaluate(TURN, { awaitPromise: true }));
      if (reply === undefined) return false;
      // The termination can hit the question in place of the code that was meant, which then goes on. In each case the
      // question fails.
      if (!failed(reply)) return true;
    }
    return false;
  }

  #evaluate(expression: string, more: object): Promise<Reply<Runtime.EvaluateReturnType>> {
    return this.#parts.post<Runtime.EvaluateReturnType>("Runtime.evaluate", { expression, silent: true, ...more });
  }
}
