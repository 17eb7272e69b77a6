/**
 * How many cases the laws and the random walks try, and from which seed. A law gets 100 cases, and with `AGENTQ_TESTS=all`
 * twenty times as many; `AGENTQ_FUZZ=<factor>` says otherwise. `AGENTQ_SEED=<n>` repeats a run: `npm test` prints the seed, and
 * fast-check prints it with the smallest case that fails.
 */
import fc from "fast-check";
import type { Parameters } from "fast-check";
import { runsAll } from "./extent.ts";

/** How many times as much as for a person who waits. */
export const factor = Number(process.env["AGENTQ_FUZZ"] ?? (runsAll ? 20 : 1));
export const seed = Number(process.env["AGENTQ_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

/** Every law of fast-check that says nothing else: 100 cases, and no new one after 20 s (80 s in a longer run). */
export function configureLaws(): void {
  fc.configureGlobal({ seed, numRuns: times(100), interruptAfterTimeLimit: factor > 1 ? 80_000 : 20_000 });
}

/** For a law whose cases are dear: how many of them are tried. */
export function fuzz<Case>(cases: number): Parameters<Case> {
  return { numRuns: times(cases) };
}

/** A number of random steps, in a longer run as many times of it. */
export function times(steps: number): number {
  return Math.max(1, Math.round(steps * factor));
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

/** Numbers from 0 up to 1, by Mulberry32: the same seed gives the same numbers everywhere. */
export function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
