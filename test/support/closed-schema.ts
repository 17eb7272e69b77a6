/** The published schema, made to refuse fields that it does not name. */
import { readFileSync } from "node:fs";

interface Published {
  readonly $defs: Readonly<Record<string, object>>;
  readonly results: Readonly<Record<string, object>>;
}

export function closedSchema(): Published {
  const file = new URL("../../docs/protocol.schema.json", import.meta.url);
  return JSON.parse(readFileSync(file, "utf8"), close) as Published;
}

/** A reviver for JSON. */
function close(_key: string, value: unknown): unknown {
  const schema = value as { readonly type?: unknown; readonly properties?: unknown } | null;
  return schema?.type === "object" && schema.properties !== undefined
    ? { additionalProperties: false, ...schema }
    : value;
}
