/**
 * Finds out that a compiler will not answer: it waits for itself, as 7.0.2 does for settings that extend each other, or takes all
 * memory, as for a link that leads to the whole disk.
 */
import { totalmem } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { readRegularTextSync } from "../../workspace/regular-file.ts";

const LOOK_MS = 2_000;
/** So long neither the compiler nor this process, which may be at work on what the compiler said, does anything. */
const STILL_MS = 10_000;
/** A share of the time between two looks. */
const BUSY_SHARE = 0.2;
/** Hundredths of a second: a runtime that waits still looks after itself. */
const IDLE_TICKS = 2;
const MOST_BYTES = Math.max(2 * 2 ** 30, totalmem() * 0.6);

export const STOOD_STILL = "the TypeScript compiler stood still";

/**
 * Answers why the process is to be ended while somebody waits for its answer; never does where the system does not tell. Rejects
 * with the signal's reason.
 */
export async function untilStuck(pid: number, signal: AbortSignal): Promise<string> {
  // Most answers come before the first look.
  let before = await effortOf(pid, signal);
  for (let still = 0; still < STILL_MS;) {
    const now = await effortOf(pid, signal);
    if (now.bytes > MOST_BYTES) {
      return `the TypeScript compiler took ${Math.round(now.bytes / 2 ** 30)} GB of memory`;
    }
    const isStill = now.ticks - before.ticks <= IDLE_TICKS && now.ownMs - before.ownMs < BUSY_SHARE * LOOK_MS;
    still = isStill ? still + LOOK_MS : 0;
    before = now;
  }
  return STOOD_STILL;
}

interface Effort {
  /** Processor time of the compiler's threads; not a number where the system does not tell. */
  readonly ticks: number;
  readonly bytes: number;
  readonly ownMs: number;
}

async function effortOf(pid: number, signal: AbortSignal): Promise<Effort> {
  await sleep(LOOK_MS, undefined, { signal, ref: false });
  const { user, system } = process.cpuUsage();
  const ownMs = (user + system) / 1_000;
  try {
    // The name of the program may hold anything, but is in brackets.
    const [, fields = ""] = /.*\) (.*)$/s.exec(readRegularTextSync(`/proc/${pid}/stat`, { lossy: true })) ?? [];
    const numbers = fields.split(" ").map(Number);
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readRegularTextSync(`/proc/${pid}/status`, { lossy: true })) ?? [];
    return {
      ticks: (numbers[11] ?? Number.NaN) + (numbers[12] ?? Number.NaN),
      bytes: Number(kilobytes) * 1_024,
      ownMs,
    };
  } catch {
    return { ticks: Number.NaN, bytes: Number.NaN, ownMs };
  }
}
