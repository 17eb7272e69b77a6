/** The parts of a `package.json` that tests need. */
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

/** Empty when there is none, or none that can be read. */
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

/** The installed package that code in this folder gets. */
export function installedPackage(from: string, name: string): InstalledPackage | undefined {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, "node_modules", name);
    if (existsSync(join(folder, "package.json"))) return { ...manifestIn(folder), folder };
    if (at === dirname(at)) return undefined;
  }
}

/** The absolute path of a package's program of this name. */
export function programOf({ bin, folder }: InstalledPackage, name: string): string | undefined {
  const path = typeof bin === "string" ? bin : bin?.[name];
  return path === undefined ? undefined : join(folder, path);
}
