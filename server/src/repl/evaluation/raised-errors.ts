/** The errors that forms raised, during their run or later in the background: by form, and the latest of all. */
import type { LastError } from "../image.ts";

const MAX_ERRORS = 1_000;
/**
 * How many errors of one form are kept: then each new error replaces the latest one, as with a timer that fails at
 * every tick.
 */
const MAX_OF_FORM = 4;

export class RaisedErrors {
  #all: readonly LastError[] = [];

  add(error: LastError): void {
    const own = this.of(error.evalId);
    const outdated = own.length < MAX_OF_FORM ? undefined : own.at(-1);
    this.#all = [...this.#all.filter((each) => each !== outdated), error].slice(-MAX_ERRORS);
  }

  /** The oldest first. */
  of(evalId: string): readonly LastError[] {
    return this.#all.filter((each) => each.evalId === evalId);
  }

  last(): LastError | undefined {
    return this.#all.at(-1);
  }
}
