/**
 * How long and with which seed the fuzz tests run. `AGENTQ_FUZZ=20` runs twenty times as much, `AGENTQ_SEED=<n>` repeats
 * a run: fast-check prints the seed of a failure and the smallest case it found.
 */
import type { Parameters } from "fast-check";

const factor = Number(process.env["AGENTQ_FUZZ"] ?? 1);
export const seed = Number(process.env["AGENTQ_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

process.stdout.write(`fuzz: AGENTQ_SEED=${seed} AGENTQ_FUZZ=${factor}\n`);

export function fuzz<Case>(runs: number, more: Parameters<Case> = {}): Parameters<Case> {
  // A failure is made smaller for so long; the whole run has the test's own limit.
  return { seed, numRuns: Math.max(1, Math.round(runs * factor)), interruptAfterTimeLimit: limitMs(20_000), ...more };
}

/** For `it`: a longer run may take longer. */
export function limitMs(ms: number): number {
  return ms * Math.max(1, factor);
}

/** fast-check goes on without the run that the time limit cuts off: what that run uses may be closed only once it is over. */
export class Runs {
  #last: Promise<unknown> = Promise.resolve();

  watched<Drawn extends unknown[]>(run: (...drawn: Drawn) => Promise<void>): (...drawn: Drawn) => Promise<void> {
    return (...drawn) => {
      const running = run(...drawn);
      this.#last = running.catch(() => undefined);
      return running;
    };
  }

  async over(): Promise<void> {
    await this.#last;
  }
}
