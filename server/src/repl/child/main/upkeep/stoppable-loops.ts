/** Prevents V8 from compiling loops into code that nothing can stop. */
import v8 from "node:v8";

/** Taken before everybody else loses access to it. */
const { setFlagsFromString } = v8;

/**
 * In Node 24 and 26, the optimizer's loop unrolling removes the place at which `for (;;) new Array(1000).fill(1)` can
 * be stopped. To be called after both threads have started: on the command line, the flag would make V8 reject the code
 * that Node ships compiled, and each start would take twice as long.
 */
export function keepLoopsStoppable(): void {
  if (Number(process.versions.node.split(".")[0]) >= 24) setFlagsFromString("--no-turboshaft-loop-unrolling");
}
