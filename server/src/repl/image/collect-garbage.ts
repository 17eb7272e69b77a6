/**
 * A full garbage collection at once, also in the middle of what runs. Buffers are given back by another thread; a second
 * collection begins by waiting for it.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | undefined;

const memoryUsage = process.memoryUsage.bind(process);

/** Answers how large the buffers are that are left: the process itself gives memory back late, or not at all. */
export function collectGarbage(): number {
  if (collect === undefined) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
    setFlagsFromString("--no-expose-gc");
  }
  collect();
  collect();
  return memoryUsage().external;
}
