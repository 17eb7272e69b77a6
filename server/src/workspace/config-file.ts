/** Reads tsconfig files as their authors write them: JSON with comments, trailing commas and a byte order mark. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, resolve } from "node:path";
import JSON5 from "json5";
import { readRegularTextSync } from "./regular-file.ts";
import { statsOf } from "./file-names.ts";

/** Empty for a file that cannot be read or parsed: the compiler reports what is wrong with such a file. */
export function readConfigFile(path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON5.parse(readRegularTextSync(path, { lossy: true }));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The files that a tsconfig extends and that are there, in the order of their precedence. */
export function basesOf(file: string, config: Readonly<Record<string, unknown>>): string[] {
  const named: unknown = config["extends"];
  const bases: readonly unknown[] = Array.isArray(named) ? named : [named];
  return bases.flatMap((base) => (typeof base === "string" ? (findBase(file, base) ?? []) : []));
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
  const stats = statsOf(path);
  if (stats?.isFile() === true) return [path];
  const inside = join(path, "tsconfig.json");
  return statsOf(inside)?.isFile() === true ? [inside] : [];
}

function findBase(file: string, base: string): string | undefined {
  if (base.startsWith(".") || isAbsolute(base)) {
    const path = resolve(dirname(file), base);
    return [path, `${path}.json`].find((candidate) => existsSync(candidate));
  }
  const require = createRequire(file);
  for (const request of [base, `${base}.json`, `${base}/tsconfig.json`]) {
    try {
      return require.resolve(request);
    } catch {
      // The next form of the name may exist.
    }
  }
  return undefined;
}
