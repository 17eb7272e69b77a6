/**
 * Without a filter, `cpSync` copies a folder in native code that asks for no permission below that folder. It copies
 * links that lead to the project, through which the program can then write, and files that must not be read. With a
 * filter, `cpSync` takes each step in JavaScript, by functions that ask for permission.
 */
import fs from "node:fs";
import { replaceFunction } from "../shared/replace-function.ts";

const everything = (): boolean => true;

export function checkCopies(): void {
  replaceFunction(fs, "cpSync", (copy) => (_, [from, to, options]) => {
    const wanted = { ...(options as object | undefined) } as { readonly filter?: unknown };
    const { filter = everything } = wanted;
    return copy(fs, [from, to, { ...wanted, filter }]);
  });
}
