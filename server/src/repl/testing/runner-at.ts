/** Finds the runner of a folder's tests: from its configuration files, its scripts, or its package's dependencies. */
import { existsSync } from "node:fs";
import { glob } from "node:fs/promises";
import { dirname, join } from "node:path";
import { memberPatterns } from "../../workspace/member-patterns.ts";
import { readRegularTextSync } from "../../workspace/regular-file.ts";
import { isWithin } from "../../workspace/within.ts";
import { dependsOn, manifestIn, type Manifest } from "./manifest.ts";
import { callsIn } from "./test-script.ts";

export type ConfiguredRunner = "vitest" | "jest" | "mocha" | "ava";

export interface RunnerPlace {
  readonly runner: ConfiguredRunner;
  /** The folder whose configuration and packages are used. */
  readonly root: string;
  /** The folder itself configures or calls the runner, and does not only list it as a dependency. */
  readonly isSaid: boolean;
}

/**
 * The ways in which a folder names a runner, the strongest first. A configuration for building is used for tests when
 * there is no other.
 */
type Word = "configures" | "calls" | "lists" | "builds";

const WORDS: readonly Word[] = ["configures", "calls", "lists", "builds"];
const RUNNERS: readonly ConfiguredRunner[] = ["vitest", "jest", "mocha", "ava"];
const SCRIPTS = ["ts", "mts", "cts", "js", "mjs", "cjs"];
const CONFIGS: Readonly<Record<ConfiguredRunner, readonly string[]>> = {
  vitest: [...withEndings("vitest.config", SCRIPTS), ...withEndings("vitest.workspace", [...SCRIPTS, "json"])],
  jest: withEndings("jest.config", [...SCRIPTS, "json"]),
  mocha: withEndings(".mocharc", ["js", "cjs", "mjs", "json", "jsonc", "yaml", "yml"]),
  ava: withEndings("ava.config", ["js", "cjs", "mjs"]),
};
const VITE_CONFIGS = withEndings("vite.config", SCRIPTS);

function withEndings(name: string, endings: readonly string[]): string[] {
  return endings.map((ending) => `${name}.${ending}`);
}

/**
 * The folder, up to the project's root, that decides how the tests of a folder run. The nearest folder that names a
 * runner decides which one, unless `wanted` does, the runner that a test file imports. The root is the nearest folder
 * that configures this runner, or else the nearest that calls it, and so on through `WORDS`.
 */
export function runnerAt(from: string, projectRoot: string, wanted?: ConfiguredRunner): RunnerPlace | undefined {
  const folders = [...upwards(from, projectRoot)].map((folder) => ({ folder, words: wordsIn(folder) }));
  const runner = wanted ?? folders.map(({ words }) => strongest(words)?.runner).find((each) => each !== undefined);
  if (runner === undefined) return undefined;
  const spoken = folders.map(({ folder, words }) => ({ folder, word: words.get(runner) }));
  for (const word of WORDS) {
    const root = spoken.find((each) => each.word === word)?.folder;
    if (root === undefined) continue;
    const configured = spoken.flatMap((each) => (each.word === "configures" ? [each.folder] : []));
    return { runner, root: runner === "vitest" ? rootOfProjects(root, configured) : root, isSaid: isSaid(word) };
  }
  return undefined;
}

function* upwards(from: string, root: string): Generator<string> {
  for (let at = from; isWithin(at, root); at = dirname(at)) {
    yield at;
    if (at === dirname(at)) return;
  }
}

/**
 * The root of a configuration that extends one from a folder above with the projects: only a run from there finds them.
 */
function rootOfProjects(nearest: string, configured: readonly string[]): string {
  if (!/["'`](?:\.\/)?\.\.\//.test(vitestConfiguration(nearest))) return nearest;
  const above = configured.filter((folder) => folder !== nearest && isWithin(nearest, folder));
  return above.findLast((folder) => /\b(?:projects|workspace)\b/.test(vitestConfiguration(folder))) ?? nearest;
}

function vitestConfiguration(folder: string): string {
  const names = [...CONFIGS.vitest, ...VITE_CONFIGS].filter((name) => existsSync(join(folder, name)));
  return names.map((name) => `${name}\n${textOf(join(folder, name))}`).join("\n");
}

function textOf(path: string): string {
  try {
    return readRegularTextSync(path, { lossy: true });
  } catch {
    return "";
  }
}

/** The runners of a project's tests: its own, or else those of its packages. */
export async function runnersOf(projectRoot: string): Promise<RunnerPlace[]> {
  const own = runnerIn(projectRoot);
  if (own?.isSaid === true) return [own];
  const places = (await packagesIn(projectRoot)).flatMap((folder) => runnerIn(folder) ?? []);
  return places.length > 0 || own === undefined ? places : [own];
}

function runnerIn(folder: string): RunnerPlace | undefined {
  const said = strongest(wordsIn(folder));
  return said && { runner: said.runner, root: folder, isSaid: isSaid(said.word) };
}

type Words = ReadonlyMap<ConfiguredRunner, Word>;

function strongest(words: Words): { readonly runner: ConfiguredRunner; readonly word: Word } | undefined {
  const said = [...words].map(([runner, word]) => ({ runner, word }));
  return WORDS.map((word) => said.find((each) => each.word === word)).find((each) => each !== undefined);
}

function isSaid(word: Word): boolean {
  return word !== "lists";
}

/** How a folder names each runner. */
function wordsIn(folder: string): Words {
  const manifest = manifestIn(folder);
  return new Map(
    RUNNERS.flatMap((runner) => {
      const word = wordOf(folder, manifest, runner);
      return word === undefined ? [] : [[runner, word] as const];
    }),
  );
}

function wordOf(folder: string, manifest: Manifest, runner: ConfiguredRunner): Word | undefined {
  const has = (name: string): boolean => existsSync(join(folder, name));
  const vite = runner === "vitest" ? VITE_CONFIGS.find(has) : undefined;
  if (CONFIGS[runner].some(has) || (runner !== "vitest" && manifest[runner] !== undefined)) return "configures";
  if (vite !== undefined && /\btest\s*:|vitest/.test(textOf(join(folder, vite)))) return "configures";
  if (callsIn(manifest, (name) => name === runner).length > 0) return "calls";
  if (dependsOn(manifest, runner)) return "lists";
  return vite === undefined ? undefined : "builds";
}

/** The folders of a monorepo's packages. */
export async function packagesIn(projectRoot: string): Promise<string[]> {
  const patterns = packagePatterns(projectRoot, manifestIn(projectRoot));
  const manifests = patterns.map((pattern) => `${pattern.replace(/^\.\//, "").replace(/\/$/, "")}/package.json`);
  const exclude = (path: string): boolean => /(?:^|\/)node_modules$/.test(path);
  const found = manifests.length === 0 ? [] : await Array.fromAsync(glob(manifests, { cwd: projectRoot, exclude }));
  return [...new Set(found.map((file) => join(projectRoot, dirname(file))))].toSorted();
}

function packagePatterns(projectRoot: string, { workspaces }: Manifest): string[] {
  const pnpm = join(projectRoot, "pnpm-workspace.yaml");
  const all = memberPatterns(workspaces, existsSync(pnpm) ? textOf(pnpm) : undefined);
  return all.filter((pattern) => !pattern.startsWith("!"));
}
