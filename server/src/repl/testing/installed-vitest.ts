/** The vitest that a project has installed, as far as its start depends on it. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { readRegularTextSync } from "../../workspace/regular-file.ts";

export interface InstalledVitest {
  readonly version: string;
  /** The module of esbuild, a program of its own by which Vite up to 7 translates. */
  readonly esbuild?: string;
}

export function findVitest(root: string): InstalledVitest | undefined {
  const vitest = resolveFrom(join(root, "package.json"), "vitest/package.json");
  if (vitest === undefined) return undefined;
  const { version = "" } = readManifest(vitest);
  const vite = resolveFrom(vitest, "vite/package.json");
  // Later ones can do with it, and do without.
  if (vite === undefined || readManifest(vite).dependencies?.["esbuild"] === undefined) return { version };
  const esbuild = resolveFrom(vite, "esbuild");
  return esbuild === undefined ? { version } : { version, esbuild };
}

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function readManifest(path: string): Manifest {
  return JSON.parse(readRegularTextSync(path)) as Manifest;
}

function resolveFrom(file: string, name: string): string | undefined {
  try {
    return createRequire(file).resolve(name);
  } catch {
    return undefined;
  }
}

/** A glob that matches this one path. */
export function globFor(path: string): string {
  return path.replace(/[\\[\](){}*?!+@|]/g, "\\$&");
}
