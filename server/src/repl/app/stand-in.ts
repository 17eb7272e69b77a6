/**
 * The engine keeps no name at the top level of a module that no function uses. Where the value of such a name is known, because it
 * is a function or a class that lives, another binding stands in, which nobody but forms uses either way.
 */
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { types } from "node:util";
import type { CommonJs } from "../child/main/modules/live-exports.ts";
import type { Evaluator, ModuleScopes } from "../child/main/modules/module-scopes.ts";
import { uncurried } from "../child/shared/captured.ts";

export interface StandIns {
  readonly scopes: ModuleScopes;
  readonly url: string;
  readonly module: { readonly script: string; readonly names: () => readonly string[] };
  /** All functions that live. */
  readonly functions: readonly unknown[];
  /** The module of CommonJS that the program has required. */
  readonly required: CommonJs | undefined;
}

export function standIn({ scopes, url, module, functions, required }: StandIns): void {
  const { script, names } = module;
  const known = new Map<string, unknown>(required === undefined ? [] : ofCommonJs(fileURLToPath(url), required));
  const missing = [...new Set([...known.keys(), ...names()])].filter((name) => !isReached(scopes, url, name));
  if (missing.length === 0) return;
  const living = declaredIn(script, functions, new Set(missing));
  for (const [name, value] of living) if (!known.has(name)) known.set(name, value);
  const given = missing.filter((name) => known.has(name));
  // Without strict mode an assignment to an unknown name would make a global: here it throws.
  const lost = required === undefined ? [] : missing.filter((name) => !known.has(name));
  const declared = given.map((name) => `let ${name}=__agentq$p[${JSON.stringify(name)}];`).join("");
  const never = lost.map((name) => `let ${name};`).join("");
  const code = `(__agentq$p)=>{${declared}return __agentq$=>eval(__agentq$);${never}}`;
  const made = scopes.within(url, code) as (values: object) => Evaluator;
  scopes.grow(url, made(Object.fromEntries(given.map((name) => [name, known.get(name)]))));
}

function ofCommonJs(file: string, module: CommonJs): [string, unknown][] {
  return [
    ["require", createRequire(file)],
    ["module", module],
    ["exports", module.exports],
    ["__filename", file],
    ["__dirname", dirname(file)],
  ];
}

/** The functions that the script declares at its top level under one of the names, unless there are several. */
function declaredIn(
  script: string,
  functions: readonly unknown[],
  names: ReadonlySet<string>,
): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown[]>();
  for (const each of functions) {
    if (typeof each !== "function" || types.isProxy(each)) continue;
    const name: unknown = Object.getOwnPropertyDescriptor(each, "name")?.value;
    if (typeof name !== "string" || !names.has(name)) continue;
    const text = uncurried.functionText(each);
    const at = script.indexOf(text);
    if (at < 0) continue;
    const before = script.slice(script.lastIndexOf("\n", at) + 1, at);
    const isDeclaration =
      /^(?:class|(?:async\s+)?function)\b/.test(text) && /^(?:export\s+(?:default\s+)?)?$/.test(before);
    const [, constant] = /^(?:export\s+)?const\s+([\w$]+)\s*=\s*$/.exec(before) ?? [];
    if (isDeclaration || constant === name) found.set(name, [...(found.get(name) ?? []), each]);
  }
  return new Map([...found].flatMap(([name, [only, ...more]]) => (more.length === 0 ? [[name, only]] : [])));
}

function isReached(scopes: ModuleScopes, url: string, name: string): boolean {
  try {
    scopes.within(url, name);
    return true;
  } catch (error) {
    return !(error instanceof ReferenceError && error.message.endsWith(" is not defined"));
  }
}
