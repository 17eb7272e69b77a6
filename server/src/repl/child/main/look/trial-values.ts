/** The values of trials, held until the evaluations come that answer with these values. */
import { types } from "node:util";
import { captured, shieldedMap } from "../../shared/captured.ts";
import { print } from "../../shared/print/printer.ts";
import { printQuietlyAtLength } from "../../shared/print/quiet-printer.ts";

// Taken before user code runs: the object itself can be written to.
const { isPromise } = types;
const { pid } = process;
const MAX_WAITING = 16;

export interface TrialValues {
  /** Answers a token; undefined for a promise, because waiting is no part of a trial. */
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

/** Prints the value of a trial. Nothing of the user's runs for that, as in the trial itself. */
export function printTrial(value: unknown): string {
  const isPrimitive = value === null || (typeof value !== "object" && typeof value !== "function");
  return isPrimitive ? print(value) : printQuietlyAtLength(value);
}
