/** A package as its `package.json` describes it, as far as tests depend on it. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { readRegularTextSync } from "../../workspace/regular-file.ts";

type Words = Readonly<Record<string, string>>;

export interface Manifest {
  readonly version?: string;
  readonly bin?: string | Words;
  readonly scripts?: Words;
  readonly dependencies?: Words;
  readonly devDependencies?: Words;
  readonly workspaces?: unknown;
  readonly jest?: unknown;
  readonly mocha?: unknown;
  readonly ava?: unknown;
}

/** Empty where there is none that can be read. */
export function manifestIn(folder: string): Manifest {
  try {
    const manifest = JSON.parse(readRegularTextSync(join(folder, "package.json"))) as Manifest | null;
    return manifest ?? {};
  } catch {
    return {};
  }
}

export function dependsOn({ dependencies = {}, devDependencies = {} }: Manifest, name: string): boolean {
  return name in dependencies || name in devDependencies;
}

export interface InstalledPackage extends Manifest {
  readonly folder: string;
}

/** A package as it is installed for code of this folder. */
export function installedPackage(from: string, name: string): InstalledPackage | undefined {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, "node_modules", name);
    if (existsSync(join(folder, "package.json"))) return { ...manifestIn(folder), folder };
    if (at === dirname(at)) return undefined;
  }
}

/** The program of this name that a package brings, by its absolute path. */
export function programOf({ bin, folder }: InstalledPackage, name: string): string | undefined {
  const path = typeof bin === "string" ? bin : bin?.[name];
  return path === undefined ? undefined : join(folder, path);
}
