/** What a model is told of a tool's arguments: all that changes what it writes, in as few words as will do. */
import type { JsonSchema } from "../protocol/shapes.ts";

/** By parameter: the schema that models get in place of the whole one, or null for a parameter they are not told of. */
export type ToldParameters = Readonly<Record<string, JsonSchema | null>>;

/** What reads on page by page needs no limit, and every answer that goes on says with which cursor. */
const TOLD_PAGE: ToldParameters = { limit: null, cursor: { type: "string" } };

export function offeredSchema(schema: JsonSchema, own: ToldParameters): JsonSchema {
  const { properties = {}, ...rest } = schema as { readonly properties?: Readonly<Record<string, JsonSchema>> };
  const told = { ...("cursor" in properties ? TOLD_PAGE : {}), ...own };
  const shown = Object.entries(properties).flatMap(([name, whole]): [string, unknown][] => {
    const brief = told[name];
    return brief === null ? [] : [[name, withoutTheObvious(brief ?? whole)]];
  });
  return { ...(withoutTheObvious(rest) as JsonSchema), properties: Object.fromEntries(shown) };
}

/** Nobody writes an empty text, an endless one, line 0 or a parameter that is not listed because no schema forbids it. */
function withoutTheObvious(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTheObvious);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([name, each]) =>
      !(name === "additionalProperties" && each === false) &&
      !((name === "minLength" || name === "minItems") && each === 1) &&
      !((name === "maxLength" || name === "maxItems") && typeof each === "number") &&
      !(name === "minimum" && (each === 0 || each === 1)),
  );
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutTheObvious(each)]));
}
