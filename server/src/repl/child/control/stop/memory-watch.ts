/**
 * Notices that running code eats the memory, while there is still some left to stop that code in. The watch looks the more
 * often the nearer the limit is; the process's size, which costs microseconds and needs no answer from the main thread, says
 * whether the heap has to be asked at all. Buffers lie outside of V8's limit and have a limit of the same size.
 *
 * When nothing is evaluated and the processor has nothing to do, the watch sleeps: timers, requests, connections and whatever
 * else turns the event loop wake it. The watch wakes too late for other code than these three that takes all memory in the
 * first turn after a rest.
 */
import { kernelCall } from "../../wire/kernel-call.ts";
import type { Runtime } from "node:inspector";
import { getHeapStatistics } from "node:v8";
import { nudged } from "../inspector/inspector-call.ts";
import type { Post } from "../inspector/inspector-post.ts";
import { CELL } from "../../wire/shared-cells.ts";
import type { MemoryFacts } from "../../wire/wire.ts";
import { withTimeLimit } from "../inspector/time-limit.ts";

export interface MemoryWatchParts {
  readonly post: Post;
  readonly cells: Int32Array;
  readonly isBusy: () => boolean;
  readonly isStopping: () => boolean;
  /**
   * Stops what eats the memory: `owner`'s code ran just now; `suspect` has something open that may have run. 0 for nobody.
   * Resolves when the code is stopped.
   */
  readonly stop: (owner: number, suspect: number, facts: MemoryFacts) => Promise<void>;
}

/** The answer of `Runtime.getHeapUsage`, in bytes. */
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
/** The watch never looks at a shorter evaluation. */
const FIRST_LOOK_MS = 20;
const LOOK_MS = { least: 4, most: 500 };
/** Then the question is asked again, which also wakes a Node that left the first one lying. */
const ANSWER_MS = 15;
/** No program's memory grows faster than this, in bytes a millisecond. */
const FASTEST = 4 * 2 ** 30 * 1e-3;
/** The watch sleeps once the processor has been used for less than this share of so much time. */
const REST_MS = 500;
const RESTING_SHARE = 0.1;
/** Undefined in Node 22, where the cost of looking lies below the share. */
const OWN_USAGE = (process as { readonly threadCpuUsage?: () => NodeJS.CpuUsage }).threadCpuUsage?.bind(process);

export class MemoryWatch {
  readonly #parts: MemoryWatchParts;
  readonly #limit = heapLimit();
  readonly #thresholds: Record<MemoryFacts["kind"], number>;
  #timer: NodeJS.Timeout | undefined;
  /** The size of the process without anybody's buffers, beside the heap. */
  #base: number | undefined;
  /** Garbage is collected again at this time, or at that many bytes. */
  #nextCheck = { at: 0, heap: 0 };
  /** When something last ran, and what the processor had done by then. */
  #rest = restNow();

  constructor(parts: MemoryWatchParts) {
    this.#parts = parts;
    this.#thresholds = { heap: this.#limit * STOP_AT, buffers: this.#limit };
  }

  /** Something runs from now on. */
  began(): void {
    this.#later(FIRST_LOOK_MS);
  }

  /** How large the heap or the buffers are when nothing but what is held is left of them, in bytes. */
  async settled(kind: MemoryFacts["kind"]): Promise<number | undefined> {
    const left = await this.#collected();
    if (left === undefined) return undefined;
    // Names may still hold the memory: the next form must be able to run and let it go.
    const most = this.#limit * (kind === "heap" ? 1 : 1.5);
    this.#thresholds[kind] = Math.max(this.#thresholds[kind], (left[kind] + most) / 2);
    return left[kind];
  }

