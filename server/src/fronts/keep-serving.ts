/** What a server's process needs that outlives mistakes, and is often ended by a signal. */
import { flushCompileCache } from "node:module";
import { constants } from "node:os";
import { stackOf } from "../base/errors.ts";

/** As shells do: the exit code of a process that a signal ended. */
const FAILED_BY_SIGNAL = 128;
const COMPILE_CACHE_DELAY_MS = 5_000;

export function keepServing(): void {
  // A Node parent's SIGUSR1 would open its inspector; the REPL's programs can send signals.
  process.on("SIGUSR1", () => undefined);
  // Node ends at once on these, and what is to be done at the end (children, folders of the REPL) would be left undone.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(signal, () => process.exit(FAILED_BY_SIGNAL + constants.signals[signal]));
  }
  const report = (error: unknown): void => {
    process.stderr.write(`agentq: ${stackOf(error)}\n`);
  };
  process.on("uncaughtException", report);
  process.on("unhandledRejection", report);
  // Editors often kill a server: what was compiled is kept for the next start without waiting for a clean exit.
  setTimeout(() => flushCompileCache(), COMPILE_CACHE_DELAY_MS).unref();
}
