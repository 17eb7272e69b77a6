/** What is worth telling of an error of the SDK or of the network. */
import { errorText } from "../../base/errors.ts";

export function whyFailed(error: unknown): string {
  const { cause, status, data } = error as {
    readonly cause?: unknown;
    readonly status?: unknown;
    readonly data?: unknown;
  };
  const more = data === undefined ? "" : ` (${typeof data === "string" ? data : (JSON.stringify(data) ?? "")})`;
  const text = `${typeof status === "number" ? `HTTP ${status}: ` : ""}${errorText(error)}${more}`;
  return text === "fetch failed" && cause !== undefined ? `it cannot be reached: ${errorText(cause)}` : text;
}
