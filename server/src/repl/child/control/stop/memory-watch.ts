/**
 * Notices that what runs eats the memory, while there is still some left to stop it in. It looks the more often the nearer
 * the limit is; the process's size, which costs microseconds and needs no answer from the main thread, says whether the
 * heap has to be asked at all. Buffers lie outside of V8's limit and get the same.
 *
 * When nothing is evaluated and the processor has nothing to do, it sleeps: timers, requests, connections and whatever
 * else turns the event loop wake it. Only what takes all memory in the first turn after a rest, and is none of those three,
 * comes before it.
 */
import type { Runtime } from "node:inspector";
import { getHeapStatistics } from "node:v8";
import { nudged } from "../inspector/inspector-call.ts";
import type { Post } from "../inspector/inspector-post.ts";
import { CELL } from "../../wire/shared-cells.ts";
import type { MemoryFacts } from "../../wire/wire.ts";
import { within } from "../inspector/time-limit.ts";

export interface MemoryWatch {
  /** Something runs from now on. */
  readonly began: () => void;
  /** How large the heap or the buffers are when nothing but what is held is left of them, in bytes. */
  readonly settled: (kind: MemoryFacts["kind"]) => Promise<number | undefined>;
}

export interface MemoryWatchParts {
  readonly post: Post;
  readonly cells: Int32Array;
  readonly isBusy: () => boolean;
  readonly isStopping: () => boolean;
  /**
   * Stops what eats: `owner`'s code ran just now; `suspect` has something open that may have run. 0 for nobody. Resolves
   * when it is stopped.
   */
  readonly stop: (owner: number, suspect: number, facts: MemoryFacts) => Promise<void>;
}

/** `Runtime.getHeapUsage`'s, in bytes. */
interface HeapUsage {
  readonly usedSize: number;
  readonly totalSize: number;
}

interface Usage {
  /** The evaluation whose code ran, where that was asked. */
  readonly owner: number;
  readonly suspect: number;
  readonly heap: number;
  readonly buffers: number;
}

const MB = 2 ** 20;
const STOP_AT = 0.8;
/** A shorter evaluation is never looked at. */
const FIRST_LOOK_MS = 20;
const LOOK_MS = { least: 4, most: 500 };
/** Then the question is asked again, which also wakes a Node that left the first one lying. */
const ANSWER_MS = 15;
/** Faster than anything grows, in bytes a millisecond. */
const FASTEST = 4 * 2 ** 30 * 1e-3;
/** So long less than this share of the time must have been used before the watch sleeps. */
const REST_MS = 500;
const RESTING_SHARE = 0.1;
/** Node 22 does not have it: what looking costs lies below the share. */
const OWN_USAGE = (process as { readonly threadCpuUsage?: () => NodeJS.CpuUsage }).threadCpuUsage?.bind(process);

