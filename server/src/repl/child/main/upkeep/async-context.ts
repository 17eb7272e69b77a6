/**
 * A form begins in an async context of its own. Its message arrives while other code runs, whose stores the form would
 * get. Code that is terminated leaves its stores to the code that runs next, because a termination skips the `finally`
 * in which Node restores them.
 */
import { AsyncLocalStorage, AsyncResource, executionAsyncId } from "node:async_hooks";
import { captured } from "../../shared/captured.ts";

/** Node's own property, which has no public name; a resource that was made in a context has it. */
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

/** Leaves the context for the running code and everything that it awaits. */
export function leaveAsyncContext(): void {
  setFrame?.(undefined);
}

/** Node's own function that leaves every async resource, after an uncaught error was handled. */
const { _fatalException: leaveAll } = process as unknown as { readonly _fatalException: (error: unknown) => boolean };
const currentResource = executionAsyncId;
const { hasUncaughtExceptionCaptureCallback: isCaptured } = process;

/**
 * To be called before the running code is terminated. While hooks of `async_hooks` are enabled, for instance those of
 * node:test, Node enters a resource for each continuation of a promise, and ends the process when a termination leaves
 * one of them entered.
 */
export function leaveAsyncResources(): void {
  if (currentResource() === 0 || isCaptured()) return;
  const own = captured.getOwnPropertyDescriptor(process, "emit");
  // There is no real error, so nobody may be told of it.
  captured.defineProperty(process, "emit", { value: () => true, configurable: true, writable: true });
  try {
    leaveAll(undefined);
  } finally {
    if (own === undefined) Reflect.deleteProperty(process, "emit");
    else captured.defineProperty(process, "emit", own);
  }
}
