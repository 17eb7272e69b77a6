/**
 * Notices that what runs eats the memory, while there is still some left to stop it in. It looks only while something
 * is evaluated, the more often the nearer the limit is; the process's size, which costs microseconds and needs no answer
 * from the main thread, says whether the heap has to be asked at all. Buffers lie outside of V8's limit and get the same.
 */
import type { Runtime } from "node:inspector";
import { getHeapStatistics } from "node:v8";
import { nudged } from "./ask.ts";
import type { Post } from "./controller.ts";
import type { MemoryFacts } from "./wire.ts";
import { within } from "./within.ts";

export interface MemoryWatch {
  /** Something is evaluated from now on. */
  readonly began: () => void;
  /** How large the heap or the buffers are when nothing but what is held is left of them, in bytes. */
  readonly settled: (kind: MemoryFacts["kind"]) => Promise<number | undefined>;
}

export interface MemoryWatchParts {
  readonly post: Post;
  readonly isBusy: () => boolean;
  readonly isStopping: () => boolean;
  /** Stops what eats: `owner`'s code ran just now. Resolves when it is stopped. */
  readonly stop: (owner: number, facts: MemoryFacts) => Promise<void>;
}

/** `Runtime.getHeapUsage`'s, in bytes. */
interface HeapUsage {
  readonly usedSize: number;
  readonly totalSize: number;
}

interface Usage {
  /** The evaluation whose code ran, where that was asked. */
  readonly owner: number;
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

export function createMemoryWatch({ post, isBusy, isStopping, stop }: MemoryWatchParts): MemoryWatch {
  const limit = heapLimit();
  let timer: NodeJS.Timeout | undefined;
  /** What the process was without anybody's buffers. */
  let base: number | undefined;
  const thresholds = { heap: limit * STOP_AT, buffers: limit };
  let nextCheck = 0;

  const usage = async (): Promise<Usage | undefined> => {
    const reply = await within(ANSWER_MS, post<HeapUsage>("Runtime.getHeapUsage"));
    return reply?.result === undefined ? undefined : usageOf(reply.result);
  };
  /** What the process holds beside the heap is at least what the buffers are. */
  const usageOf = ({ usedSize, totalSize }: HeapUsage): Usage => {
    const beside = process.memoryUsage.rss() - totalSize;
    base = Math.min(base ?? beside, beside);
    return { owner: 0, heap: usedSize, buffers: beside - base };
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
    const [buffers, owner] = JSON.parse(text) as [number, number];
    return { heap: result.usedSize, buffers, owner };
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
    if (now.heap < limit * 0.5) thresholds.heap = limit * STOP_AT;
    if (now.buffers < limit * 0.5) thresholds.buffers = limit;
    if (excess(now) === undefined || performance.now() < nextCheck) return roomOf(now);
    const began = performance.now();
    const left = await collected();
    if (left === undefined || isStopping() || !isBusy()) return 0;
    const kind = excess(left);
    // Garbage was most of it: a program that makes much of it must not be held up by looking.
    const pause = Math.max((limit - left.heap) / FASTEST, 3 * (performance.now() - began));
    nextCheck = performance.now() + pause;
    if (kind === undefined) {
      // The allocator kept it: what no buffer holds must not be asked for again and again.
      base += Math.max(0, now.buffers - left.buffers);
      return roomOf(left);
    }
    await stop(left.owner, { kind, usedMb: Math.round(left[kind] / MB), limitMb: Math.round(limit / MB) });
    return limit;
  };
  const roomOf = (now: Usage): number => Math.min(thresholds.heap - now.heap, thresholds.buffers - now.buffers);

  const turn = async (): Promise<void> => {
    const room = isBusy() ? await look() : undefined;
    timer = undefined;
    if (room !== undefined && isBusy()) later(Math.min(Math.max(room / FASTEST, LOOK_MS.least), LOOK_MS.most));
  };
  const later = (ms: number): void => {
    timer ??= setTimeout(() => void turn(), ms);
  };

  return {
    began: () => later(FIRST_LOOK_MS),
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

/** Of old objects: those that stay. V8's own figure counts the nursery too, thrice. */
function heapLimit(): number {
  const asked = process.execArgv.find((argument) => argument.startsWith("--max-old-space-size="));
  return asked === undefined ? getHeapStatistics().heap_size_limit : Number(asked.split("=")[1]) * MB;
}
