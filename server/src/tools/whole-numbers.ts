/** Models write `"5"` where a schema says integer; a text that can mean nothing else is taken for the number. */
import type { JsonSchema } from "../protocol/shapes.ts";

const WHOLE = /^-?\d{1,15}$/;

/** The arguments with such texts replaced by numbers; the same object when there are none. */
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
