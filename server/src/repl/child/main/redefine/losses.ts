/** Reads the state of modules that are about to be reloaded. None of the user's code runs. */
import { types } from "node:util";
import type { Losses, LossModule, LossSpec } from "../../../redefine/lost-state.ts";
import { captured, uncurried } from "../../shared/captured.ts";
import { readers } from "./binding-holders.ts";
import type { ModuleScopes } from "../modules/module-scopes.ts";
import { printQuietly } from "../../shared/print/quiet-printer.ts";

const { isMap, isModuleNamespaceObject, isPromise, isProxy, isRegExp, isSet } = types;
const { ownKeys } = Reflect;
const objectPrototype = Object.prototype;
const { getPrototypeOf, getOwnPropertyDescriptor } = captured;
const MAX_STATE = 40;
const MAX_HOLDERS = 20;
const MAX_CHAIN = 50;

export function readLosses(scopes: ModuleScopes, { modules, names }: LossSpec, handles: readonly string[]): Losses {
  const state: { path: string; name: string; value: string }[] = [];
  const prototypes: unknown[] = [];
  for (const module of modules) {
    for (const [name, value] of valuesOf(scopes, module, [...module.variables, ...module.constants])) {
      const isState = module.variables.includes(name) || holdsState(value);
      if (isState && state.length < MAX_STATE) state.push({ path: module.path, name, value: printQuietly(value) });
    }
    for (const [, value] of valuesOf(scopes, module, module.classes)) {
      const own = typeof value === "function" ? getOwnPropertyDescriptor(value, "prototype") : undefined;
      if (own !== undefined) prototypes.push(own.value);
    }
  }
  const forms: LossModule = { url: "", path: "", variables: [], constants: [], classes: [] };
  const holders: string[] = [];
  for (const [name, value] of valuesOf(scopes, forms, [...names, ...handles])) {
    if (holders.length < MAX_HOLDERS && inheritsFrom(value, prototypes)) holders.push(name);
  }
  return { state, holders };
}

function valuesOf(scopes: ModuleScopes, { url }: LossModule, names: readonly string[]): [string, unknown][] {
  const values: [string, unknown][] = [];
  const reads = readers(scopes, url, names);
  for (let index = 0; index < reads.length; index++) {
    try {
      values.push([names[index] as string, reads[index]?.()]);
    } catch {
      // Not initialised: there is nothing to lose.
    }
  }
  return values;
}

/** Whether a constant holds something that is not empty and can be changed. An instance of a class is always state. */
function holdsState(value: unknown): boolean {
  if (typeof value !== "object" || value === null || isProxy(value)) return false;
  if (isMap(value)) return uncurried.mapSize(value) > 0;
  if (isSet(value)) return uncurried.setSize(value) > 0;
  if (captured.isArray(value)) return value.length > 0;
  if (isRegExp(value) || isPromise(value) || isModuleNamespaceObject(value) || captured.isFrozen(value)) return false;
  const parent: unknown = getPrototypeOf(value);
  return (parent !== null && parent !== objectPrototype) || ownKeys(value).length > 0;
}

function inheritsFrom(value: unknown, prototypes: readonly unknown[]): boolean {
  if (typeof value !== "object" || value === null || isProxy(value)) return false;
  let at: unknown = value;
  for (let steps = 0; steps < MAX_CHAIN; steps++) {
    at = getPrototypeOf(at);
    if (typeof at !== "object" || at === null || isProxy(at)) return false;
    if (prototypes.includes(at)) return true;
  }
  return false;
}