export function createMemoryWatch({ post, cells, isBusy, isStopping, stop }: MemoryWatchParts): MemoryWatch {
  const limit = heapLimit();
  let timer: NodeJS.Timeout | undefined;
  /** What the process was without anybody's buffers. */
  let base: number | undefined;
  const thresholds = { heap: limit * STOP_AT, buffers: limit };
  /** Neither this early nor below that many bytes is garbage collected again. */
  let nextCheck = { at: 0, heap: 0 };

  const usage = async (): Promise<Usage | undefined> => {
    const reply = await within(ANSWER_MS, post<HeapUsage>("Runtime.getHeapUsage"));
    return reply?.result === undefined ? undefined : usageOf(reply.result);
  };
  /** What the process holds beside the heap is at least what the buffers are. */
  const usageOf = ({ usedSize, totalSize }: HeapUsage): Usage => {
    const beside = process.memoryUsage.rss() - totalSize;
    base = Math.min(base ?? beside, beside);
    return { owner: 0, suspect: 0, heap: usedSize, buffers: beside - base };
  };
  /**
   * Both are handed over at once: nothing of the user's runs between them. The inspector's own collection would wait
   * until nothing runs at all.
   */
  const collected = async (): Promise<Usage | undefined> => {
    const params = { expression: "__agentq.collect()", returnByValue: true, silent: true };
    const said = post<Runtime.EvaluateReturnType>("Runtime.evaluate", params);
    const { result } = await nudged(post, isStopping, post<HeapUsage>("Runtime.getHeapUsage"));
    const text = (await said).result?.result.value as unknown;
    if (result === undefined || typeof text !== "string") return undefined;
    const [buffers, owner, suspect] = JSON.parse(text) as [number, number, number];
    return { heap: result.usedSize, buffers, owner, suspect };
  };
  const excess = (of: Usage): MemoryFacts["kind"] | undefined => {
    if (of.heap >= thresholds.heap) return "heap";
    return of.buffers >= thresholds.buffers ? "buffers" : undefined;
  };

  /** Bytes that may still be taken before there is anything to be done. */
  const look = async (): Promise<number> => {
    const size = process.memoryUsage.rss();
    base ??= size;
    // The heap is no larger than the process.
    const room = Math.min(thresholds.heap - size, thresholds.buffers + base - size);
    if (room > 0 || isStopping()) return room;
    const now = await usage();
    if (now === undefined || isStopping()) return 0;
    relax(now);
    if (excess(now) === undefined || (performance.now() < nextCheck.at && now.heap < nextCheck.heap))
      return roomOf(now);
    const began = performance.now();
    const left = await collected();
    if (left === undefined || isStopping()) return 0;
    relax(left);
    const kind = excess(left);
    // Garbage was most of it: a program that makes much of it must not be held up by looking, unless it holds what it
    // makes: then the heap goes on growing.
    const pause = Math.max((limit - left.heap) / FASTEST, 3 * (performance.now() - began));
    nextCheck = { at: performance.now() + pause, heap: (left.heap + limit) / 2 };
    if (kind === undefined) {
      // The allocator kept it: what no buffer holds must not be asked for again and again.
      base += Math.max(0, now.buffers - left.buffers);
      return roomOf(left);
    }
    await stop(left.owner, left.suspect, {
      kind,
      usedMb: Math.round(left[kind] / MB),
      limitMb: Math.round(limit / MB),
    });
    return limit;
  };
  /** What was held when something was stopped is held no more. */
  const relax = (now: Usage): void => {
    if (now.heap < limit * 0.5) thresholds.heap = limit * STOP_AT;
    if (now.buffers < limit * 0.5) thresholds.buffers = limit;
  };
  const roomOf = (now: Usage): number => Math.min(thresholds.heap - now.heap, thresholds.buffers - now.buffers);

  let rest = { since: performance.now(), used: usedByOthers() };
  const isResting = (): boolean => {
    const now = { since: performance.now(), used: usedByOthers() };
    const elapsed = now.since - rest.since;
    const isQuiet = !isBusy() && !isStopping() && now.used - rest.used < elapsed * RESTING_SHARE;
    if (isQuiet) return elapsed > REST_MS;
    rest = now;
    return false;
  };
  /** False when the main thread does not come to it. */
  const sleep = async (): Promise<boolean> => {
    Atomics.store(cells, CELL.watched, 0);
    const { value } = Atomics.waitAsync(cells, CELL.watched, 0);
    void Promise.resolve(value).then(() => {
      rest = { since: performance.now(), used: usedByOthers() };
      began();
    });
    const lull = post("Runtime.evaluate", { expression: "__agentq.lull()", silent: true });
    return (await within(ANSWER_MS, lull)) !== undefined;
  };

  const turn = async (): Promise<void> => {
    const room = await look();
    const isAsleep = isResting() && (await sleep());
    timer = undefined;
    if (!isAsleep || isBusy()) later(Math.min(Math.max(room / FASTEST, LOOK_MS.least), LOOK_MS.most));
  };
  const later = (ms: number): void => {
    timer ??= setTimeout(() => void turn(), ms);
  };
  const began = (): void => later(FIRST_LOOK_MS);

  return {
    began,
    settled: async (kind) => {
      const left = await collected();
      if (left === undefined) return undefined;
      // Names may hold what was stopped: the next form must be able to do something about it.
      const most = limit * (kind === "heap" ? 1 : 1.5);
      thresholds[kind] = Math.max(thresholds[kind], (left[kind] + most) / 2);
      return left[kind];
    },
  };
}

/** The processor's time that everything but this thread has taken, in milliseconds. */
function usedByOthers(): number {
  const all = process.cpuUsage();
  const own = OWN_USAGE?.();
  return (all.user + all.system - (own === undefined ? 0 : own.user + own.system)) / 1000;
}

/** Of old objects: those that stay. V8's own figure counts the nursery too, thrice. */
function heapLimit(): number {
  const asked = process.execArgv.find((argument) => argument.startsWith("--max-old-space-size="));
  return asked === undefined ? getHeapStatistics().heap_size_limit : Number(asked.split("=")[1]) * MB;
}
