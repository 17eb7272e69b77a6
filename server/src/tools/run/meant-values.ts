/**
 * Models write `"5"` for a number, `"true"` for a truth value, the JSON text of a list for the list, and one thing for a list
 * of one, or several in place of the one: what can mean nothing else is taken for what the schema says, `7` for a text, `TS2322` for a code, `Function` for
 * `function`. An optional value that says nothing and that the schema refuses is one that is not given: null, false, "", [].
 */
import type { JsonSchema } from "../../protocol/shapes.ts";
import { withOwnNames } from "../own/parameter-names.ts";
import { isObject } from "../../base/is-object.ts";

const WHOLE = /^-?\d{1,15}$/;
const CODE = /^TS(?=\d{4,5}$)/i;
const TRUTH = /^(?:true|false)$/i;

/** The value as the schema has it, where no doubt is possible; else the value itself. */
export function meantValue(schema: unknown, value: unknown): unknown {
  if (!isObject(schema)) return value;
  if (Array.isArray(schema["enum"])) return meantChoice(schema["enum"], value);
  switch (schema["type"]) {
    case "string":
      return meantText(value);
    case "integer": {
      const digits = typeof value === "string" ? value.replace(CODE, "") : "";
      return WHOLE.test(digits) ? Number(digits) : value;
    }
    case "boolean":
      return typeof value === "string" && TRUTH.test(value) ? value.toLowerCase() === "true" : value;
    case "object":
      return meantMembers(schema, read(value, isObject) ?? value);
    case "array":
      return meantList(schema, value);
    default:
      return value;
  }
}

/** A number in digits, or the one text of a list. */
function meantText(value: unknown): unknown {
  const one: unknown = Array.isArray(value) && value.length === 1 && typeof value[0] === "string" ? value[0] : value;
  return typeof one === "number" ? String(one) : one;
}

/** The text in whatever case, where it is one of the choices. */
function meantChoice(choices: readonly unknown[], value: unknown): unknown {
  if (typeof value !== "string" || choices.includes(value)) return value;
  const like = choices.filter(
    (choice) => typeof choice === "string" && choice.toLowerCase() === value.trim().toLowerCase(),
  );
  return like.length === 1 ? like[0] : value;
}

function meantList({ items }: JsonSchema, value: unknown): unknown {
  const list = read(value, Array.isArray) ?? value;
  if (Array.isArray(list)) return list.map((item) => meantValue(items, item));
  const choices = isObject(items) && Array.isArray(items["enum"]) ? items["enum"] : undefined;
  if (choices !== undefined && typeof list === "string") {
    const chosen = list.split(/[,|]/).map((each) => meantChoice(choices, each));
    return chosen.every((each) => choices.includes(each)) ? chosen : value;
  }
  const one = meantValue(items, list);
  const type = isObject(items) ? items["type"] : undefined;
  return (type === "object" && isObject(one)) || (type === "string" && typeof one === "string") ? [one] : value;
}

function meantMembers(schema: JsonSchema, given: unknown): unknown {
  const { properties, required } = schema;
  if (!isObject(given) || !isObject(properties)) return given;
  const named = withOwnNames(schema, given);
  const value = withPlurals(properties, "args" in named ? named.args : given);
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  let isOther = value !== given;
  const members = Object.entries(value).flatMap(([name, each]): [string, unknown][] => {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const isGiven = needed.includes(name) || !isRefusedNothing(own, each);
    const meant = meantValue(own, each);
    isOther ||= !isGiven || meant !== each;
    return isGiven ? [[name, meant]] : [];
  });
  return isOther ? Object.fromEntries(members) : given;
}

/** A list in the place of one text, where the plural of its name takes lists: `symbols` for several of `symbol`. */
function withPlurals(
  properties: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const moved = Object.entries(given).flatMap(([name, value]): [string, string, readonly unknown[]][] => {
    const [own, plural] = [properties[name], properties[`${name}s`]];
    const isOne = isObject(own) && own["type"] === "string" && isObject(plural) && plural["type"] === "array";
    const list = isOne && !(`${name}s` in given) ? (read(value, Array.isArray) ?? value) : undefined;
    return Array.isArray(list) && list.length > 1 ? [[name, `${name}s`, list]] : [];
  });
  if (moved.length === 0) return given;
  const singles = new Set(moved.map(([single]) => single));
  const kept = Object.entries(given).filter(([name]) => !singles.has(name));
  return Object.fromEntries([...kept, ...moved.map(([, plural, list]) => [plural, list] as const)]);
}

function isRefusedNothing(schema: unknown, value: unknown): boolean {
  const isEmptyList = Array.isArray(value) && value.length === 0;
  if (!isObject(schema) || !(value === null || value === false || value === "" || isEmptyList)) return false;
  const { enum: choices, type, minLength, minItems } = schema;
  if (Array.isArray(choices)) return !choices.includes(value);
  const kind = value === null ? "null" : isEmptyList ? "array" : typeof value;
  const kinds: readonly unknown[] = type === undefined ? [kind] : [type].flat();
  // An empty text may have been meant to be a number.
  if (!kinds.includes(kind)) return value !== "" || !kinds.includes("integer");
  return (value === "" && Number(minLength ?? 0) > 0) || (isEmptyList && Number(minItems ?? 0) > 0);
}

/** The value that a text holds as JSON, if it is of the kind. */
function read<Kind>(value: unknown, isKind: (read: unknown) => read is Kind): Kind | undefined {
  if (typeof value !== "string") return undefined;
  try {
    const found = JSON.parse(value) as unknown;
    return isKind(found) ? found : undefined;
  } catch {
    return undefined;
  }
}
