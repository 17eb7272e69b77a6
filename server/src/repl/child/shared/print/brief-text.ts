/** A value in one short line. */
import { typeOf } from "./value-facts.ts";
import { printQuietly } from "./quiet-printer.ts";

/** What a member looks like from outside. */
export interface Brief {
  readonly preview: string;
  readonly type: string;
  /** There is something inside. */
  readonly opens?: true;
}

export const ROW = 120;
/** A string of this length is not told by its preview. */
const LONG = 80;

export function brief(value: unknown): Brief {
  return { preview: printQuietly(value, ROW), type: typeOf(value), ...(isOpening(value) ? { opens: true } : {}) };
}

export function isHolder(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

export function isOpening(value: unknown): boolean {
  return isHolder(value) || (typeof value === "string" && value.length > LONG);
}
