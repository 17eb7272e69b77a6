/**
 * A thread that is started with arguments, or with `NODE_OPTIONS` in its environment, has only the rights that these name,
 * or all rights: a program that may start threads could give itself any other right. So every thread gets the rights of its
 * process.
 */
import workerThreads, { type WorkerOptions } from "node:worker_threads";

const RIGHTS = /^--(?:no-)?(?:experimental-)?(?:permission|allow)/;

/** Without the right to start a program, which only the start of the process needs. */
export function threadArguments(): string[] {
  return process.execArgv.filter((each) => each !== "--allow-child-process");
}

export function confineThreads(): void {
  const Real = workerThreads.Worker;
  const own = threadArguments();
  const { construct } = Reflect;
  const options = (given: WorkerOptions = {}): WorkerOptions => {
    const { execArgv = [], env = process.env, ...rest } = given;
    const asked = execArgv.filter((each) => !own.includes(each) && !RIGHTS.test(each.replaceAll("_", "-")));
    return { ...rest, execArgv: [...own, ...asked], env: withoutOptions(typeof env === "symbol" ? process.env : env) };
  };
  const Confined = new Proxy(Real, {
    construct: (target, [file, given]: [string, WorkerOptions?], newTarget) =>
      construct(target, [file, options(given)], newTarget) as object,
  });
  const hidden = { writable: true, configurable: true, enumerable: true };
  Object.defineProperty(workerThreads, "Worker", { ...hidden, value: Confined });
  Object.defineProperty(Real.prototype, "constructor", { ...hidden, enumerable: false, value: Confined });
}

function withoutOptions(env: NodeJS.Dict<string>): NodeJS.Dict<string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name.toUpperCase() !== "NODE_OPTIONS"));
}
