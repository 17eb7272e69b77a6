/**
 * A form begins in an async context of its own. It is sent while other code runs, whose stores it would have; and code
 * that is ended leaves its own to whatever comes next, since a termination skips the `finally` in which Node restores.
 */
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";

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
