/**
 * Node's permission model knows nothing of signals: a confined image could end or pause any process of the same user,
 * or make a Node among them open its inspector. These are the only functions that reach them, replaced for good before
 * user code runs. A program may still signal itself.
 */
import { createRequire, syncBuiltinESMExports } from "node:module";

const WAYS = ["kill", "_kill", "_debugProcess", "_debugEnd"] as const;

type Signal = (pid: unknown, ...more: unknown[]) => unknown;

export function refuseSignals(): void {
  for (const way of WAYS) guard(process, way);
  guard(createRequire(import.meta.url)("node:os") as object, "setPriority");
  syncBuiltinESMExports();
}

function guard(owner: object, way: string): void {
  const original = Reflect.get(owner, way) as Signal | undefined;
  if (original === undefined) return;
  const apply = Reflect.apply;
  const { pid: own } = process;
  const value = (pid: unknown, ...more: unknown[]): unknown => {
    // A number and no other value: what is compared is what is handed on.
    if (typeof pid === "number" && pid === own) return apply(original, owner, [pid, ...more]);
    throw Object.assign(new Error(`Access to another process (${way}) has been restricted.`), {
      code: "ERR_ACCESS_DENIED",
    });
  };
  Object.defineProperty(value, "name", { value: way });
  Object.defineProperty(owner, way, { value, writable: true, configurable: true, enumerable: true });
}
