/** An error as data: name, message, stack, cause chain and parts, each bounded, whatever was thrown. */
import { types } from "node:util";
import { captured, shieldedSet } from "../captured.ts";
import { headOf } from "../cut.ts";
import { print, type PrintLimits } from "./printer.ts";
import type { RawError } from "../../wire/wire.ts";

const MAX_MESSAGE = 8000;
const MAX_STACK = 16_000;
const MAX_DEPTH = 6;
const MAX_PARTS = 10;
/** In all: causes and parts have causes and parts. */
const MAX_ERRORS = 50;
const DETAILS: PrintLimits = { characters: 600, depth: 2, items: 12 };
/** What is told in its own place. */
const TOLD = ["name", "message", "stack", "code", "cause", "errors"];

export function describeError(
  thrown: unknown,
  depth = 0,
  above: Set<unknown> = shieldedSet(),
  budget = { left: MAX_ERRORS },
): RawError {
  budget.left--;
  if (!types.isNativeError(thrown) && !looksLikeError(thrown)) {
    return { name: "Thrown value", message: print(thrown), stack: "" };
  }
  const error = thrown as Error & { code?: unknown; errors?: unknown };
  if (above.has(error)) {
    const message = `${text(read(error, "message"), 200)} (the same error as above)`;
    return { name: nameOf(error), message, stack: "" };
  }
  above.add(error);
  const cause = depth < MAX_DEPTH && budget.left > 0 ? read(error, "cause") : undefined;
  const parts = depth < MAX_DEPTH ? partsOf(error) : undefined;
  const code = read(error, "code");
  const details = detailsOf(error);
  return {
    name: nameOf(error),
    message: text(read(error, "message"), MAX_MESSAGE),
    stack: text(read(error, "stack"), MAX_STACK),
    ...(typeof code === "string" ? { code } : {}),
    ...(details === undefined ? {} : { details }),
    ...(cause === undefined || cause === null ? {} : { cause: describeError(cause, depth + 1, above, budget) }),
    ...(captured.isArray(parts) ? describeParts(parts, depth, above, budget) : {}),
  };
}

/** Those of an AggregateError; of a SuppressedError what failed at the end of a block, and what had failed in the block. */
function partsOf(error: object): unknown {
  const suppressed = read(error, "suppressed");
  return nameOf(error) === "SuppressedError" && suppressed !== undefined
    ? [read(error, "error"), suppressed]
    : read(error, "errors");
}

function describeParts(
  parts: readonly unknown[],
  depth: number,
  above: Set<unknown>,
  budget: { left: number },
): Pick<RawError, "errors" | "moreErrors"> {
  const errors: RawError[] = [];
  for (let index = 0; index < parts.length && index < MAX_PARTS && budget.left > 0; index++) {
    errors[index] = describeError(parts[index], depth + 1, above, budget);
  }
  return parts.length > errors.length ? { errors, moreErrors: parts.length - errors.length } : { errors };
}

/** The error's other properties: a status, a path, what was not permitted. */
function detailsOf(error: object): string | undefined {
  if (types.isProxy(error)) return undefined;
  const others = {};
  const keys = captured.keys(error);
  let count = 0;
  for (let index = 0; index < keys.length && count < DETAILS.items; index++) {
    const key = keys[index] as string;
    const descriptor = captured.getOwnPropertyDescriptor(error, key);
    if (descriptor === undefined || isTold(key, descriptor.value)) continue;
    captured.defineProperty(others, key, descriptor);
    count++;
  }
  return count === 0 ? undefined : print(others, DETAILS);
}

/** A `code` that is no text is shown with the other properties. */
function isTold(key: string, value: unknown): boolean {
  for (let index = 0; index < TOLD.length; index++) {
    if (TOLD[index] === key) return key !== "code" || typeof value === "string";
  }
  return false;
}

/** A class of one's own whose errors have the name of what it extends is told by its own, as Node does. */
function nameOf(error: object): string {
  const name = text(read(error, "name"), 200) || "Error";
  const proto = captured.getPrototypeOf(error) as object | null;
  if (proto === null || types.isProxy(proto)) return name;
  if (captured.hasOwn(error, "name") || captured.hasOwn(proto, "name")) return name;
  const made: unknown = captured.getOwnPropertyDescriptor(proto, "constructor")?.value;
  if (typeof made !== "function" || types.isProxy(made)) return name;
  return text(captured.getOwnPropertyDescriptor(made, "name")?.value, 200) || name;
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
  return all.length <= limit ? all : `${headOf(all, limit)}…`;
}
