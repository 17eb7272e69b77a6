/** The project's installed vitest: the facts that a start needs. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { readRegularTextSync } from "../../workspace/regular-file.ts";

export function findVitest(root: string): { readonly version: string } | undefined {
  const vitest = resolveFrom(join(root, "package.json"), "vitest/package.json");
  if (vitest === undefined) return undefined;
  const { version = "" } = JSON.parse(readRegularTextSync(vitest)) as { readonly version?: string };
  return { version };
}

function resolveFrom(file: string, name: string): string | undefined {
  try {
    return createRequire(file).resolve(name);
  } catch {
    return undefined;
  }
}

/** A glob that matches exactly this path. */
export function globFor(path: string): string {
  return path.replace(/[\\[\](){}*?!+@|]/g, "\\$&");
}
