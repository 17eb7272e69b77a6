/** Long synchronous work in slices: the event loop has its turn between them. */
import { performance } from "node:perf_hooks";

export interface Slices {
  readonly isOver: () => boolean;
  readonly next: () => Promise<void>;
}

const SLICE_MS = 3;
/** Asking the clock is not free: it is asked once in so many steps. */
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
