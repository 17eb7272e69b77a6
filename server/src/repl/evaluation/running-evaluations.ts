/** The evaluations that run at this moment: the clock of each, and how each is stopped without touching the others. */
import type { EvaluationRecord } from "./evaluation-record.ts";
import { NO_EVALUATION, type FromImage, type ToImage } from "../child/wire/wire.ts";

export type Ending = Extract<FromImage, { t: "result" }> | { readonly t: "gone"; readonly reason: string };
export type Freed = Extract<Ending, { t: "result" }>;
/** `person`: somebody asked for just that; `interrupt`: who waited for it does so no more. */
export type StopReason = "person" | "interrupt" | "timeout";

export interface Running {
  readonly record: EvaluationRecord;
  readonly timeoutMs: number;
  /** Settles once; a second ending changes nothing. */
  readonly settled: Promise<Ending>;
  readonly settle: (ending: Ending) => void;
  /** Why it was asked to stop. */
  readonly stopped: () => StopReason | undefined;
}

export interface RunningEvaluations {
  /** Counts as running until it is settled. Aborting `signal` stops it. */
  readonly add: (record: EvaluationRecord, timeoutMs: number, signal: AbortSignal) => Running;
  readonly get: (number: number) => Running | undefined;
  readonly all: () => readonly Running[];
  /** It had to wait for its turn: its time counts from now. */
  readonly began: (number: number) => void;
  /** Resolves when the evaluation has its ending. */
  readonly stop: (target: Running, why: StopReason) => Promise<void>;
  /**
   * Stops what evaluations that are over left on the main thread, or ends all that one of them left open. Undefined when
   * the image said nothing.
   */
  readonly free: (number?: number) => Promise<Freed | undefined>;
  /** The image's answer to `free`; false when nobody asked. */
  readonly freed: (ending: Freed) => boolean;
}

export interface RunningParts {
  readonly send: (frame: ToImage) => void;
  /** Nothing but the end of the process can stop this one. */
  readonly kill: (stuck: Running) => void;
}

/** The image itself gives up after two seconds, later on a busy machine; past this it is not even able to say so. */
const SILENCE_MS = 10_000;

export function createRunningEvaluations({ send, kill }: RunningParts): RunningEvaluations {
  const running = new Map<number, Running & { restartClock: () => void; beginStop: (why: StopReason) => boolean }>();
  let stopping = 0;
  const freeing = new Map<number, PromiseWithResolvers<Freed | undefined>>();

  const stop = async (target: Running, why: StopReason): Promise<void> => {
    const { number } = target.record;
    if (running.get(number)?.beginStop(why) !== true) return void (await target.settled);
    send({ t: "interrupt", id: number, locate: why === "timeout" });
    // The image stops one after the other.
    stopping += 1;
    const patience = SILENCE_MS * stopping;
    const silence = setTimeout(() => target.settle({ t: "result", outcome: "stuck", id: number }), patience);
    const ending = await target.settled;
    clearTimeout(silence);
    stopping -= 1;
    if (ending.t === "result" && ending.outcome === "stuck") kill(target);
  };

  return {
    add: (record, timeoutMs, signal) => {
      const { promise: settled, resolve } = Promise.withResolvers<Ending>();
      let reason: StopReason | undefined;
      let timer: NodeJS.Timeout | undefined;
      const onAbort = (): void => void stop(target, "interrupt");
      const target = {
        record,
        timeoutMs,
        settled,
        settle: (ending: Ending) => {
          clearTimeout(timer);
          signal.removeEventListener("abort", onAbort);
          running.delete(record.number);
          resolve(ending);
        },
        stopped: () => reason,
        restartClock: () => {
          clearTimeout(timer);
          timer = setTimeout(() => void stop(target, "timeout"), timeoutMs);
        },
        beginStop: (why: StopReason) => {
          const isFirst = reason === undefined;
          reason ??= why;
          return isFirst;
        },
      };
      running.set(record.number, target);
      target.restartClock();
      signal.addEventListener("abort", onAbort, { once: true });
      return target;
    },
    get: (number) => running.get(number),
    all: () => [...running.values()],
    began: (number) => {
      const target = running.get(number);
      target?.record.began();
      if (target?.stopped() === undefined) target?.restartClock();
    },
    stop,
    free: async (number = NO_EVALUATION) => {
      let asked = freeing.get(number);
      if (asked === undefined) {
        const fresh = Promise.withResolvers<Freed | undefined>();
        asked = fresh;
        freeing.set(number, fresh);
        send({ t: "interrupt", id: number, locate: false, ...(number === NO_EVALUATION ? {} : { isOver: true }) });
        const silence = setTimeout(() => fresh.resolve(undefined), SILENCE_MS);
        void fresh.promise.then(() => clearTimeout(silence));
      }
      const ending = await asked.promise;
      freeing.delete(number);
      return ending;
    },
    freed: (ending) => {
      freeing.get(ending.id)?.resolve(ending);
      return freeing.has(ending.id);
    },
  };
}
