/**
 * Lets every thread that the project's code starts load modules as the main thread does: each thread first runs the
 * program of `hooksUrl`.
 */
import workerThreads, { type WorkerOptions } from "node:worker_threads";
import { syncBuiltinESMExports } from "node:module";

/** The image's own arguments that a thread gets; the others belong to the process, or mean nothing for a thread. */
const INHERITED = ["--no-warnings"];

export function hookThreads(hooksUrl: string): void {
  const { construct } = Reflect;
  const options = (given: WorkerOptions = {}): WorkerOptions => ({
    ...given,
    execArgv: [...(given.execArgv ?? INHERITED), "--import", hooksUrl],
  });
  const Hooked = new Proxy(workerThreads.Worker, {
    construct: (target, [file, given]: [string, WorkerOptions?], newTarget) =>
      construct(target, [file, options(given)], newTarget) as object,
  });
  const own = { value: Hooked, writable: true, configurable: true };
  Object.defineProperty(workerThreads, "Worker", { ...own, enumerable: true });
  Object.defineProperty(Hooked.prototype, "constructor", { ...own, enumerable: false });
  syncBuiltinESMExports();
}
