/** What stands for the provider's signature of a thought: another model's, or one of a changed thought, is told from it. */
import { createHash } from "node:crypto";
import type { RequestBody } from "./request-body.ts";

/** Of what stands before a reply: what was thought holds behind that alone. */
export function prefixOf({ system, tools, messages }: RequestBody, end = messages.length): string {
  const text = JSON.stringify([system, tools ?? [], messages.slice(0, end)], (name, value: unknown) =>
    name === "cache_control" ? undefined : value,
  );
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

export function signatureOf(thinking: string, model: string): string {
  return createHash("sha256").update(`${model}\n${thinking}`).digest("base64");
}
