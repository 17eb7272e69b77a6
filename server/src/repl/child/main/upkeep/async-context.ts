/**
 * A form begins in an async context of its own. It is sent while other code runs, whose stores it would have; and code
 * that is ended leaves its own to whatever comes next, since a termination skips the `finally` in which Node restores.
 */
import { AsyncLocalStorage, AsyncResource, executionAsyncId } from "node:async_hooks";
import { captured } from "../../shared/captured.ts";

/** Node's own, which has no public name; a resource that was made in a context has one. */
interface ContextFrames {
  readonly set?: (frame: undefined) => void;
}

function setterOfFrames(): ((frame: undefined) => void) | undefined {
  const made: object = new AsyncLocalStorage<number>().run(0, () => new AsyncResource("AgentQContext"));
  for (const symbol of Object.getOwnPropertySymbols(made)) {
    const frame: unknown = Reflect.get(made, symbol);
    if (symbol.description !== "context_frame" || typeof frame !== "object" || frame === null) continue;
    const frames = frame.constructor as ContextFrames;
    if (typeof frames.set === "function") return frames.set.bind(frames);
  }
  return undefined;
}

const setFrame = setterOfFrames();

/** For the code that runs now and what it awaits. */
export function leaveAsyncContext(): void {
  setFrame?.(undefined);
}

/** Node's own way out of every async resource, which it takes where an error was uncaught and handled. */
const { _fatalException: leaveAll } = process as unknown as { readonly _fatalException: (error: unknown) => boolean };
const currentResource = executionAsyncId;
const { hasUncaughtExceptionCaptureCallback: isCaptured } = process;

/**
 * To be called before the code that runs is ended. While hooks of `async_hooks` are enabled, as those of node:test are, Node
 * enters a resource for each continuation of a promise, and ends the process where a termination leaves one of them entered.
 */
export function leaveAsyncResources(): void {
  if (currentResource() === 0 || isCaptured()) return;
  const own = captured.getOwnPropertyDescriptor(process, "emit");
  // Nobody hears of the error, which there is not.
  captured.defineProperty(process, "emit", { value: () => true, configurable: true, writable: true });
  try {
    leaveAll(undefined);
  } finally {
    if (own === undefined) Reflect.deleteProperty(process, "emit");
    else captured.defineProperty(process, "emit", own);
  }
}
