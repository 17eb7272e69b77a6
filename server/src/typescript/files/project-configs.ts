/** Which tsconfig files to load: those that stand in the workspace, and those they refer to. */
import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readRegularTextSync } from "../../workspace/regular-file.ts";

export interface ProjectConfigs {
  readonly files: readonly string[];
  /** How many were left out by the limit. */
  readonly leftOut: number;
}

const MAX_PROJECTS = 200;

/** Follows `references` from the given files, so that `tsconfig.app.json` behind a `tsconfig.json` is found as well. */
export function projectConfigs(found: readonly string[]): ProjectConfigs {
  const files = new Set(found);
  for (const file of files) for (const reference of referencesOf(file)) files.add(reference);
  const all = [...files];
  return { files: all.slice(0, MAX_PROJECTS), leftOut: Math.max(0, all.length - MAX_PROJECTS) };
}

/** A tsconfig that only refers to others: it may have no files of its own. */
export function isSolution(configFile: string): boolean {
  const { references } = readConfig(configFile);
  return Array.isArray(references) && references.length > 0;
}

function readConfig(configFile: string): { readonly references?: unknown } {
  try {
    return (
      (JSON.parse(withoutComments(readRegularTextSync(configFile, { lossy: true }))) as {
        references?: unknown;
      } | null) ?? {}
    );
  } catch {
    // The compiler reports what is wrong with the file; here it only has no references.
    return {};
  }
}

/** The tsconfig files it names under `references` that are there. */
export function referencesOf(configFile: string): string[] {
  const { references } = readConfig(configFile);
  if (!Array.isArray(references)) return [];
  return references.flatMap((reference: unknown) => {
    const path = (reference as { path?: unknown } | null)?.path;
    return typeof path === "string" ? existingConfig(resolve(dirname(configFile), path)) : [];
  });
}

function existingConfig(path: string): string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() === true) return [path];
  const inside = join(path, "tsconfig.json");
  return statSync(inside, { throwIfNoEntry: false })?.isFile() === true ? [inside] : [];
}

/** JSON without comments and trailing commas; strings are left as they are. */
export function withoutComments(text: string): string {
  return text
    .replace(/^\uFEFF/, "")
    .replace(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_match, string: string | undefined) => string ?? "")
    .replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, (_match, string: string | undefined) => string ?? "");
}
