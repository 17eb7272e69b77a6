/** What a handler gave back, as the text that is answered. */
import { ToolFailure, type ToolAnswer } from "./tool.ts";
import { errorText } from "../base/errors.ts";

const ANSWER: Readonly<Record<keyof ToolAnswer, (value: unknown) => boolean>> = {
  content: (value) => typeof value === "string",
  complete: (value) => typeof value === "boolean",
  truncated: (value) => typeof value === "boolean",
  nextCursor: (value) => typeof value === "string",
  notes: (value) => Array.isArray(value) && value.every((note) => typeof note === "string"),
  lists: (value) => typeof value === "function",
};

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

/** JSON has `{}` or `null` for what would lose all that it holds. `this` is the object or list that holds the value. */
function withJsonForm(this: unknown, key: string, value: unknown): unknown {
  const lost = withoutForm(value, (this as Readonly<Record<string, unknown>>)[key], Array.isArray(this));
  if (lost !== undefined) throw new Error(`it holds ${lost}`);
  return value;
}

/** `original` is the value before its own `toJSON`. A property that is a function is left out of JSON, as it is everywhere. */
function withoutForm(value: unknown, original: unknown, isInList: boolean): string | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (isInList && (typeof value === "function" || typeof value === "symbol")) return `a ${typeof value}`;
  if (original instanceof Date && value === null) return "an invalid Date";
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const kind = Object.prototype.toString.call(value).slice("[object ".length, -1);
  const isPlain = kind === "Object" || /^(?:Number|String|Boolean)$/.test(kind) || ArrayBuffer.isView(value);
  // What keeps its content elsewhere than in properties, as a Map or a URLSearchParams does, has a kind of its own.
  const isLost = kind === "Error" || (!isPlain && Object.keys(value).length === 0);
  return isLost || KEPT_INSIDE.test(kind) ? `${/^[AEIO]/.test(kind) ? "an" : "a"} ${kind}` : undefined;
}

const KEPT_INSIDE = /^(?:Map|Set|WeakMap|WeakSet|RegExp|Promise|DataView)$/;

/** A value with other properties than those of an answer, or with others in their place, is data of its own. */
function isAnswer(result: unknown): result is ToolAnswer {
  if (typeof result !== "object" || result === null || !("content" in result)) return false;
  return Object.entries(result).every(
    ([key, value]) =>
      Object.hasOwn(ANSWER, key) &&
      ((value === undefined && key !== "content") || ANSWER[key as keyof ToolAnswer](value)),
  );
}
