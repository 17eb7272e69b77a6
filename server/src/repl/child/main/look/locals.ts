/** The variables of a paused function as short texts. None of the user's code runs. */
import { KERNEL_NAME } from "../../wire/kernel-name.ts";
import { captured, uncurried } from "../../shared/captured.ts";
import { printQuietly } from "../../shared/print/quiet-printer.ts";

const MAX_LOCALS = 8;
const MAX_CHARACTERS = 80;
/** Shown when the declaration was not reached, or when V8 dropped the variable because no code needs it any more. */
const NOTHING = "<no value now>";

/**
 * `scopes` are the debugger's, with the innermost first: a name that an inner scope hides is left out. Names without a
 * value come last.
 */
export function localsOf(scopes: readonly object[]): (readonly [string, string])[] {
  const locals: (readonly [string, string])[] = [];
  const unknown: (readonly [string, string])[] = [];
  const seen: Record<string, boolean> = { __proto__: null as never };
  for (let at = 0; at < scopes.length; at++) {
    const scope = scopes[at] as object;
    const names = captured.keys(scope);
    for (let index = 0; index < names.length && locals.length < MAX_LOCALS; index++) {
      const name = names[index] as string;
      if (seen[name] === true || uncurried.startsWith(name, KERNEL_NAME)) continue;
      seen[name] = true;
      const text = textOf(scope, name);
      if (text === NOTHING) unknown[unknown.length] = [name, text];
      else if (text !== undefined) locals[locals.length] = [name, text];
    }
  }
  for (let at = 0; at < unknown.length && locals.length < MAX_LOCALS; at++) {
    locals[locals.length] = unknown[at] as readonly [string, string];
  }
  return locals;
}

/** Undefined for functions, which are no state. */
function textOf(scope: object, name: string): string | undefined {
  try {
    const value = captured.getOwnPropertyDescriptor(scope, name)?.value as unknown;
    return typeof value === "function" ? undefined : printQuietly(value, MAX_CHARACTERS);
  } catch {
    return NOTHING;
  }
}
