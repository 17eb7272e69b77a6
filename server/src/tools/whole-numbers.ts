/** Models write `"5"` where a schema says integer; what can mean nothing else is taken for it. */
import type { JsonSchema } from "../protocol/shapes.ts";

const WHOLE = /^-?\d{1,15}$/;

/** The arguments with such texts as numbers; the same object when there are none. */
export function withWholeNumbers(
  schema: JsonSchema,
  args: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (typeof args !== "object" || args === null) return args;
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, { readonly type?: unknown } | undefined>>;
  const changed = Object.entries(args).flatMap(([name, value]): [string, number][] => {
    const isMeant = Object.hasOwn(properties, name) && properties[name]?.type === "integer";
    return isMeant && typeof value === "string" && WHOLE.test(value) ? [[name, Number(value)]] : [];
  });
  return changed.length === 0 ? args : { ...args, ...Object.fromEntries(changed) };
}
