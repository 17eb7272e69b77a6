/**
 * Loaded into a process that is measured, before its own code (`--import`): at each SIGUSR2 the garbage is collected, and
 * what is left is written down. What a process holds resident is what V8 has not got round to collecting, for the most part.
 */
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const ROUNDS = 3;
const PAUSE_MS = 50;
const file = process.env["AGENTQ_BENCH_HEAP"];

if (file !== undefined) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  process.on("SIGUSR2", () => void tell(file, collect));
}

/** What lies outside of V8's heap is let go of by tasks behind a collection. */
async function tell(to: string, collect: () => void): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    collect();
    await sleep(PAUSE_MS);
  }
  const { heapUsed, external } = process.memoryUsage();
  appendFileSync(to, `${(heapUsed + external) / 2 ** 20}\n`);
}
