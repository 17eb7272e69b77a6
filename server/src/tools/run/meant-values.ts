/**
 * Models write `"5"` for a number, `"true"` for a truth value, the JSON text of a list for the list, and one thing for a list
 * of one: what can mean nothing else is taken for what the schema says, `7` for a text, `TS2322` for a code, `Function` for
 * `function`.
 */
import type { JsonSchema } from "../../protocol/shapes.ts";

const WHOLE = /^-?\d{1,15}$/;
const CODE = /^TS(?=\d{4,5}$)/i;

/** The value as the schema has it, where no doubt is possible; else the value itself. */
export function meantValue(schema: unknown, value: unknown): unknown {
  if (!isObject(schema)) return value;
  if (Array.isArray(schema["enum"])) return meantChoice(schema["enum"], value);
  switch (schema["type"]) {
    case "string":
      return typeof value === "number" ? String(value) : value;
    case "integer": {
      const digits = typeof value === "string" ? value.replace(CODE, "") : "";
      return WHOLE.test(digits) ? Number(digits) : value;
    }
    case "boolean":
      return value === "true" || value === "false" ? value === "true" : value;
    case "object":
      return meantMembers(schema, read(value, isObject) ?? value);
    case "array":
      return meantList(schema, value);
    default:
      return value;
  }
}

/** In whatever case, where that is one of the choices. */
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

function meantMembers({ properties }: JsonSchema, value: unknown): unknown {
  if (!isObject(value) || !isObject(properties)) return value;
  const changed = Object.entries(value).flatMap(([name, each]): [string, unknown][] => {
    const meant = Object.hasOwn(properties, name) ? meantValue(properties[name], each) : each;
    return meant === each ? [] : [[name, meant]];
  });
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
}

/** What stands in a text as JSON, if it is of the kind. */
function read<Kind>(value: unknown, isKind: (read: unknown) => read is Kind): Kind | undefined {
  if (typeof value !== "string") return undefined;
  try {
    const found = JSON.parse(value) as unknown;
    return isKind(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
