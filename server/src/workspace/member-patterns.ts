/** Which folders a monorepo's root names as its packages. */
import { dirname, matchesGlob, relative, sep } from "node:path";

/**
 * The patterns of `workspaces` in package.json and of `packages` in pnpm-workspace.yaml, as they are written; those that begin
 * with `!` leave folders out.
 *
 * @param workspaces the value in package.json, which may be anything
 * @param pnpm the text of pnpm-workspace.yaml in its usual spelling; undefined where there is none
 */
export function memberPatterns(workspaces: unknown, pnpm: string | undefined): string[] {
  const isNested = typeof workspaces === "object" && workspaces !== null && "packages" in workspaces;
  const list: unknown = isNested ? workspaces.packages : workspaces;
  const named = Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
  const [, lines = ""] = /^packages:[ \t]*(?:#.*)?\r?\n((?:[ \t]*(?:-.*|#.*)?\r?\n?)+)/m.exec(pnpm ?? "") ?? [];
  const found = [...lines.matchAll(/^[ \t]*-[ \t]*(["']?)([^"'#\r\n]+?)\1[ \t]*(?:#.*)?$/gm)];
  return [...named, ...found.map(([, , name = ""]) => name)];
}

/** Whether a folder below the root is one of its packages, or lies in one. */
export function isMember(root: string, folder: string, patterns: readonly string[]): boolean {
  const plain = patterns.map((pattern) => pattern.replace(/^(!?)(?:\.\/)?(.*?)\/*$/, "$1$2"));
  const [out, names] = [plain.filter((each) => each.startsWith("!")), plain.filter((each) => !each.startsWith("!"))];
  const fits = (at: string, pattern: string): boolean => matchesGlob(relative(root, at).replaceAll(sep, "/"), pattern);
  for (let at = folder; at !== root && at !== dirname(at); at = dirname(at)) {
    if (names.some((pattern) => fits(at, pattern))) return !out.some((pattern) => fits(at, pattern.slice(1)));
  }
  return false;
}
