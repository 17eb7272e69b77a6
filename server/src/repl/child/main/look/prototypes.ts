/** Prototypes as names, without running the traps of a proxy among them. */
import { types } from "node:util";
import { captured, uncurried } from "../../shared/captured.ts";
import { ROW } from "../../shared/print/brief-text.ts";

const { isProxy } = types;
const NATIVE = "{ [native code] }";

const replaced = new WeakMap<object, string>();
const replacedName = replaced.get.bind(replaced);

/** Remembers the prototype of a redefined class, which was emptied for the new class, with the name of the class. */
export const markReplaced: (proto: object, name: string) => void = replaced.set.bind(replaced);

/** `Invoice < Document < Object`. */
export function chainOf(value: object): string {
  let text = "";
  let proto = captured.getPrototypeOf(value) as object | null;
  for (let depth = 0; proto !== null && depth < 12;) {
    const arrow = text === "" ? "" : " < ";
    if (isProxy(proto)) return `${text}${arrow}a proxy`;
    if (replacedName(proto) === undefined) {
      text += `${arrow}${classOf(proto) ?? "(no class)"}`;
      depth++;
    }
    proto = captured.getPrototypeOf(proto) as object | null;
  }
  return text === "" ? "null" : text;
}

/** `Invoice { add, total }`: the names that a prototype has. */
export function contents(proto: object): string {
  const names = captured.getOwnPropertyNames(proto);
  let text = "";
  for (let index = 0; index < names.length && text.length < ROW; index++) {
    if (names[index] !== "constructor") text += `${text === "" ? "" : ", "}${names[index] as string}`;
  }
  const before = replacedName(proto);
  const name = before === undefined ? (classOf(proto) ?? "(no class)") : `${before} before it was redefined`;
  return text === "" ? `${name} {}` : `${name} { ${text.length < ROW ? text : `${uncurried.slice(text, 0, ROW)}…`} }`;
}

/** The name of the class whose prototype `proto` is. */
export function classOf(proto: object): string | undefined {
  const constructor = captured.getOwnPropertyDescriptor(proto, "constructor")?.value as unknown;
  if (typeof constructor !== "function" || isProxy(constructor)) return undefined;
  const name = captured.getOwnPropertyDescriptor(constructor, "name")?.value as unknown;
  return typeof name === "string" && name !== "" ? uncurried.slice(name, 0, 80) : "(anonymous)";
}

/** Whether the prototype belongs to the language itself. */
export function isBuiltIn(proto: object): boolean {
  const constructor = captured.getOwnPropertyDescriptor(proto, "constructor")?.value as unknown;
  return typeof constructor === "function" && uncurried.functionText(constructor).length < 200 && isNative(constructor);
}

export function isNative(value: object): boolean {
  const text = uncurried.functionText(value);
  return uncurried.slice(text, text.length - NATIVE.length, text.length) === NATIVE;
}
