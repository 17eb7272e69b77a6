/**
 * Schemas that say no more than types, names and bounds: a value that such a schema surely takes needs no validator, which
 * costs more to load and to build than the first answer of most tools.
 */
import type { JsonSchema } from "./schema-type.ts";
import { isObject } from "../base/is-object.ts";

type Check = (wanted: never, value: unknown, schema: JsonSchema) => boolean;
type Properties = Readonly<Record<string, unknown>>;

/** True for a value that the schema certainly takes. False says nothing: a validator has to be asked. */
export function isPlainlyValid(schema: unknown, value: unknown): boolean {
  if (schema === true) return true;
  if (!isObject(schema)) return false;
  return Object.entries(schema).every(
    ([keyword, wanted]) => Object.hasOwn(CHECKS, keyword) && CHECKS[keyword]?.(wanted as never, value, schema) === true,
  );
}

/** A keyword that is not here is left to the validator. */
const CHECKS: Readonly<Record<string, Check>> = {
  title: () => true,
  description: () => true,
  default: () => true,
  type: (wanted: string | readonly string[], value) => [wanted].flat().some((type) => isOfType(type, value)),
  enum: (wanted: readonly unknown[], value) => !isObject(value) && wanted.includes(value),
  minimum: (wanted: number, value) => typeof value !== "number" || value >= wanted,
  maximum: (wanted: number, value) => typeof value !== "number" || value <= wanted,
  // A character outside of the basic plane is one for the standard and two here.
  minLength: (wanted: number, value) => typeof value !== "string" || value.length >= (wanted > 1 ? 2 * wanted : wanted),
  maxLength: (wanted: number, value) => typeof value !== "string" || value.length <= wanted,
  minItems: (wanted: number, value) => !Array.isArray(value) || value.length >= wanted,
  maxItems: (wanted: number, value) => !Array.isArray(value) || value.length <= wanted,
  items: (wanted, value) => !Array.isArray(value) || value.every((item) => isPlainlyValid(wanted, item)),
  required: (wanted: readonly string[], value) =>
    !isObject(value) || wanted.every((name) => Object.hasOwn(value, name) && value[name] !== undefined),
  properties: (wanted: Properties, value) =>
    !isObject(value) ||
    Object.entries(value).every(([name, item]) => !Object.hasOwn(wanted, name) || isPlainlyValid(wanted[name], item)),
  additionalProperties: (wanted, value, { properties }) =>
    !isObject(value) ||
    Object.entries(value).every(
      ([name, item]) => (isObject(properties) && Object.hasOwn(properties, name)) || isPlainlyValid(wanted, item),
    ),
};

function isOfType(type: string, value: unknown): boolean {
  if (type === "object") return isObject(value);
  if (type === "array") return Array.isArray(value);
  if (type === "null") return value === null;
  if (type === "integer") return Number.isInteger(value);
  if (type === "number") return Number.isFinite(value);
  return (type === "string" || type === "boolean") && typeof value === type;
}
