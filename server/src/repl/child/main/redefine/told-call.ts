/** A call of a traced function as it is kept: by texts, so that nothing of the program is held. */
import { printQuietly } from "../../shared/print/quiet-printer.ts";
import type { ValueSource } from "../../shared/print/value-source.ts";
import type { Kept } from "./recording.ts";

export const MAX_ARGUMENT = 120;
const MAX_ARGUMENTS = 30;

export interface Told {
  /** The arguments, in brackets. */
  readonly given: string;
  /** The frames that the call came from. */
  readonly callers: () => readonly string[];
  readonly form: ValueSource;
  ended: string;
}

export function keptCall(told: Told): Kept {
  return {
    settle: () => void told.callers(),
    line: () => `${told.given}${told.ended}${from(told.callers())}`,
    detail: () => {
      const { given, ended, form } = told;
      const callers = told.callers();
      let text = `${given}${ended}`;
      for (let index = 0; index < callers.length; index++)
        text += `\n  ${index === 0 ? "from" : "    "} ${callers[index]}`;
      if ("why" in form) return `${text}\nThere is no form that makes the same call: the call was given ${form.why}.`;
      return `${text}\nThe same call as a form, in the scope of the function's module:\n${form.source}`;
    },
  };
}

export function from(callers: readonly string[]): string {
  const [caller] = callers;
  return caller === undefined ? "" : `  from ${caller.replace(/^async /, "")}`;
}

export function printAll(args: readonly unknown[]): string {
  let text = "";
  for (let index = 0; index < args.length && index < MAX_ARGUMENTS; index++) {
    text += `${index === 0 ? "" : ", "}${printQuietly(args[index], MAX_ARGUMENT)}`;
  }
  return args.length > MAX_ARGUMENTS ? `${text}, … (${args.length} arguments)` : text;
}

export function indentation(depth: number): string {
  let text = "";
  for (let level = 0; level < depth && level < 20; level++) text += "  ";
  return text;
}
