/**
 * The relative paths that a CommonJS module requires. When another module of the same folder made the same `require`
 * before, Node answers from its own cache and runs no hook, so the requires are read from the text.
 */
import type { ModuleResolver } from "./module-resolver.ts";

const REQUIRE = /\brequire\(\s*(["'])(\.[^"'\n]*)\1\s*\)/g;

/** Real paths of the required files that exist. */
export function requiredFiles(code: string, path: string, resolver: Pick<ModuleResolver, "resolve">): string[] {
  return [...code.matchAll(REQUIRE)].flatMap(
    ([, , specifier = ""]) => resolver.resolve(specifier, path, ["node", "require"]).path ?? [],
  );
}
