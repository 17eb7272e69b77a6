/** Turns the inspector's answer to an evaluation into the result for the server. */
import type { Runtime } from "node:inspector";
import { inKernel, kernelCall } from "../wire/kernel-call.ts";
import type { FromImage, KeptValue, RawError } from "../wire/wire.ts";
import type { Post, Reply } from "./inspector/inspector-post.ts";

export type EvaluationResult = Omit<Extract<FromImage, { t: "result" }>, "t" | "id">;

export async function toResult(post: Post, reply: Reply<Runtime.EvaluateReturnType>): Promise<EvaluationResult> {
  const { error, result } = reply;
  const details = result?.exceptionDetails;
  if (error !== null || result === undefined) return { outcome: "error", error: inspectorError(error) };
  if (details === undefined) return { outcome: "value", value: keptValue(result.result.value) };
  const thrown = await describe(post, details);
  const isSyntax = details.exception?.className === "SyntaxError" && !/^\s+at /m.test(thrown.stack);
  if (!isSyntax) return { outcome: "error", error: thrown };
  return { outcome: "error", error: thrown, at: { line: details.lineNumber, column: details.columnNumber } };
}

/** Code without a value answers undefined; code with a value answers the text that the kernel's `keep` made. */
function keptValue(text: unknown): KeptValue {
  if (typeof text !== "string") return { preview: "undefined", type: "undefined" };
  try {
    return JSON.parse(text) as KeptValue;
  } catch {
    return { preview: text, type: "string" };
  }
}

async function describe(post: Post, details: Runtime.ExceptionDetails): Promise<RawError> {
  const thrown = details.exception;
  const argument = thrown?.objectId === undefined ? { value: thrown?.value as unknown } : { objectId: thrown.objectId };
  if (thrown?.unserializableValue !== undefined) return simple("Thrown value", thrown.unserializableValue);
  const { result } = await post<{ result: Runtime.RemoteObject }>("Runtime.callFunctionOn", {
    functionDeclaration: `async function(e){ await ${kernelCall("tick")}; return ${inKernel("error")}(e); }`,
    arguments: [argument],
    executionContextId: thrown?.objectId === undefined ? (details.executionContextId ?? 1) : undefined,
    objectId: thrown?.objectId,
    awaitPromise: true,
    returnByValue: true,
  });
  const text = result?.result.value as unknown;
  if (typeof text !== "string") return simple("Error", thrown?.description ?? details.text);
  return JSON.parse(text) as RawError;
}

function inspectorError(error: Error | null): RawError {
  const message = error?.message ?? "the inspector gave no answer";
  if (!message.includes("Promise was collected")) return simple("Error", message);
  return simple("NeverSettles", "The form awaits a promise that nothing can ever settle.");
}

function simple(name: string, message: string): RawError {
  return { name, message, stack: "" };
}
