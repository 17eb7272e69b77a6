/** The values of trials, held until an evaluation takes them. */
import { types } from "node:util";
import { captured, shieldedMap } from "../../shared/captured.ts";
import { print } from "../../shared/print/printer.ts";
import { printQuietlyAtLength } from "../../shared/print/quiet-printer.ts";

// Copied before user code runs, because user code can write to the object.
const { isPromise } = types;
const { pid } = process;
const MAX_WAITING = 16;

export interface TrialValues {
  /** Answers a token; undefined for a promise, because a trial does not wait. */
  readonly hold: (value: unknown) => string | undefined;
  /** Throws for a token of another process. */
  readonly take: (token: string) => unknown;
}

export function createTrialValues(): TrialValues {
  const waiting = shieldedMap<string, { readonly value: unknown }>();
  let count = 0;
  return {
    hold: (value) => {
      if (isPromise(value)) return undefined;
      const token = `${pid}.${++count}`;
      waiting.set(token, { value });
      waiting.delete(`${pid}.${count - MAX_WAITING}`);
      return token;
    },
    take: (token) => {
      const kept = waiting.get(token);
      waiting.delete(token);
      if (kept === undefined) throw new captured.Error("The REPL was restarted meanwhile: evaluate it again.");
      return kept.value;
    },
  };
}

/** Prints the value of a trial. None of the user's code runs, as in the trial itself. */
export function printTrial(value: unknown): string {
  const isPrimitive = value === null || (typeof value !== "object" && typeof value !== "function");
  return isPrimitive ? print(value) : printQuietlyAtLength(value);
}
