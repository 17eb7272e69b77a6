/** The evaluations that run at this moment: the clock of each, and how each is stopped without touching the others. */
import type { EvaluationRecord } from "./evaluation-record.ts";
import { NO_EVALUATION, type FromImage, type ToImage } from "../child/wire/wire.ts";

export type Ending = Extract<FromImage, { t: "result" }> | { readonly t: "gone"; readonly reason: string };
export type Freed = Extract<Ending, { t: "result" }>;
/** `person`: somebody asked for the stop. `interrupt`: the caller no longer waits for the evaluation. */
export type StopReason = "person" | "interrupt" | "timeout";

export interface RunningParts {
  readonly send: (frame: ToImage) => void;
  /** Ends the process: the evaluation cannot be stopped in another way. */
  readonly kill: (stuck: Running) => void;
}

/**
 * The image itself gives up after two seconds, or later on a busy machine. An image that is silent for this long cannot
 * even say so.
 */
const SILENCE_MS = 10_000;

/** One evaluation that runs, with its clock. */
export class Running {
  readonly record: EvaluationRecord;
  readonly timeoutMs: number;
  readonly #settled = Promise.withResolvers<Ending>();
  readonly #onTimeout: () => void;
  readonly #onSettled: () => void;
  #stopped: StopReason | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    record: EvaluationRecord,
    timeoutMs: number,
    on: { readonly timeout: () => void; readonly settled: () => void },
  ) {
    this.record = record;
    this.timeoutMs = timeoutMs;
    this.#onTimeout = on.timeout;
    this.#onSettled = on.settled;
    this.restartClock();
  }

  /** Settles once; a second ending has no effect. */
  get settled(): Promise<Ending> {
    return this.#settled.promise;
  }

  settle(ending: Ending): void {
    clearTimeout(this.#timer);
    this.#onSettled();
    this.#settled.resolve(ending);
  }

  /** Why somebody or something asked the evaluation to stop. */
  stopped(): StopReason | undefined {
    return this.#stopped;
  }

  /** False when the evaluation was already asked to stop. */
  beginStop(why: StopReason): boolean {
    const isFirst = this.#stopped === undefined;
    this.#stopped ??= why;
    return isFirst;
  }

  restartClock(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onTimeout, this.timeoutMs);
  }
}

export class RunningEvaluations {
  readonly #parts: RunningParts;
  readonly #running = new Map<number, Running>();
  /** Requests to free the main thread or an evaluation's leftovers that the image has not answered. */
  readonly #freeing = new Map<number, PromiseWithResolvers<Freed | undefined>>();
  #stopping = 0;

  constructor(parts: RunningParts) {
    this.#parts = parts;
  }

  /** The evaluation is running until it is settled. Aborting `signal` stops it. */
  add(record: EvaluationRecord, timeoutMs: number, signal: AbortSignal): Running {
    const onAbort = (): void => void this.stop(target, "interrupt");
    const target = new Running(record, timeoutMs, {
      timeout: () => void this.stop(target, "timeout"),
      settled: () => {
        signal.removeEventListener("abort", onAbort);
        this.#running.delete(record.number);
      },
    });
    this.#running.set(record.number, target);
    signal.addEventListener("abort", onAbort, { once: true });
    return target;
  }

  get(number: number): Running | undefined {
    return this.#running.get(number);
  }

  all(): readonly Running[] {
    return [...this.#running.values()];
  }

  /** The evaluation waited for its turn: its time starts now. */
  began(number: number): void {
    const target = this.#running.get(number);
    target?.record.began();
    if (target?.stopped() === undefined) target?.restartClock();
  }

  /** Resolves when the evaluation has ended. */
  async stop(target: Running, why: StopReason): Promise<void> {
    const { number } = target.record;
    const isFirst = this.#running.has(number) && target.beginStop(why);
    if (!isFirst) return void (await target.settled);
    this.#parts.send({ t: "interrupt", id: number, locate: why === "timeout" });
    // The image stops evaluations one after the other, so the last one gets the most time.
    this.#stopping += 1;
    const patience = SILENCE_MS * this.#stopping;
    const silence = setTimeout(() => target.settle({ t: "result", outcome: "stuck", id: number }), patience);
    const ending = await target.settled;
    clearTimeout(silence);
    this.#stopping -= 1;
    if (ending.t === "result" && ending.outcome === "stuck") this.#parts.kill(target);
  }

  /**
   * Stops what finished evaluations left on the main thread, or ends everything that one of them left open. Undefined
   * when the image did not answer.
   */
  async free(number: number = NO_EVALUATION): Promise<Freed | undefined> {
    const asked = this.#freeing.get(number) ?? this.#askToFree(number);
    const ending = await asked.promise;
    this.#freeing.delete(number);
    return ending;
  }

  /** Takes the image's answer to `free`; false when nobody asked. */
  freed(ending: Freed): boolean {
    this.#freeing.get(ending.id)?.resolve(ending);
    return this.#freeing.has(ending.id);
  }

  #askToFree(number: number): PromiseWithResolvers<Freed | undefined> {
    const asked = Promise.withResolvers<Freed | undefined>();
    this.#freeing.set(number, asked);
    const about = number === NO_EVALUATION ? {} : { isOver: true as const };
    this.#parts.send({ t: "interrupt", id: number, locate: false, ...about });
    const silence = setTimeout(() => asked.resolve(undefined), SILENCE_MS);
    void asked.promise.then(() => clearTimeout(silence));
    return asked;
  }
}
