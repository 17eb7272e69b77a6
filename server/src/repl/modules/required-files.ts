/**
 * What a CommonJS module requires by relative paths. When a module of the same folder made the same `require` before,
 * Node answers from a cache of its own and runs no hook: only the text says who requires what.
 */
import type { ModuleResolver } from "./module-resolver.ts";

const REQUIRE = /\brequire\(\s*(["'])(\.[^"'\n]*)\1\s*\)/g;

/** Real paths of what is there. */
export function requiredFiles(code: string, path: string, resolver: Pick<ModuleResolver, "resolve">): string[] {
  return [...code.matchAll(REQUIRE)].flatMap(
    ([, , specifier = ""]) => resolver.resolve(specifier, path, ["node", "require"]).path ?? [],
  );
}
