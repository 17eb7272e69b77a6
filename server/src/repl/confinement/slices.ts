/** Divides long synchronous work into slices, between which the event loop runs. */
import { performance } from "node:perf_hooks";

export interface Slices {
  readonly isOver: () => boolean;
  readonly next: () => Promise<void>;
}

const SLICE_MS = 3;
/** The clock is read only once in this many steps, because reading it takes time. */
const STEPS = 8;

export function createSlices(): Slices {
  let end = performance.now() + SLICE_MS;
  let steps = 0;
  return {
    isOver: () => ++steps % STEPS === 0 && performance.now() > end,
    next: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      end = performance.now() + SLICE_MS;
    },
  };
}
