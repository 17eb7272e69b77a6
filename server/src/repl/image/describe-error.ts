/** An error as data: name, message, stack, cause chain and parts, each bounded, whatever was thrown. */
import { types } from "node:util";
import { captured } from "./captured.ts";
import { print } from "./printer.ts";
import type { RawError } from "./wire.ts";

const MAX_MESSAGE = 8000;
const MAX_STACK = 16_000;
const MAX_DEPTH = 6;
const MAX_PARTS = 10;

export function describeError(thrown: unknown, depth = 0): RawError {
  if (!types.isNativeError(thrown) && !looksLikeError(thrown)) {
    return { name: "Thrown value", message: print(thrown), stack: "" };
  }
  const error = thrown as Error & { code?: unknown; errors?: unknown };
  const cause = depth < MAX_DEPTH ? read(error, "cause") : undefined;
  const parts = depth < MAX_DEPTH ? read(error, "errors") : undefined;
  const code = read(error, "code");
  return {
    name: text(read(error, "name"), 200) || "Error",
    message: text(read(error, "message"), MAX_MESSAGE),
    stack: text(read(error, "stack"), MAX_STACK),
    ...(typeof code === "string" ? { code } : {}),
    ...(cause === undefined || cause === null ? {} : { cause: describeError(cause, depth + 1) }),
    ...(captured.isArray(parts)
      ? { errors: parts.slice(0, MAX_PARTS).map((part) => describeError(part, depth + 1)) }
      : {}),
  };
}

/** Errors of another realm (vm, a worker) are not native errors here, and are still errors. */
function looksLikeError(value: unknown): boolean {
  if (typeof value !== "object" || value === null || types.isProxy(value)) return false;
  return typeof read(value, "message") === "string" && typeof read(value, "stack") === "string";
}

function read(owner: object, key: string): unknown {
  try {
    return (owner as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

function text(value: unknown, limit: number): string {
  if (value === undefined) return "";
  const all = typeof value === "string" ? value : print(value);
  return all.length <= limit ? all : `${all.slice(0, limit)}…`;
}
