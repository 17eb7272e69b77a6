/** Which tsconfig files to load: those in the workspace, and those to which they refer. */
import { readConfigFile, referencesOf } from "../../../workspace/config-file.ts";

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
