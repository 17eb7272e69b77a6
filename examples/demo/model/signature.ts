/** What stands for the provider's signature of a thought: another model's, or one of a changed thought, is told from it. */
import { createHash } from "node:crypto";

export function signatureOf(thinking: string, model: string): string {
  return createHash("sha256").update(`${model}\n${thinking}`).digest("base64");
}
