/** A value as one short line. */
import { isHolder, typeOf } from "./value-facts.ts";
import { printQuietly } from "./quiet-printer.ts";

/** A member without its contents. */
export interface Brief {
  readonly preview: string;
  readonly type: string;
  /** The value has members itself. */
  readonly opens?: true;
}

export const ROW = 120;
/** The preview of a string of this length does not show all of it. */
const LONG = 80;

export function brief(value: unknown): Brief {
  return { preview: printQuietly(value, ROW), type: typeOf(value), ...(isOpening(value) ? { opens: true } : {}) };
}

export function isOpening(value: unknown): boolean {
  return isHolder(value) || (typeof value === "string" && value.length > LONG);
}
