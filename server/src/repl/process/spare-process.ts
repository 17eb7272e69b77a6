/**
 * A process of the image that stands ready before anybody wants one: a first evaluation, a restart and a trial of an
 * edit then wait for no start. No code of the project has run in a spare process, and its wall closes what appears in
 * the project as the wall of every live process does.
 */
import { realpathSync } from "node:fs";
import { stackOf } from "../../base/errors.ts";
import { given } from "../../base/given.ts";
import type { LaunchPlan } from "../confinement/launch-plan.ts";
import { whyNot } from "../confinement/level.ts";
import { nodeVersionOf } from "../confinement/node-version.ts";
import { planLaunch, type FoundAtStart } from "../confinement/plan-launch.ts";
import type { ImageOptions } from "../image.ts";
import { ImageChild } from "./image-child.ts";

export type SpareOptions = Pick<
  ImageOptions,
  "projectRoot" | "nodePath" | "command" | "wall" | "network" | "heapLimitMb" | "log"
> & {
  /** How long nothing may have happened before a process is started. */
  readonly quietMs?: number;
  /** A process that nobody took for so long is ended: it gives its memory back. */
  readonly longestMs?: number;
};

/** Belongs to whoever has taken it: `plan` is disposed of when `child` is gone. */
export interface SpareStart {
  readonly child: ImageChild;
  readonly plan: LaunchPlan;
  readonly found?: FoundAtStart;
}

interface Raised {
  readonly start: Promise<SpareStart | undefined>;
  readonly stop: AbortController;
  readonly tooOld: NodeJS.Timeout;
}

/** Whoever works now has the machine for themselves; a person who reads takes longer. */
const QUIET_MS = 1_000;
const LONGEST_MS = 10 * 60_000;

/** Contract: nothing rejects. Where no wall can be made, no process stands ready. */
export class SpareProcess {
  readonly #options: SpareOptions;
  #raised: Raised | undefined;
  #soon: NodeJS.Timeout | undefined;
  #isDisposed = false;
  readonly #going = new Set<Promise<unknown>>();

  constructor(options: SpareOptions) {
    this.#options = options;
  }

  /** Somebody may want a process soon: one is started once the machine has been left alone for a moment. */
  expectUse(): void {
    this.leaveAlone();
    if (this.#isDisposed || this.#raised !== undefined) return;
    this.#soon = setTimeout(() => this.#raise(), this.#options.quietMs ?? QUIET_MS).unref();
  }

  /** Other work goes on: until the next `expectUse` no process is started. */
  leaveAlone(): void {
    clearTimeout(this.#soon);
  }

  /**
   * The process, where one stands ready or is on its way, and its wall would be the same now: a restart closes
   * whatever nobody could close before.
   */
  async take(signal: AbortSignal): Promise<SpareStart | undefined> {
    this.leaveAlone();
    const raised = this.#raised;
    if (raised === undefined) return undefined;
    this.#raised = undefined;
    clearTimeout(raised.tooOld);
    return this.#awaited(this.#usable(raised, signal));
  }

  async #usable(raised: Raised, signal: AbortSignal): Promise<SpareStart | undefined> {
    const start = await raised.start;
    const isUsable = start !== undefined && (await this.#isUsable(start, signal));
    if (isUsable && !this.#isDisposed) return start;
    this.#end(raised);
    return undefined;
  }

  async #isUsable({ child, plan }: SpareStart, signal: AbortSignal): Promise<boolean> {
    const [{ refused }, isCurrent] = await Promise.all([
      child.ready,
      plan.isCurrent?.(signal).catch((error: unknown) => this.#failed(error, signal)),
    ]);
    return refused === undefined && isCurrent === true && child.isOpen;
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    this.leaveAlone();
    this.#drop();
    while (this.#going.size > 0) await Promise.all(this.#going);
  }

  #raise(): void {
    const stop = new AbortController();
    const start = this.#start(stop.signal).catch((error: unknown) => this.#failed(error, stop.signal));
    const tooOld = setTimeout(() => this.#drop(), this.#options.longestMs ?? LONGEST_MS).unref();
    const raised = { start, stop, tooOld };
    this.#raised = raised;
    void start.then(async (started) => {
      await started?.child.gone;
      // Whoever has taken the process is told of its end too.
      if (this.#raised === raised) this.#drop();
    });
  }

  async #start(signal: AbortSignal): Promise<SpareStart | undefined> {
    const { wall, command, heapLimitMb, nodePath = process.execPath } = this.#options;
    const projectRoot = realpathSync(this.#options.projectRoot);
    if (command !== undefined || (await wall?.())?.kind !== "walled") return undefined;
    const nodeVersion = nodePath === process.execPath ? process.version : await nodeVersionOf(nodePath);
    if (nodeVersion === undefined || whyNot(nodeVersion, "walled") !== undefined) return undefined;
    const place = { nodePath, nodeVersion, projectRoot };
    const options = { ...this.#options, onOutput: () => undefined, onState: () => undefined };
    // The session's own code is loaded as well.
    const [{ plan, found: closed }] = await Promise.all([
      planLaunch("walled", place, options, signal),
      import("./image-session.ts"),
    ]);
    if (typeof plan === "string") return undefined;
    try {
      signal.throwIfAborted();
      return {
        child: new ImageChild({ projectRoot, plan, ...given({ heapLimitMb }) }),
        plan,
        ...given({ found: closed }),
      };
    } catch (error) {
      plan.dispose();
      throw error;
    }
  }

  #failed(error: unknown, { aborted }: AbortSignal): undefined {
    if (!aborted) this.#options.log(`image, standing ready: ${stackOf(error)}`);
    return undefined;
  }

  #drop(): void {
    const raised = this.#raised;
    this.#raised = undefined;
    if (raised !== undefined) this.#end(raised);
  }

  #end({ start, stop, tooOld }: Raised): void {
    clearTimeout(tooOld);
    stop.abort();
    const ending = start.then(async (started) => {
      started?.child.kill();
      await started?.child.gone;
      started?.plan.dispose();
    });
    void this.#awaited(ending);
  }

  /** The end of all waits for it. */
  #awaited<Value>(work: Promise<Value>): Promise<Value> {
    this.#going.add(work);
    void work.then(() => this.#going.delete(work));
    return work;
  }
}
