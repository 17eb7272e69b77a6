/**
 * Closes what Node's permission model leaves open, for good, in the calling thread. To be called in the main thread of
 * a limited image, before user code runs.
 */
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { checkCopies } from "./check-copies.ts";
import { checkPaths } from "./check-paths.ts";
import { refuseFlags } from "./refuse-flags.ts";
import { refuseSignals } from "./refuse-signals.ts";
import { refuseSockets } from "./refuse-sockets.ts";

export function guardBuiltins(): void {
  refuseSignals();
  refuseFlags();
  checkCopies();
  checkPaths();
  refuseSockets(tmpdir());
  syncBuiltinESMExports();
}
