/** Keeps V8 from compiling loops that nothing can stop. */
import v8 from "node:v8";

/** As it is before it is refused to everybody else. */
const { setFlagsFromString } = v8;

/**
 * In Node 24 and 26 the optimizer's unrolling loses the place at which `for (;;) new Array(1000).fill(1)` would be stopped.
 * To be called when both threads have started: as a flag of the command line it would make V8 distrust what Node brings
 * compiled, and double the start of each.
 */
export function keepLoopsStoppable(): void {
  if (Number(process.versions.node.split(".")[0]) >= 24) setFlagsFromString("--no-turboshaft-loop-unrolling");
}
