/**
 * What a CommonJS module requires by relative paths. Node answers a `require` that another module of the same folder made
 * before from a cache of its own, and asks nobody: the text says who requires what.
 */
import type { ModuleResolver } from "./module-resolver.ts";

const REQUIRE = /\brequire\(\s*(["'])(\.[^"'\n]*)\1\s*\)/g;

/** Real paths of what is there. */
export function requiredFiles(code: string, path: string, resolver: Pick<ModuleResolver, "resolve">): string[] {
  return [...code.matchAll(REQUIRE)].flatMap(
    ([, , specifier = ""]) => resolver.resolve(specifier, path, ["node", "require"]).path ?? [],
  );
}
