/**
 * Evaluates on the main thread and stops evaluations. Every evaluation begins with `await` of a setImmediate tick:
 * without the tick, the code would run inside the inspector's own dispatch, where V8 does not act on
 * `terminateExecution`.
 */
import type { Runtime, Session } from "node:inspector";
import type { HeldReport } from "../main/redefine/held-values.ts";
import { kernelCall } from "../wire/kernel-call.ts";
import { CELL } from "../wire/shared-cells.ts";
import type { StoppedReport, StoppedReports } from "../wire/stopped-reports.ts";
import { NO_EVALUATION, type FromImage, type MemoryFacts } from "../wire/wire.ts";
import { ANSWER_MS, EvaluationQuestions } from "./evaluation-questions.ts";
import { toResult, type EvaluationResult } from "./evaluation-result.ts";
import { nudged } from "./inspector/inspector-call.ts";
import type { Inspector, Post, Reply } from "./inspector/inspector-post.ts";
import type { AwaitedPrograms } from "./stop/awaited-programs.ts";
import { MemoryWatch } from "./stop/memory-watch.ts";
import { createStopper, failed, type Stop } from "./stop/stopper.ts";

const IS_ABORTED_BY_DEBUGGER = Number(process.versions.node.split(".")[0]) < 24;
const OPTIMIZED_AFTER_MS = 200;

export interface ControllerParts {
  readonly session: Session;
  readonly cells: Int32Array;
  readonly report: (result: Extract<FromImage, { t: "result" }>) => void;
  /** An evaluation that waited for another one's synchronous work has begun. */
  readonly began: (id: number) => void;
  /** Whether the evaluation opened something that may outlast it, or printed more than was sent. */
  readonly hasOpened: (id: number) => boolean;
  readonly ended: Pick<StoppedReports, "of" | "forget">;
  readonly programs: AwaitedPrograms;
}

export class Controller implements Inspector {
  readonly #parts: ControllerParts;
  /** The running evaluations, with the time at which each was posted, in milliseconds. */
  readonly #running = new Map<number, number>();
  readonly #interrupting = new Set<number>();
  #stops: Promise<void> = Promise.resolve();
  readonly #questions: EvaluationQuestions;
  readonly #stop: Stop;
  readonly #memory: MemoryWatch;

