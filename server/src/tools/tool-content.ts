/** What a handler gave back, as the text that is answered. */
import { ToolFailure, type ToolAnswer } from "./tool.ts";
import { errorText } from "../base/errors.ts";

const ANSWER_KEYS: ReadonlySet<string> = new Set(["content", "complete", "truncated", "nextCursor", "notes", "lists"]);

export function toAnswer(result: unknown): ToolAnswer {
  return isAnswer(result) ? result : { content: resultText(result) };
}

/** A text as it is, nothing as "nil", and any other value as JSON. Throws `ToolFailure` for a value without a JSON form. */
export function resultText(result: unknown): string {
  if (result === undefined || result === null) return "nil";
  if (typeof result === "string") return result;
  try {
    const text = JSON.stringify(result, withJsonForm) as string | undefined;
    if (text !== undefined) return text;
    throw new Error(`it is a ${typeof result}`);
  } catch (error) {
    const reason = errorText(error);
    throw new ToolFailure(`The tool ran, but its result cannot be written as JSON: ${reason}`);
  }
}

/** JSON has `{}` or `null` for what would lose all that it holds. */
const WITHOUT_FORM = /^(?:Map|Set|WeakMap|WeakSet|RegExp|Error|Promise)$/;

function withJsonForm(_key: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new Error(`it holds ${value}`);
  const kind = Object.prototype.toString.call(value).slice("[object ".length, -1);
  if (WITHOUT_FORM.test(kind)) throw new Error(`it holds a ${kind}`);
  return value;
}

/** A value with other properties than those of an answer is data of its own. */
function isAnswer(result: unknown): result is ToolAnswer {
  if (typeof result !== "object" || result === null) return false;
  return (
    typeof (result as { content?: unknown }).content === "string" &&
    Object.keys(result).every((key) => ANSWER_KEYS.has(key))
  );
}