  #later(ms: number): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.#turn(), ms);
  }

  async #turn(): Promise<void> {
    const room = await this.#look();
    const isResting = this.#isResting();
    // What wakes the watch sets the timer anew, also before the main thread's answer has arrived.
    this.#timer = undefined;
    if (isResting && (await this.#sleep()) && !this.#parts.isBusy()) return;
    this.#later(Math.min(Math.max(room / FASTEST, LOOK_MS.least), LOOK_MS.most));
  }

  /** Bytes that may still be taken before there is anything to be done. */
  async #look(): Promise<number> {
    const { isStopping } = this.#parts;
    const size = process.memoryUsage.rss();
    const base = (this.#base ??= size);
    // The heap is no larger than the process.
    const room = Math.min(this.#thresholds.heap - size, this.#thresholds.buffers + base - size);
    if (room > 0 || isStopping()) return room;
    const now = await this.#usage();
    if (now === undefined || isStopping()) return 0;
    this.#relax(now);
    const isEarly = performance.now() < this.#nextCheck.at && now.heap < this.#nextCheck.heap;
    return this.#excess(now) === undefined || isEarly ? this.#roomOf(now) : this.#collectAndStop(now);
  }

  /** Too much seems to be taken: collects garbage, and stops the code where garbage was not to blame. */
  async #collectAndStop(before: Usage): Promise<number> {
    const { isStopping, stop } = this.#parts;
    const limit = this.#limit;
    const began = performance.now();
    const left = await this.#collected();
    if (left === undefined || isStopping()) return 0;
    this.#relax(left);
    // Most of it may have been garbage: a program that makes much garbage must not be held up by collections, unless it holds
    // what it makes: then the heap goes on growing.
    const pause = Math.max((limit - left.heap) / FASTEST, 3 * (performance.now() - began));
    this.#nextCheck = { at: performance.now() + pause, heap: (left.heap + limit) / 2 };
    const kind = this.#excess(left);
    if (kind === undefined) {
      // The allocator kept the difference, which no buffer holds: it must not cause one collection after the other.
      this.#base = (this.#base ?? 0) + Math.max(0, before.buffers - left.buffers);
      return this.#roomOf(left);
    }
    const facts = { kind, usedMb: Math.round(left[kind] / MB), limitMb: Math.round(limit / MB) };
    await stop(left.owner, left.suspect, facts);
    return limit;
  }

  async #usage(): Promise<Usage | undefined> {
    const reply = await withTimeLimit(ANSWER_MS, this.#parts.post<HeapUsage>("Runtime.getHeapUsage"));
    if (reply?.result === undefined) return undefined;
    const { usedSize, totalSize } = reply.result;
    // What the process holds beside the heap is at least as large as the buffers.
    const beside = process.memoryUsage.rss() - totalSize;
    this.#base = Math.min(this.#base ?? beside, beside);
    return { owner: 0, suspect: 0, heap: usedSize, buffers: beside - this.#base };
  }

  /**
   * What is left after a collection of garbage. Both questions are posted at once, so that nothing of the user's runs between
   * them. The inspector's own collection would wait until nothing runs at all.
   */
  async #collected(): Promise<Usage | undefined> {
    const { post, isStopping } = this.#parts;
    const params = { expression: kernelCall("collect"), returnByValue: true, silent: true };
    const said = post<Runtime.EvaluateReturnType>("Runtime.evaluate", params);
    const { result } = await nudged(post, isStopping, post<HeapUsage>("Runtime.getHeapUsage"));
    const text = (await said).result?.result.value as unknown;
    if (result === undefined || typeof text !== "string") return undefined;
    const [buffers, owner, suspect] = JSON.parse(text) as [number, number, number];
    return { heap: result.usedSize, buffers, owner, suspect };
  }

  #excess(of: Usage): MemoryFacts["kind"] | undefined {
    if (of.heap >= this.#thresholds.heap) return "heap";
    return of.buffers >= this.#thresholds.buffers ? "buffers" : undefined;
  }

  /** What was held when something was stopped is held no more. */
  #relax(now: Usage): void {
    if (now.heap < this.#limit * 0.5) this.#thresholds.heap = this.#limit * STOP_AT;
    if (now.buffers < this.#limit * 0.5) this.#thresholds.buffers = this.#limit;
  }

  #roomOf(now: Usage): number {
    return Math.min(this.#thresholds.heap - now.heap, this.#thresholds.buffers - now.buffers);
  }

  #isResting(): boolean {
    const { isBusy, isStopping } = this.#parts;
    const now = restNow();
    const elapsed = now.since - this.#rest.since;
    const isQuiet = !isBusy() && !isStopping() && now.used - this.#rest.used < elapsed * RESTING_SHARE;
    if (isQuiet) return elapsed > REST_MS;
    this.#rest = now;
    return false;
  }

  /**
   * False when the main thread does not answer in time that it will wake the watch: its answer comes when the event loop
   * turns, and on a busy machine a program that never lets it turn can look as if nothing ran.
   */
  async #sleep(): Promise<boolean> {
    const { post, cells } = this.#parts;
    Atomics.store(cells, CELL.watched, 0);
    const { value } = Atomics.waitAsync(cells, CELL.watched, 0);
    void Promise.resolve(value).then(() => {
      this.#rest = restNow();
      this.began();
    });
    const lull = post("Runtime.evaluate", { expression: kernelCall("lull"), awaitPromise: true, silent: true });
    return (await withTimeLimit(ANSWER_MS, lull)) !== undefined;
  }
}

function restNow(): { since: number; used: number } {
  return { since: performance.now(), used: usedByOthers() };
}

/** The processor's time that everything but this thread has taken, in milliseconds. */
function usedByOthers(): number {
  const all = process.cpuUsage();
  const own = OWN_USAGE?.();
  return (all.user + all.system - (own === undefined ? 0 : own.user + own.system)) / 1000;
}

/** The limit of the old objects, those that stay. V8's own figure counts the nursery too, thrice. */
function heapLimit(): number {
  const asked = process.execArgv.find((argument) => argument.startsWith("--max-old-space-size="));
  return asked === undefined ? getHeapStatistics().heap_size_limit : Number(asked.split("=")[1]) * MB;
}
