/** A full garbage collection at once, also in the middle of what runs. */
import v8 from "node:v8";
import { runInNewContext } from "node:vm";

/** As it is before user code runs, which is refused it. */
const { setFlagsFromString } = v8;

let collect: (() => void) | undefined;

const memoryUsage = process.memoryUsage.bind(process);

export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
    setFlagsFromString("--no-expose-gc");
  }
  collect();
}

/**
 * The same, and how large the buffers are that are left: the process itself gives memory back late, or not at all. They
 * are given back by another thread; a second collection begins by waiting for it.
 */
export function collectBuffers(): number {
  collectGarbage();
  collectGarbage();
  return memoryUsage().external;
}
