/** An error as data: name, message, stack, chain of causes, and parts. Each is bounded, whatever was thrown. */
import { types } from "node:util";
import { captured, shieldedSet } from "../captured.ts";
import { headOf } from "../cut.ts";
import { print, type PrintLimits } from "./printer.ts";
import type { RawError } from "../../wire/wire.ts";

const MAX_MESSAGE = 8000;
const MAX_STACK = 16_000;
const MAX_DEPTH = 6;
const MAX_PARTS = 10;
/** The limit of all errors together: causes and parts may have causes and parts themselves. */
const MAX_ERRORS = 50;
const DETAILS: PrintLimits = { characters: 600, depth: 2, items: 12 };
/** Properties that have a field of their own in the data. */
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

/**
 * The parts of an AggregateError. The parts of a SuppressedError are the error at the end of a block, and the one
 * inside of the block.
 */
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

/** A `code` that is no string is printed with the other properties. */
function isTold(key: string, value: unknown): boolean {
  for (let index = 0; index < TOLD.length; index++) {
    if (TOLD[index] === key) return key !== "code" || typeof value === "string";
  }
  return false;
}

/**
 * The error's name. A class that inherits the name from the class it extends is shown by its own name, as Node does.
 */
function nameOf(error: object): string {
  const name = text(read(error, "name"), 200) || "Error";
  const proto = captured.getPrototypeOf(error) as object | null;
  if (proto === null || types.isProxy(proto)) return name;
  if (captured.hasOwn(error, "name") || captured.hasOwn(proto, "name")) return name;
  const made: unknown = captured.getOwnPropertyDescriptor(proto, "constructor")?.value;
  if (typeof made !== "function" || types.isProxy(made)) return name;
  return text(captured.getOwnPropertyDescriptor(made, "name")?.value, 200) || name;
}

/** Errors of another realm (vm, a worker) are not native errors here, but they are errors. */
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