  constructor(parts: ControllerParts) {
    const { session, cells, programs } = parts;
    const { post, isStopping } = this;
    this.#parts = parts;
    this.#questions = new EvaluationQuestions(post, cells);
    this.#stop = createStopper({ session, post, cells, programs, isRunning: (id) => this.#running.has(id) });
    this.#memory = new MemoryWatch({
      post,
      cells,
      isBusy: () => this.#running.size > 0,
      isStopping,
      stop: (owner, suspect, facts) => this.#stopHungry(owner, suspect, facts),
    });
  }

  readonly post: Post = (method, params = {}) =>
    new Promise((resolve) => {
      const done = (error: Error | null, result?: object): void => resolve({ error, result: result as never });
      this.#parts.session.post(method, params, done);
    });

  readonly isStopping = (): boolean => this.#interrupting.size > 0;

  /** Resolves when the stops that have begun are over. */
  readonly stopped = (): Promise<void> => this.#stops;

  /** Several evaluations may be waiting. Each begins when the main thread is free for it, in the order of the calls. */
  async evaluate(id: number, code: string): Promise<void> {
    if (this.#running.size > 0) void this.#tellBegin(id);
    this.#running.set(id, performance.now());
    this.#memory.began();
    // A message that is posted during a stop could be terminated in place of the code that is being stopped.
    if (this.isStopping()) await this.#stops;
    const group = `e${id}`;
    const options = { replMode: true, awaitPromise: true, objectGroup: group };
    const answer = this.post<Runtime.EvaluateReturnType>("Runtime.evaluate", { expression: code, ...options });
    const reply = await nudged(this.post, () => this.isStopping() || this.#nextToBegin() !== id, answer);
    if (!this.#running.has(id)) return void this.post("Runtime.releaseObjectGroup", { objectGroup: group });
    // The process is ending, and its end is the answer.
    if (/context was destroyed/.test(reply.error?.message ?? "")) return;
    // The evaluation was stopped before it began, by the termination, or by the loss of its timers: the interrupt
    // reports all three.
    if (!(this.#interrupting.has(id) && failed(reply))) this.#finish(id, await this.#resultOf(id, reply));
    // The kept value is sent as a text, so there is no object to release.
    if (failed(reply) || reply.result?.result.objectId !== undefined) {
      await this.post("Runtime.releaseObjectGroup", { objectGroup: group });
    }
  }

  /**
   * Stops the evaluation, or reports `stuck` when only the end of the process can stop it. `isOver`: ends what a
   * finished evaluation left behind.
   */
  interrupt(id: number, isLocated: boolean, isOver = false): void {
    const isStoppable = this.#running.has(id) || isOver || id === NO_EVALUATION;
    if (isStoppable && !this.#interrupting.has(id)) this.#beginInterrupt(id, isLocated);
  }

  /** Stops what runs, as far as that can be stopped. */
  async stopAll(): Promise<void> {
    for (const id of this.#running.keys()) this.interrupt(id, false);
    await this.#stops;
  }

  async #tellBegin(id: number): Promise<void> {
    const { cells, began } = this.#parts;
    for (let newest = Atomics.load(cells, CELL.begun); newest < id; newest = Atomics.load(cells, CELL.begun)) {
      await Atomics.waitAsync(cells, CELL.begun, newest).value;
    }
    if (this.#running.has(id)) began(id);
  }

  #nextToBegin(): number | undefined {
    const begun = Atomics.load(this.#parts.cells, CELL.begun);
    for (const id of this.#running.keys()) if (id > begun) return id;
    return undefined;
  }

  async #resultOf(id: number, reply: Reply<Runtime.EvaluateReturnType>): Promise<EvaluationResult> {
    const answered = await toResult(this.post, reply);
    const result = await (reply.error === null ? this.#withOldCopies(id, answered) : this.#withPlace(id, answered));
    const isAsked = this.#parts.hasOpened(id) && !this.isStopping();
    const left = isAsked ? await this.#questions.ask(id, "left") : undefined;
    return left === undefined || left === "" ? result : { ...result, left };
  }

  /**
   * Asks whether old values are still held. It asks only now, because the evaluation itself holds them until it has
   * answered.
   */
  async #withOldCopies(id: number, result: EvaluationResult): Promise<EvaluationResult> {
    const { value } = result;
    if (value?.installed?.names.some((each) => each.isLookedFor) !== true || this.isStopping()) return result;
    const text = await this.#questions.ask(id, "held");
    if (text === undefined) return result;
    const isHeld = JSON.parse(text) as HeldReport;
    const names = value.installed.names.map((each) => {
      const held = each.isLookedFor === true ? isHeld[each.name] : undefined;
      return held === undefined ? each : { ...each, isHeld: held };
    });
    return { ...result, value: { ...value, installed: { ...value.installed, names } } };
  }

  /**
   * Adds the place where the evaluation waits for a promise that can never settle. A stopped evaluation has this place
   * in its end report.
   */
  async #withPlace(id: number, result: EvaluationResult): Promise<EvaluationResult> {
    const text = this.isStopping() ? undefined : await this.#questions.ask(id, "waits");
    return text === undefined || text === "" ? result : { ...result, waits: Number(text) };
  }

  #finish(id: number, result: EvaluationResult): void {
    if (this.#running.delete(id)) this.#parts.report({ t: "result", id, ...result });
  }

  #beginInterrupt(id: number, isLocated: boolean, facts?: MemoryFacts): void {
    this.#interrupting.add(id);
    // Stops run one after the other: otherwise one could take the pause of another for its own.
    this.#stops = this.#stops
      .then(() => this.#interrupt(id, isLocated, facts))
      .finally(() => this.#interrupting.delete(id));
    // A termination can also end the code that would wake the watch.
    this.#memory.began();
  }

  async #interrupt(id: number, isLocated: boolean, facts?: MemoryFacts): Promise<void> {
    const { cells, ended } = this.#parts;
    const isOver = !this.#running.has(id);
    ended.forget(id);
    // A stop because of memory cannot wait.
    if (facts === undefined) await untilOptimized(this.#running.get(id));
    const { how, where, holder, programs = "" } = await this.#stop(id, isLocated);
    // The evaluation's open things are ended once the main thread is free. The report is not awaited while another
    // evaluation holds the main thread.
    const isFree = how !== "stuck" && (how !== "abandoned" || holder === undefined);
    const told = isFree && id !== NO_EVALUATION ? await this.#reportOf(id) : undefined;
    const memory = facts === undefined ? undefined : await this.#memoryAfter(facts, isFree);
    if (isOver) this.#running.set(id, performance.now());
    this.#finish(id, {
      outcome: how === "stuck" ? "stuck" : "interrupted",
      abandoned: how === "abandoned",
      ...(Atomics.load(cells, CELL.begun) < id ? { begun: false } : {}),
      ...(where === undefined ? {} : { where }),
      ...(holder === undefined ? {} : { holder }),
      ...(memory === undefined ? {} : { memory }),
      ...(told === undefined ? {} : { ended: [programs, told.text].filter((text) => text !== "").join(", ") }),
      ...(how === "abandoned" && told !== undefined ? waitOf(told) : {}),
    });
  }

  /** A termination can end the report, or the request for it: the main thread is then asked once more. */
  async #reportOf(id: number): Promise<StoppedReport | undefined> {
    const { ended } = this.#parts;
    const told = await ended.of(id, ANSWER_MS);
    if (told !== undefined) return told;
    const expression = `${kernelCall("revive")};${kernelCall("cancel", id)}`;
    void this.post("Runtime.evaluate", { expression, silent: true });
    return ended.of(id, ANSWER_MS);
  }

  /** The facts, with the memory that is still in use after the stop. */
  async #memoryAfter(facts: MemoryFacts, isFree: boolean): Promise<MemoryFacts> {
    const held = isFree ? await this.#memory.settled(facts.kind) : undefined;
    return held === undefined ? facts : { ...facts, heldMb: Math.round(held / 2 ** 20) };
  }

  /**
   * Stops the evaluation whose code runs. If there is none: the one whose code ran last, else the newest that waits,
   * else what a finished form left open.
   */
  async #stopHungry(owner: number, suspect: number, facts: MemoryFacts): Promise<void> {
    const last = Atomics.load(this.#parts.cells, CELL.owner);
    const waiting = this.#running.has(last) ? last : [...this.#running.keys()].at(-1);
    const id = owner > 0 ? owner : (waiting ?? (suspect > 0 ? suspect : NO_EVALUATION));
    if (this.#interrupting.has(id)) return;
    this.#beginInterrupt(id, true, facts);
    await this.#stops;
  }
}

/**
 * V8 12, in Node 22, aborts the process when the debugger enters a function at the moment at which another thread
 * optimizes it. A loop that has just begun is being optimized, so the stop waits.
 */
async function untilOptimized(began: number | undefined): Promise<void> {
  const left = began === undefined || !IS_ABORTED_BY_DEBUGGER ? 0 : began + OPTIMIZED_AFTER_MS - performance.now();
  if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
}

function waitOf({ waits, loading }: StoppedReport): Pick<EvaluationResult, "waits" | "loading"> {
  return { ...(waits === undefined ? {} : { waits }), ...(loading.length === 0 ? {} : { loading }) };
}
