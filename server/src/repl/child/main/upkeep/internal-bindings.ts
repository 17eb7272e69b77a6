/**
 * V8 takes many of Node's internal functions for harmless, and some end the process when they are given what they do not
 * expect. So that a trial without side effects ends before it has one, asking for them leaves a mark on something older
 * than the trial. A confined image has none.
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
