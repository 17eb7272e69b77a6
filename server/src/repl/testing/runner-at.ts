/** Which runner the tests of a folder are written for: what its files configure, its scripts call or its package depends on. */
import { existsSync } from "node:fs";
import { glob } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readRegularTextSync } from "../../workspace/regular-file.ts";
import { isWithin } from "../../workspace/shown-path.ts";
import { dependsOn, manifestIn, type Manifest } from "./manifest.ts";
import { callIn } from "./test-script.ts";

export type ConfiguredRunner = "vitest" | "jest" | "mocha" | "ava";

export interface RunnerPlace {
  readonly runner: ConfiguredRunner;
  /** The folder whose configuration and packages apply. */
  readonly root: string;
  /** The folder itself says so, and not only the list of its packages. */
  readonly isSaid: boolean;
}

const RUNNERS: readonly ConfiguredRunner[] = ["vitest", "jest", "mocha", "ava"];
const SCRIPTS = ["ts", "mts", "cts", "js", "mjs", "cjs"];
const CONFIGS: Readonly<Record<ConfiguredRunner, readonly string[]>> = {
  vitest: withEndings("vitest.config", SCRIPTS),
  jest: withEndings("jest.config", [...SCRIPTS, "json"]),
  mocha: withEndings(".mocharc", ["js", "cjs", "mjs", "json", "jsonc", "yaml", "yml"]),
  ava: withEndings("ava.config", ["js", "cjs", "mjs"]),
};
const VITE_CONFIGS = withEndings("vite.config", SCRIPTS);

function withEndings(name: string, endings: readonly string[]): string[] {
  return endings.map((ending) => `${name}.${ending}`);
}

/** The nearest folder, up to the project's root, that has a runner. */
export function runnerAt(from: string, projectRoot: string): RunnerPlace | undefined {
  for (let at = from; isWithin(at, projectRoot); at = dirname(at)) {
    const place = runnerIn(at);
    if (place !== undefined) return place;
    if (at === dirname(at)) break;
  }
  return undefined;
}

/** The runners of a project's tests: its own, or else those of the packages in it. */
export async function runnersOf(projectRoot: string): Promise<RunnerPlace[]> {
  const own = runnerIn(projectRoot);
  if (own?.isSaid === true) return [own];
  const places = (await packagesIn(projectRoot)).flatMap((folder) => runnerIn(folder) ?? []);
  return places.length > 0 || own === undefined ? places : [own];
}

function runnerIn(folder: string): RunnerPlace | undefined {
  const manifest = manifestIn(folder);
  const has = (names: readonly string[]): boolean => names.some((name) => existsSync(join(folder, name)));
  const said =
    RUNNERS.find((runner) => has(CONFIGS[runner]) || (runner !== "vitest" && manifest[runner] !== undefined)) ??
    RUNNERS.find((runner) => callIn(manifest, (name) => name === runner) !== undefined);
  if (said !== undefined) return { runner: said, root: folder, isSaid: true };
  const meant = RUNNERS.find((runner) => dependsOn(manifest, runner));
  if (meant !== undefined) return { runner: meant, root: folder, isSaid: false };
  return has(VITE_CONFIGS) ? { runner: "vitest", root: folder, isSaid: true } : undefined;
}

/** The folders of a monorepo's packages. */
async function packagesIn(projectRoot: string): Promise<string[]> {
  const patterns = packagePatterns(projectRoot, manifestIn(projectRoot));
  const manifests = patterns.map((pattern) => `${pattern.replace(/^\.\//, "").replace(/\/$/, "")}/package.json`);
  const exclude = (path: string): boolean => /(?:^|\/)node_modules$/.test(path);
  const found = manifests.length === 0 ? [] : await Array.fromAsync(glob(manifests, { cwd: projectRoot, exclude }));
  return [...new Set(found.map((file) => join(projectRoot, dirname(file))))].toSorted();
}

function packagePatterns(projectRoot: string, { workspaces = [] }: Manifest): string[] {
  const named = "packages" in workspaces ? (workspaces.packages ?? []) : (workspaces as readonly string[]);
  return [...named, ...pnpmPackages(projectRoot)].filter((pattern) => !pattern.startsWith("!"));
}

/** The list `packages` of `pnpm-workspace.yaml`, as it is written everywhere. */
function pnpmPackages(projectRoot: string): string[] {
  const file = join(projectRoot, "pnpm-workspace.yaml");
  if (!existsSync(file)) return [];
  const list = /^packages:\s*\n((?:\s*(?:-.*|#.*)?\n)*)/m.exec(`${readRegularTextSync(file)}\n`)?.[1] ?? "";
  return [...list.matchAll(/^\s*-\s*["']?([^"'#\n]+?)["']?\s*(?:#.*)?$/gm)].map(([, pattern = ""]) => pattern);
}
