/** Imports below a tsconfig that cannot be read in full: the resolver refuses every question about them. */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { basesOf, readConfigFile } from "../../workspace/config-file.ts";

const MAX_BASES = 8;

/** Whether the error is the resolver's message about a tsconfig that it cannot use. */
export function isConfigTrouble(error: string): boolean {
  return /^(?:Tsconfig|Failed to load tsconfig)\b/i.test(error);
}

export function nearestConfig(folder: string, root: string): string | undefined {
  const file = join(folder, "tsconfig.json");
  if (existsSync(file)) return file;
  const up = dirname(folder);
  return folder === root || up === folder ? undefined : nearestConfig(up, root);
}

/** The `paths` of the first file that has any: the tsconfig itself, then the files that the tsconfig extends. */
export function readablePaths(file: string): Record<string, string[]> {
  const waiting = [file];
  for (let count = 0; count < MAX_BASES; count++) {
    const at = waiting.shift();
    if (at === undefined) break;
    const config = readConfigFile(at);
    const { paths, baseUrl } = (config["compilerOptions"] ?? {}) as { paths?: unknown; baseUrl?: unknown };
    if (typeof paths === "object" && paths !== null) {
      const from = resolve(dirname(at), typeof baseUrl === "string" ? baseUrl : ".");
      const named = Object.entries(paths).map(([name, to]) => [aliasOf(name), targetsOf(to, from)] as const);
      return Object.fromEntries(named);
    }
    waiting.push(...basesOf(at, config));
  }
  return {};
}

/** A name without a star is an alias for the whole specifier. */
function aliasOf(name: string): string {
  return name.includes("*") ? name : `${name}$`;
}

function targetsOf(to: unknown, from: string): string[] {
  const targets: readonly unknown[] = Array.isArray(to) ? to : [];
  return targets.filter((each) => typeof each === "string").map((each) => resolve(from, each));
}
