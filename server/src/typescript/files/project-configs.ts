/** Which tsconfig files to load: those that stand in the workspace, and those they refer to. */
import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readConfigFile } from "../../workspace/config-file.ts";

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
  const { references } = readConfigFile(configFile);
  return Array.isArray(references) && references.length > 0;
}

/** The tsconfig files that a tsconfig names under `references`, as far as the files are there. */
export function referencesOf(configFile: string): string[] {
  const { references } = readConfigFile(configFile);
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
