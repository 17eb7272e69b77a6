/** Lets every thread that the project's code starts load modules as the main thread does: each runs the program of `hooksUrl` first. */
import workerThreads, { type WorkerOptions } from "node:worker_threads";
import { syncBuiltinESMExports } from "node:module";

/** The image's arguments that threads get too; the others are its process's, or mean nothing to threads. */
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
