/** Which test runner a file is written for, and where the test files of a project are. */
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { readRegularTextSync } from "../../workspace/regular-file.ts";
import { isInside } from "../confinement/readable-folders.ts";
import type { TestRunner } from "./test-run.ts";

export interface TestPlan {
  readonly runner: TestRunner;
  /** The folder whose configuration and packages apply. */
  readonly root: string;
  /** Absolute paths. Empty with vitest: it finds the files by its own configuration. */
  readonly files: readonly string[];
  /** Files that look like vitest's own but are for node:test. */
  readonly excluded?: readonly string[];
}

/** Text of a file as the editor has it; undefined when there is none. */
export type ReadText = (path: string) => Promise<string | undefined>;

const IMPORTS_NODE_TEST = /(?:from|import|require\()\s*["'](?:node:test|test)["']/;
const IMPORTS_VITEST = /(?:from|import|require\()\s*["']vitest["']/;
const NAMED_AS_TEST = /(?:[._-](?:test|spec)|^test(?:-.*)?)\.[cm]?[jt]sx?$/;
const CODE = /\.[cm]?[jt]sx?$/;
const CONFIGS = ["vitest", "vite"].flatMap((name) =>
  ["ts", "mts", "cts", "js", "mjs", "cjs"].map((extension) => `${name}.config.${extension}`),
);
const OTHER_RUNNERS = ["jest", "mocha", "ava", "tap", "jasmine", "@playwright/test", "uvu"];
const ONLY_THESE = "Only vitest and node:test can be run here; run the others in a terminal.";
const PASSED_OVER = new Set(["node_modules", "dist", "build", "out", "coverage", "fixtures", "__fixtures__"]);
const MAX_FILES = 20_000;

/** The runs that answer a request, or a sentence that says why there is none. */
export async function planTests(
  projectRoot: string,
  files: readonly string[] | undefined,
  readText: ReadText,
): Promise<readonly TestPlan[] | string> {
  if (files !== undefined) return planFiles(projectRoot, files, readText);
  const candidates = await findTestFiles(projectRoot);
  const forNode: string[] = [];
  for (const path of candidates) {
    if (isForNodeTest((await readText(path)) ?? "", path, projectRoot)) forNode.push(path);
  }
  const plans: TestPlan[] = [];
  const configured = vitestRoot(projectRoot, projectRoot);
  if (configured !== undefined) plans.push({ runner: "vitest", root: configured, files: [], excluded: forNode });
  if (forNode.length > 0) plans.push({ runner: "node:test", root: projectRoot, files: forNode });
  if (plans.length > 0) return plans;
  const seen =
    candidates.length === 0
      ? "no file is named like a test"
      : candidates.length === 1
        ? "1 file is named like a test"
        : `${candidates.length} files are named like tests`;
  const other = otherRunner(projectRoot);
  if (other !== undefined) return `The project's tests are for ${other}. ${ONLY_THESE}`;
  return `Found neither vitest nor tests for node:test in the project (${seen}). Name a test file with \`path\`.`;
}

/** How many test files are looked into for the runner of a project. */
const LOOKED_INTO = 40;

/**
 * The runner of a project's tests, found without looking at all of them; `isOurs` where `planTests` has a plan. Undefined
 * where none was found.
 */
export async function runnerOf(
  projectRoot: string,
  readText: ReadText,
  signal: AbortSignal,
): Promise<{ readonly name: string; readonly isOurs: boolean } | undefined> {
  if (vitestRoot(projectRoot, projectRoot) !== undefined) return { name: "vitest", isOurs: true };
  const candidates = await findTestFiles(projectRoot, signal);
  for (const path of candidates.slice(0, LOOKED_INTO)) {
    if (signal.aborted) return undefined;
    if (IMPORTS_NODE_TEST.test((await readText(path)) ?? "")) return { name: "node:test", isOurs: true };
  }
  const other = otherRunner(projectRoot);
  return other === undefined ? undefined : { name: other, isOurs: false };
}

/** The files among these that are written for a runner that is known here; vitest itself leaves out those that only help tests. */
export async function testFilesAmong(
  projectRoot: string,
  files: readonly string[],
  readText: ReadText,
): Promise<string[]> {
  const found: string[] = [];
  for (const file of files.filter((each) => CODE.test(each))) {
    const text = isInside(file, projectRoot) ? await readText(file) : undefined;
    if (text === undefined) continue;
    const isNamed = NAMED_AS_TEST.test(basename(file)) && vitestRoot(dirname(file), projectRoot) !== undefined;
    if (isNamed || IMPORTS_NODE_TEST.test(text) || IMPORTS_VITEST.test(text)) found.push(file);
  }
  return found;
}

/** One run for each runner and root; a sentence when one of the files cannot be run. */
async function planFiles(
  projectRoot: string,
  files: readonly string[],
  readText: ReadText,
): Promise<readonly TestPlan[] | string> {
  const plans = new Map<string, TestPlan>();
  for (const file of files) {
    const own = await planFile(projectRoot, file, readText);
    if (typeof own === "string") return own;
    for (const plan of own) {
      const key = `${plan.runner} ${plan.root}`;
      plans.set(key, { ...plan, files: [...(plans.get(key)?.files ?? []), ...plan.files] });
    }
  }
  return [...plans.values()];
}

async function planFile(projectRoot: string, file: string, readText: ReadText): Promise<readonly TestPlan[] | string> {
  const text = await readText(file);
  if (text === undefined) return `${relative(projectRoot, file)} does not exist.`;
  const node: TestPlan = { runner: "node:test", root: projectRoot, files: [file] };
  if (isForNodeTest(text, file, projectRoot)) return [node];
  const root = vitestRoot(dirname(file), projectRoot);
  if (root !== undefined) return [{ runner: "vitest", root, files: [file] }];
  if (IMPORTS_VITEST.test(text)) return [{ runner: "vitest", root: projectRoot, files: [file] }];
  const other = otherRunner(projectRoot);
  if (other !== undefined)
    return `The file imports neither node:test nor vitest; the project's tests are for ${other}. ${ONLY_THESE}`;
  return "The file imports neither node:test nor vitest, and no package above it depends on vitest: only these two can be run.";
}

/** A file that imports both runners is vitest's where there is vitest: its `it` and `expect` work nowhere else. */
function isForNodeTest(text: string, file: string, projectRoot: string): boolean {
  if (!IMPORTS_NODE_TEST.test(text)) return false;
  return !IMPORTS_VITEST.test(text) || vitestRoot(dirname(file), projectRoot) === undefined;
}

/** The nearest folder, up to the project's root, that configures vitest or depends on it. */
function vitestRoot(from: string, projectRoot: string): string | undefined {
  for (let at = from; isInside(at, projectRoot); at = dirname(at)) {
    if (CONFIGS.some((name) => existsSync(join(at, name)))) return at;
    if (dependsOnVitest(join(at, "package.json"))) return at;
    if (at === dirname(at)) break;
  }
  return undefined;
}

function dependsOnVitest(path: string): boolean {
  return dependenciesIn(path).includes("vitest");
}

function otherRunner(projectRoot: string): string | undefined {
  const dependencies = dependenciesIn(join(projectRoot, "package.json"));
  return OTHER_RUNNERS.find((name) => dependencies.includes(name));
}

function dependenciesIn(path: string): string[] {
  try {
    const manifest = JSON.parse(readRegularTextSync(path)) as Record<string, Record<string, string> | undefined>;
    return Object.keys({ ...manifest["dependencies"], ...manifest["devDependencies"] });
  } catch {
    return [];
  }
}

async function findTestFiles(root: string, signal?: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  const folders = [{ path: root, isTestFolder: false }];
  for (let folder = folders.pop(); folder !== undefined && found.length < MAX_FILES; folder = folders.pop()) {
    if (signal?.aborted === true) break;
    const { path: at, isTestFolder } = folder;
    for (const entry of await readdir(at, { withFileTypes: true }).catch(() => [])) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) {
        const isPassedOver = PASSED_OVER.has(entry.name) || entry.name.startsWith(".");
        if (!isPassedOver) folders.push({ path, isTestFolder: isTestFolder || entry.name === "test" });
      } else if (NAMED_AS_TEST.test(entry.name) || (isTestFolder && CODE.test(entry.name))) found.push(path);
    }
  }
  return found.sort();
}
