/** The compiler processes that this process starts, seen from outside of the service. */
import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";

/** Calls `seen` with each child as soon as it runs, until the returned function is called. */
export function watchChildren(seen: (child: ChildProcess) => void): () => void {
  const listen = (message: unknown): void => {
    const { process: child } = message as { readonly process: ChildProcess };
    child.once("spawn", () => seen(child));
  };
  subscribe("child_process", listen);
  return () => unsubscribe("child_process", listen);
}
