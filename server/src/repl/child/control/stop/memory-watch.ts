/**
 * Notices that running code fills the memory, while enough is left to stop the code. The watch looks more often the
 * nearer the limit is. The size of the process costs microseconds and needs no answer from the main thread; it tells
 * whether the heap has to be asked at all. Buffers are outside of V8's limit, and have a limit of the same size.
 *
 * The watch sleeps while nothing is evaluated and the processor is idle. Timers, requests, connections and everything
 * else that turns the event loop wake it. Code of another kind that takes all memory in the first turn after a rest is
 * not noticed in time.
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
   * Stops the code that fills the memory. `owner`: the evaluation whose code ran just now. `suspect`: an evaluation
   * that has something open that may have run. 0 for none. Resolves when the code is stopped.
   */
  readonly stop: (owner: number, suspect: number, facts: MemoryFacts) => Promise<void>;
}

/** The answer of `Runtime.getHeapUsage`, in bytes. */
interface HeapUsage {
  readonly usedSize: number;
  readonly totalSize: number;
}

interface Usage {
  /** The evaluation whose code ran; 0 where that was not asked. */
  readonly owner: number;
  readonly suspect: number;
  readonly heap: number;
  readonly buffers: number;
}

const MB = 2 ** 20;
const STOP_AT = 0.8;
/** An evaluation that is shorter than this is never watched. */
const FIRST_LOOK_MS = 20;
const LOOK_MS = { least: 4, most: 500 };
/** The question is asked again after this time, which also wakes a Node that did not dispatch the first one. */
const ANSWER_MS = 15;
/** The fastest growth of a program's memory, in bytes per millisecond. */
const FASTEST = 4 * 2 ** 30 * 1e-3;
/** The watch sleeps when the processor was used for less than `RESTING_SHARE` during this time. */
const REST_MS = 500;
const RESTING_SHARE = 0.1;
/** Undefined in Node 22, where the watch itself uses less than that share. */
const OWN_USAGE = (process as { readonly threadCpuUsage?: () => NodeJS.CpuUsage }).threadCpuUsage?.bind(process);

export class MemoryWatch {
  readonly #parts: MemoryWatchParts;
  readonly #limit = heapLimit();
  readonly #thresholds: Record<MemoryFacts["kind"], number>;
  #timer: NodeJS.Timeout | undefined;
  /** The size of the process without the heap and without buffers. */
  #base: number | undefined;
  /** Garbage is collected again at this time, or when the heap has this many bytes. */
  #nextCheck = { at: 0, heap: 0 };
  /** When something last ran, and how much processor time was used by then. */
  #rest = restNow();

  constructor(parts: MemoryWatchParts) {
    this.#parts = parts;
    this.#thresholds = { heap: this.#limit * STOP_AT, buffers: this.#limit };
  }

  /** Something begins to run. */
  began(): void {
    this.#later(FIRST_LOOK_MS);
  }

  /** The size of the heap or the buffers after a garbage collection, in bytes: what is still in use. */
  async settled(kind: MemoryFacts["kind"]): Promise<number | undefined> {
    const left = await this.#collected();
    if (left === undefined) return undefined;
    // Names may still hold the memory. The threshold is raised, so that the next form can run and release it.
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
    // Something that wakes the watch can set the timer again before the main thread's answer has arrived.
    this.#timer = undefined;
    if (isResting && (await this.#sleep()) && !this.#parts.isBusy()) return;
    this.#later(Math.min(Math.max(room / FASTEST, LOOK_MS.least), LOOK_MS.most));
  }

  /** How many bytes may still be taken before the watch has to act. */
  async #look(): Promise<number> {
    const { isStopping } = this.#parts;
    const size = process.memoryUsage.rss();
    const base = (this.#base ??= size);
    // The heap is at most as large as the process.
    const room = Math.min(this.#thresholds.heap - size, this.#thresholds.buffers + base - size);
    if (room > 0 || isStopping()) return room;
    const now = await this.#usage();
    if (now === undefined || isStopping()) return 0;
    this.#relax(now);
    const isEarly = performance.now() < this.#nextCheck.at && now.heap < this.#nextCheck.heap;
    return this.#excess(now) === undefined || isEarly ? this.#roomOf(now) : this.#collectAndStop(now);
  }

  /** Too much memory seems to be in use: collects garbage, and stops the code if too much is left. */
  async #collectAndStop(before: Usage): Promise<number> {
    const { isStopping, stop } = this.#parts;
    const limit = this.#limit;
    const began = performance.now();
    const left = await this.#collected();
    if (left === undefined || isStopping()) return 0;
    this.#relax(left);
    // Most of the memory may have been garbage. A program that makes much garbage must not be slowed down by
    // collections; if it keeps what it makes, the heap grows to the next check.
    const pause = Math.max((limit - left.heap) / FASTEST, 3 * (performance.now() - began));
    this.#nextCheck = { at: performance.now() + pause, heap: (left.heap + limit) / 2 };
    const kind = this.#excess(left);
    if (kind === undefined) {
      // The allocator kept the difference, though no buffer uses it: without this correction, one collection would
      // follow the other.
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
    // The process's memory without the heap is at least as large as the buffers.
    const beside = process.memoryUsage.rss() - totalSize;
    this.#base = Math.min(this.#base ?? beside, beside);
    return { owner: 0, suspect: 0, heap: usedSize, buffers: beside - this.#base };
  }

  /**
   * The memory in use after a garbage collection. Both questions are posted at once, so that none of the user's code
   * runs between them. The inspector's own collection would wait until nothing runs at all.
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

  /** Lowers the thresholds again, when the memory that was in use at a stop has been released. */
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
   * False when the main thread does not confirm in time that it will wake the watch. It confirms when the event loop
   * turns. On a busy machine, a program that never lets the event loop turn can look idle.
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

/** The processor time of all threads except this one, in milliseconds. */
function usedByOthers(): number {
  const all = process.cpuUsage();
  const own = OWN_USAGE?.();
  return (all.user + all.system - (own === undefined ? 0 : own.user + own.system)) / 1000;
}

/** The limit of V8's old generation. V8's own figure also includes the young generation three times. */
function heapLimit(): number {
  const asked = process.execArgv.find((argument) => argument.startsWith("--max-old-space-size="));
  return asked === undefined ? getHeapStatistics().heap_size_limit : Number(asked.split("=")[1]) * MB;
}
