/**
 * The steps of a path inside a value, and the walk along them. The walk runs no code: it follows own and inherited data
 * properties, map entries, elements, symbols and prototypes. It ends at a getter, and at a proxy, whose traps would
 * have to run.
 *
 * A step is a property's name, or its JSON string where the name begins with `"`, `<` or `#`. `<3>` is the value of a
 * map's fourth entry or a set's fourth element, `<key 3>` that entry's key, `<symbol 0>` the property under the first
 * own symbol, `<prototype>` the prototype. The inspector follows `#name`, `<target>` and similar steps.
 */
import { types } from "node:util";
import { captured, uncurried } from "../shared/captured.ts";
import { eachEntry } from "../shared/entries.ts";
import type { Refusal } from "./inquiry.ts";

const { isMap, isModuleNamespaceObject, isProxy, isTypedArray } = types;

export type Step =
  | { readonly kind: "property"; readonly name: string }
  | { readonly kind: "entry" | "key" | "symbol"; readonly index: number }
  | { readonly kind: "prototype" }
  /** `#name`, `<target>`, `<handler>`, `<result>`: only the inspector can follow these steps. */
  | { readonly kind: "inspector"; readonly name: string };

export interface Failure {
  readonly why: Refusal;
  readonly reason: string;
}

const LOOK_AHEAD = 12;

export function parseStep(step: string): Step {
  const first = step[0];
  if (first === "#" && step.length > 1) return { kind: "inspector", name: step };
  if (first === '"') return { kind: "property", name: unquoted(step) };
  if (first !== "<" || step[step.length - 1] !== ">") return { kind: "property", name: step };
  const inside = uncurried.slice(step, 1, step.length - 1);
  if (inside === "prototype") return { kind: "prototype" };
  const index = indexIn(inside);
  if (index !== undefined) return { kind: "entry", index };
  if (uncurried.startsWith(inside, "key ")) return indexed("key", uncurried.slice(inside, 4, inside.length), step);
  if (uncurried.startsWith(inside, "symbol "))
    return indexed("symbol", uncurried.slice(inside, 7, inside.length), step);
  return { kind: "inspector", name: step };
}

/** The step to a property of that name. */
export function stepOf(name: string): string {
  const first = name[0];
  return first === undefined || first === '"' || first === "<" || first === "#" ? captured.stringify(name) : name;
}

/** The value in an array of one element, or the reason why there is no value. */
export function walk(value: unknown, steps: readonly string[]): [unknown] | Failure {
  let holder: [unknown] = [value];
  for (let index = 0; index < steps.length; index++) {
    const next = open(holder[0], parseStep(steps[index] as string), steps[index] as string);
    if ("why" in next) return next;
    holder = next;
  }
  return holder;
}

function open(value: unknown, step: Step, text: string): [unknown] | Failure {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") {
    const shown = value === null ? "null" : typeof value;
    return missing(`There is nothing at ${text}: the value before it is ${shown}.`);
  }
  if (isProxy(value))
    return missing(`${text} is not looked up in a proxy: its traps are never run. Go on with <target>.`);
  switch (step.kind) {
    case "property":
      return openProperty(value, step.name, text);
    case "entry":
    case "key":
      return openEntry(value, step.index, step.kind === "key", text);
    case "symbol": {
      const symbol = captured.getOwnPropertySymbols(value)[step.index];
      return symbol === undefined ? missing(`There is no ${text} here.`) : (own(value, symbol, text) ?? missing(text));
    }
    case "prototype":
      return [captured.getPrototypeOf(value)];
    case "inspector":
      return missing(`There is no ${text} here.`);
    default:
      return step satisfies never;
  }
}

function openProperty(value: object, name: string, text: string): [unknown] | Failure {
  if (isTypedArray(value)) {
    const index = indexIn(name);
    if (index !== undefined && index < uncurried.typedLength(value)) return [uncurried.typedItem(value, index)];
  }
  let owner: object | null = value;
  for (let depth = 0; owner !== null && depth < 100; depth++) {
    if (isProxy(owner)) return missing(`${text} is not looked up further: a proxy stands in the prototype chain.`);
    const found = own(owner, name, text);
    if (found !== undefined) return found;
    owner = captured.getPrototypeOf(owner) as object | null;
  }
  if (isMap(value)) {
    const index = indexIn(name);
    if (uncurried.mapHas(value, name)) return [uncurried.mapGet(value, name)];
    if (index !== undefined && uncurried.mapHas(value, index)) return [uncurried.mapGet(value, index)];
  }
  return missing(`There is no ${text} here.${namesOf(value)}`);
}

function own(owner: object, key: string | symbol, text: string): [unknown] | Failure | undefined {
  let descriptor: PropertyDescriptor | undefined;
  try {
    descriptor = captured.getOwnPropertyDescriptor(owner, key);
  } catch {
    return missing(`${text} is not initialized: the module has not come to its declaration.`);
  }
  if (descriptor === undefined) return undefined;
  if (descriptor.get === undefined && descriptor.set === undefined) return [descriptor.value];
  return { why: "getter", reason: `${text} is a getter, which is not called by looking.` };
}

function openEntry(value: object, index: number, isKey: boolean, text: string): [unknown] | Failure {
  let found: [unknown] | undefined;
  const hasKeys = isMap(value);
  eachEntry(value, (item, key, at) => {
    if (at === index) found = [isKey && hasKeys ? key : item];
    return at < index;
  });
  if (found !== undefined) return found;
  return missing(`There is no ${text} here.`);
}

function namesOf(value: object): string {
  if (isModuleNamespaceObject(value) || captured.isArray(value)) return "";
  const names = captured.keys(value);
  if (names.length === 0) return "";
  let text = "";
  for (let index = 0; index < names.length && index < LOOK_AHEAD; index++) {
    text += `${index === 0 ? "" : ", "}${names[index] as string}`;
  }
  return ` It has: ${text}${names.length > LOOK_AHEAD ? ", …" : ""}.`;
}

function missing(reason: string): Failure {
  return { why: "missing", reason };
}

function unquoted(step: string): string {
  try {
    const name = captured.parse(step);
    return typeof name === "string" ? name : step;
  } catch {
    return step;
  }
}

function indexed(kind: "key" | "symbol", digits: string, step: string): Step {
  const index = indexIn(digits);
  return index === undefined ? { kind: "inspector", name: step } : { kind, index };
}

function indexIn(text: string): number | undefined {
  const index = +text;
  return captured.String(index) === text && index >= 0 && index % 1 === 0 ? index : undefined;
}
