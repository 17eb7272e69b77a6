/** Joins the schemas of a union's members into the shortest schema that says the same. */
import type { JsonSchema } from "../../protocol/shapes.ts";

type Scalar = string | number | boolean;

/**
 * Literals become one `enum`, `true | false` a boolean, plain types one list of type names; everything else is an
 * `anyOf`, in the compiler's order with null at the end.
 */
export function combineUnion(members: readonly JsonSchema[]): JsonSchema {
  if (members.some((schema) => Object.keys(schema).length === 0)) return {};
  const constants = members.flatMap((schema) => ("const" in schema ? [schema["const"] as Scalar] : []));
  const isBoolean = constants.includes(true) && constants.includes(false);
  const literals = constants.filter((value) => !(isBoolean && typeof value === "boolean"));
  const others = members.filter((schema) => !("const" in schema) && schema["type"] !== "null");
  const plain = others.filter(isPlain).map((schema) => String(schema["type"]));
  if (isBoolean) plain.push("boolean");
  // `"a" | "b" | string` keeps its suggestions as examples of the string it is.
  const free = literals.filter((value) => !plain.includes(typeof value));
  const suggested = literals.filter((value) => plain.includes(typeof value));
  const hasNull = members.some((schema) => schema["type"] === "null");
  const branches: JsonSchema[] = [];
  if (free.length > 0) branches.push(enumSchema(free));
  if (plain.length > 0) {
    const examples = suggested.length > 0 ? { examples: suggested } : {};
    branches.push({ type: single([...new Set(plain)]), ...examples });
  }
  branches.push(...others.filter((schema) => !isPlain(schema)));
  if (branches.length === 0) return hasNull ? { type: "null" } : { not: {} };
  const [only] = branches;
  if (only !== undefined && branches.length === 1) return hasNull ? withNull(only) : only;
  return { anyOf: [...branches, ...(hasNull ? [{ type: "null" }] : [])] };
}

function enumSchema(values: readonly Scalar[]): JsonSchema {
  const types = [...new Set(values.map((value) => typeof value as string))];
  return values.length === 1 ? { type: single(types), const: values[0] } : { type: single(types), enum: values };
}

function withNull(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema["enum"]) || "const" in schema) {
    const values = Array.isArray(schema["enum"]) ? (schema["enum"] as unknown[]) : [schema["const"]];
    const types = [...new Set(values.map((value) => typeof value as string)), "null"];
    return { type: types, enum: [...values, null] };
  }
  const { type } = schema;
  if (type === undefined) return { anyOf: [schema, { type: "null" }] };
  // An object's or array's keywords say nothing about null, so the type null may be added beside them.
  return { ...schema, type: [...(Array.isArray(type) ? (type as unknown[]) : [type]), "null"] };
}

function isPlain(schema: JsonSchema): boolean {
  const keys = Object.keys(schema);
  return keys.length === 1 && typeof schema["type"] === "string";
}

function single(types: readonly string[]): string | readonly string[] {
  return types.length === 1 ? (types[0] ?? "string") : types;
}
