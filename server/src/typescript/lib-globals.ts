/** The global names in TypeScript's own `lib.*.d.ts`, read from their text: their trees are tens of megabytes. */
import { readFile } from "node:fs/promises";
import type { Declaration } from "./outline.ts";
import { outermostNames } from "./outermost-names.ts";

const LIB_FILE = /[/\\]lib(?:\.[\w.]+)?\.d\.ts$/;

const known = new Map<string, readonly Declaration[]>();

export function isLibFile(file: string): boolean {
  return LIB_FILE.test(file);
}

/** Each name once; a name that is both an interface and a variable is listed at the first of the two. */
export async function libGlobals(file: string): Promise<readonly Declaration[]> {
  const before = known.get(file);
  if (before !== undefined) return before;
  const text = await readFile(file, "utf8").catch(() => "");
  const declarations = await outermostNames(file, text);
  known.set(file, declarations);
  return declarations;
}
