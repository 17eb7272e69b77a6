/**
 * V8 regards many of Node's internal functions as free of side effects, and some end the process when they get
 * unexpected arguments. Asking for these functions writes to an object that is older than the trial, so that a trial
 * ends there. A confined image has no access to these functions.
 */
import { replaceFunction } from "../../shared/replace-function.ts";

export function markInternalBindings(): void {
  const mark = { asked: 0 };
  for (const name of ["binding", "_linkedBinding"]) {
    replaceFunction(process, name, (original) => (self, args) => {
      mark.asked += 1;
      return original(self, args);
    });
  }
}
