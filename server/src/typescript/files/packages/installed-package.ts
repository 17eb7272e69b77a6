/** An installed package by what an import names: where it is, which declarations that means, what else it offers. */
import { realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readRegularText } from "../../../workspace/regular-file.ts";
import { exportTargets } from "./package-exports.ts";
import type { View } from "../../view.ts";

export interface InstalledPackage {
  readonly name: string;
  readonly version: string | undefined;
  /** The declaration file, or the JavaScript of a package without any; undefined when it does not offer this path. */
  readonly entry: string | undefined;
  /** The package the declarations came from, when it is another one: `@types/plain`. */
  readonly typesFrom: string | undefined;
  /** Every path it offers, as an import names it: `kit`, `kit/files`, `kit/parts/*`. */
  readonly offered: readonly string[];
}

interface Manifest {
  readonly home: string;
  readonly version?: unknown;
  readonly exports?: unknown;
  readonly types?: unknown;
  readonly typings?: unknown;
  readonly main?: unknown;
}

/** Undefined when no such package is installed. Reads the disk: a package nobody imports yet is found as well. */
export async function installedPackage(view: View, specifier: string): Promise<InstalledPackage | undefined> {
  const parts = specifier.split("/");
  const length = specifier.startsWith("@") ? 2 : 1;
  const name = parts.slice(0, length).join("/");
  const subpath = parts.slice(length).join("/");
  if (!/^(?:@[\w.~-]+\/)?[\w.~-]+$/.test(name) || parts.includes("..")) return undefined;
  const own = await manifestOf(view, name);
  const typesName = `@types/${name.replace(/^@/, "").replace("/", "__")}`;
  const types = await manifestOf(view, typesName);
  if (own === undefined && types === undefined) return undefined;
  const declared = own === undefined ? undefined : await entryOf(own, subpath, DECLARATIONS);
  const borrowed =
    declared === undefined && types !== undefined ? await entryOf(types, subpath, DECLARATIONS) : undefined;
  const script = own === undefined ? undefined : await entryOf(own, subpath, SCRIPTS);
  const { version, exports } = own ?? types ?? {};
  return {
    name,
    version: typeof version === "string" ? version : undefined,
    entry: declared ?? borrowed ?? script,
    typesFrom: borrowed === undefined ? undefined : typesName,
    offered: offeredBy(name, exports),
  };
}

/** Among several copies, the one nearest to the workspace's own root. */
async function manifestOf(view: View, name: string): Promise<Manifest | undefined> {
  const bases = [...view.paths.folders, ...view.state.packageFiles.map((file) => dirname(file))];
  for (const base of new Set(bases)) {
    const home = join(base, "node_modules", name);
    const text = await readRegularText(join(home, "package.json"), { lossy: true }).catch(() => undefined);
    if (text === undefined) continue;
    try {
      const manifest: unknown = JSON.parse(text);
      if (typeof manifest === "object" && manifest !== null) return { ...manifest, home: await realpath(home) };
    } catch {
      // A broken manifest is no manifest.
    }
  }
  return undefined;
}

const DECLARATIONS = (path: string): string[] => {
  if (/\.d\.[cm]?ts$/.test(path) || /\.[cm]?tsx?$/.test(path)) return [path];
  const script = /\.([cm]?)jsx?$/.exec(path);
  if (script !== null)
    return [`${path.slice(0, script.index)}.d.${script[1]}ts`, `${path.slice(0, script.index)}.${script[1]}ts`];
  return [".d.ts", ".d.mts", ".d.cts", ".ts", "/index.d.ts", "/index.d.mts", "/index.ts"].map((end) => path + end);
};
const SCRIPTS = (path: string): string[] =>
  [path, ".js", ".mjs", ".cjs", "/index.js"].map((end) => (end === path ? path : path + end));

async function entryOf(
  manifest: Manifest,
  subpath: string,
  spellings: (path: string) => string[],
): Promise<string | undefined> {
  for (const target of targetsOf(manifest, subpath)) {
    for (const file of spellings(join(manifest.home, target))) {
      const found = await stat(file).catch(() => undefined);
      if (found?.isFile() === true) return file;
    }
  }
  return undefined;
}

function targetsOf({ exports, types, typings, main }: Manifest, subpath: string): string[] {
  if (exports !== undefined && exports !== null) return exportTargets(exports, subpath === "" ? "." : `./${subpath}`);
  if (subpath !== "") return [subpath];
  return [types, typings, main, "index"].filter((target) => typeof target === "string");
}

/** Every path that a map of `exports` offers, as an import names it; empty without one. */
export function offeredBy(name: string, exports: unknown): string[] {
  if (typeof exports !== "object" || exports === null || Array.isArray(exports)) return [];
  const keys = Object.entries(exports).filter(([key, target]) => key.startsWith(".") && target !== null);
  return keys.map(([key]) => name + key.slice(1)).filter((key) => !/\.(?:json|css|scss|wasm)$/.test(key));
}
