/** Runs a full garbage collection at once, even in the middle of running code. */
import v8 from "node:v8";
import { runInNewContext } from "node:vm";

/** Taken before user code runs, which cannot call it. */
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
 * The same, and answers the size of the buffers that are left: the process's own size falls late, or not at all.
 * Another thread frees the buffers; a second collection first waits for that thread.
 */
export function collectBuffers(): number {
  collectGarbage();
  collectGarbage();
  return memoryUsage().external;
}
