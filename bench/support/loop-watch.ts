/**
 * Loaded into a process that is measured, before its own code (`--import`): writes down each time in which the event loop
 * gave nobody a turn. Processor time of the main thread is told beside the clock's, because a busy machine stops everybody.
 */
import { appendFileSync } from "node:fs";

const file = process.env["AGENTQ_BENCH_LOOP"];
const EVERY_MS = 5;
/** Shorter ones are the timer's own. */
const TOLD_FROM_MS = 10;

if (file !== undefined) {
  let last = performance.now();
  let used = process.threadCpuUsage();
  const look = (): void => {
    const now = performance.now();
    const { user, system } = process.threadCpuUsage(used);
    const [clock, processor] = [now - last - EVERY_MS, (user + system) / 1_000];
    if (clock >= TOLD_FROM_MS) appendFileSync(file, `${Date.now()} ${clock.toFixed(1)} ${processor.toFixed(1)}\n`);
    last = performance.now();
    used = process.threadCpuUsage();
  };
  setInterval(look, EVERY_MS).unref();
}
