/** The errors that forms raised, while they ran or later in the background: those of each form, and the latest of all. */
import type { LastError } from "../image.ts";

const MAX_ERRORS = 1_000;
/** What fails at every tick of a timer takes the place of what it raised before. */
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
