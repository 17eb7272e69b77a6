/** Looks at a name of a module's scope, and at own data properties from there, without running user code. */
import { types } from "node:util";
import { captured } from "../../shared/captured.ts";
import type { ModuleScopes } from "../modules/module-scopes.ts";
import { printQuietly, printWithProxies } from "../../shared/print/quiet-printer.ts";
import type { PeekAnswer } from "../../wire/wire.ts";
import { isHolder } from "../../shared/print/value-facts.ts";

const { isModuleNamespaceObject, isProxy } = types;
// Never called: only compared with the later value of the global `eval`.
// oxlint-disable-next-line no-eval
const realEval: unknown = globalThis.eval;

/**
 * `path` begins with a name that the module binds. The server checks that, because any other name would be looked up
 * among the globals. The answer is text.
 */
export function peek(scopes: ModuleScopes, url: string, path: readonly string[]): string {
  const found = look(scopes, url, path);
  return captured.stringify(found.kind === "value" ? { kind: "value", text: printQuietly(found.value) } : found);
}

/**
 * Reads the value again and prints it with `printWithProxies`: the text and the proxies must come from the same look.
 */
export function peekProxies(scopes: ModuleScopes, url: string, path: readonly string[]): unknown[] | undefined {
  const found = look(scopes, url, path);
  return found.kind === "value" ? printWithProxies(found.value) : undefined;
}

type Found = Exclude<PeekAnswer, { kind: "value" }> | { readonly kind: "value"; readonly value: unknown };

function look(scopes: ModuleScopes, url: string, path: readonly string[]): Found {
  // A module's evaluator calls the global `eval`, which user code may have replaced.
  const descriptor = captured.getOwnPropertyDescriptor(globalThis, "eval");
  if (scopes.meta(url) === undefined || descriptor?.value !== realEval) return { kind: "absent" };
  let value: unknown;
  try {
    value = scopes.within(url, path[0] as string);
  } catch {
    return { kind: "uninitialized" };
  }
  for (let index = 1; index < path.length; index++) {
    if (!isHolder(value) || isProxy(value) || isModuleNamespaceObject(value)) return { kind: "absent" };
    const own = captured.getOwnPropertyDescriptor(value, path[index] as string);
    if (own === undefined || own.get !== undefined || own.set !== undefined) return { kind: "absent" };
    value = own.value;
  }
  return { kind: "value", value };
}
