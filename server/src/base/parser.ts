/**
 * The parser of oxc, which is loaded with the first text that is parsed: it is native code, and slow to load beside all else
 * that a program below `agentq run` loads.
 */
import { createRequire } from "node:module";
import type * as Oxc from "oxc-parser";

let loaded: typeof Oxc | undefined;
const require = createRequire(import.meta.url);
const oxc = (): typeof Oxc => (loaded ??= require("oxc-parser") as typeof Oxc);

export const parseSync: typeof Oxc.parseSync = (...args) => oxc().parseSync(...args);

/** The names of the properties of nodes of this type that hold other nodes; undefined for a type that there is not. */
export function childKeys(type: string): readonly string[] | undefined {
  return oxc().visitorKeys[type];
}
