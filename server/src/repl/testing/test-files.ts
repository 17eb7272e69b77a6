/** Which test runner a file is written for, and the runs that a request comes to. */
import { dirname, relative } from "node:path";
import { isWithin } from "../../workspace/shown-path.ts";
import { CODE, findTestFiles, isNamedAsTest } from "./find-test-files.ts";
import { manifestIn } from "./manifest.ts";
import { nodeTestCall } from "./node-test-call.ts";
import { runnerAt, runnersOf, type ConfiguredRunner } from "./runner-at.ts";
import type { TestRunner } from "./test-run.ts";

export interface TestPlan {
  readonly runner: TestRunner;
  /** The folder whose configuration and packages apply. */
  readonly root: string;
  /** Absolute paths. Empty for all files of a runner that finds them by its own configuration. */
  readonly files: readonly string[];
  /** Files that look like the runner's own but are for node:test. */
  readonly excluded?: readonly string[];
}

/** Text of a file as the editor has it; undefined when there is none. */
export type ReadText = (path: string) => Promise<string | undefined>;

export interface TestedProject {
  /** A real path. */
  readonly root: string;
  readonly readText: ReadText;
  /** Why tests cannot run behind the wall, as all runners but two have to; undefined where they can. */
  readonly whyNotWalled: string | undefined;
}

const IMPORTS_NODE_TEST = /(?:from|import|require\()\s*["'](?:node:test|test)["']/;
const IMPORTED: readonly (readonly [ConfiguredRunner, RegExp])[] = [
  ["vitest", /(?:from|import|require\()\s*["']vitest["']/],
  ["jest", /(?:from|import|require\()\s*["']@jest\/globals["']/],
  ["ava", /(?:from|import|require\()\s*["']ava["']/],
];
/** What npm writes into a new package. */
const NO_TEST = /no test specified/;

/** The runs that answer a request, or a sentence that says why there is none. */
export async function planTests(
  project: TestedProject,
  files: readonly string[] | undefined,
): Promise<readonly TestPlan[] | string> {
  const plans = files === undefined ? await planAll(project) : await planFiles(project, files);
  if (typeof plans === "string" || project.whyNotWalled === undefined) return plans;
  const walled = plans.find(({ runner }) => !runsUnwalled(runner));
  if (walled === undefined) return plans;
  const tests = walled.runner === "script" ? "the script `test` of package.json" : walled.runner;
  return `The project's tests are for ${tests}. Without a wall only vitest and node:test can be run: ${project.whyNotWalled}`;
}

/** Whether a runner can be run where there is no wall. */
export function runsUnwalled(runner: TestRunner): boolean {
  return runner === "vitest" || runner === "node:test";
}

async function planAll({ root, readText }: TestedProject): Promise<readonly TestPlan[] | string> {
  const candidates = await findTestFiles(root);
  const forNode: string[] = [];
  for (const path of candidates) {
    if (isForNodeTest((await readText(path)) ?? "", path, root)) forNode.push(path);
  }
  // A package may list a runner that none of its tests are for any more.
  const isAllForNode = candidates.length > 0 && forNode.length === candidates.length;
  const places = (await runnersOf(root)).filter(({ isSaid, runner }) => isSaid || runner === "vitest" || !isAllForNode);
  const plans: TestPlan[] = places.map((place) => ({ ...place, files: [], excluded: forNode }));
  for (const [at, own] of Map.groupBy(forNode, (file) => nodeTestRoot(file, root))) {
    plans.push({ runner: "node:test", root: at, files: own });
  }
  if (plans.length > 0) return plans;
  if (hasTestScript(root)) return [{ runner: "script", root, files: [] }];
  const seen =
    candidates.length === 0
      ? "no file is named like a test"
      : candidates.length === 1
        ? "1 file is named like a test"
        : `${candidates.length} files are named like tests`;
  return `Found no test runner and no tests for node:test in the project (${seen}). Name a test file with \`path\`.`;
}

/** How many test files are looked into for the runner of a project. */
const LOOKED_INTO = 40;

/** The runner of a project's tests, found without looking at all of them. Undefined where none was found. */
export async function runnerOf(
  projectRoot: string,
  readText: ReadText,
  signal: AbortSignal,
): Promise<TestRunner | undefined> {
  const [place] = await runnersOf(projectRoot);
  if (place?.isSaid === true || place?.runner === "vitest") return place.runner;
  const candidates = await findTestFiles(projectRoot, signal);
  for (const path of candidates.slice(0, LOOKED_INTO)) {
    if (signal.aborted) return undefined;
    if (IMPORTS_NODE_TEST.test((await readText(path)) ?? "")) return "node:test";
  }
  return place?.runner ?? (hasTestScript(projectRoot) ? "script" : undefined);
}

/** The files among these that hold tests; the runner itself leaves out those that only help tests. */
export async function testFilesAmong(
  { root, readText, whyNotWalled }: TestedProject,
  files: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const file of files.filter((each) => CODE.test(each))) {
    const text = isWithin(file, root) ? await readText(file) : undefined;
    if (text === undefined) continue;
    const runner = isNamedAsTest(file) ? runnerAt(dirname(file), root)?.runner : undefined;
    const isRun = runner !== undefined && (whyNotWalled === undefined || runner === "vitest");
    if (isRun || IMPORTS_NODE_TEST.test(text) || importedRunner(text) !== undefined) found.push(file);
  }
  return found;
}

/** One run for each runner and root; a sentence when one of the files cannot be run. */
async function planFiles(project: TestedProject, files: readonly string[]): Promise<readonly TestPlan[] | string> {
  const plans = new Map<string, TestPlan>();
  for (const file of files) {
    const own = await planFile(project, file);
    if (typeof own === "string") return own;
    const key = `${own.runner} ${own.root}`;
    plans.set(key, { ...own, files: [...(plans.get(key)?.files ?? []), ...own.files] });
  }
  return [...plans.values()];
}

async function planFile({ root, readText }: TestedProject, file: string): Promise<TestPlan | string> {
  const text = await readText(file);
  if (text === undefined) return `${relative(root, file)} does not exist.`;
  if (isForNodeTest(text, file, root)) return { runner: "node:test", root: nodeTestRoot(file, root), files: [file] };
  const imported = importedRunner(text);
  const place = runnerAt(dirname(file), root);
  if (place !== undefined && (imported ?? place.runner) === place.runner) return { ...place, files: [file] };
  if (imported !== undefined) return { runner: imported, root: place?.root ?? root, files: [file] };
  return hasTestScript(root)
    ? "Nothing says which runner the file is for. Leave out `path`, and the script `test` of package.json runs."
    : "Nothing says which runner the file is for: it imports none, and no package above it depends on one.";
}

function importedRunner(text: string): ConfiguredRunner | undefined {
  return IMPORTED.find(([, imports]) => imports.test(text))?.[0];
}

/** A file that imports both runners is vitest's where there is vitest: its `it` and `expect` work nowhere else. */
function isForNodeTest(text: string, file: string, projectRoot: string): boolean {
  if (!IMPORTS_NODE_TEST.test(text)) return false;
  return importedRunner(text) !== "vitest" || runnerAt(dirname(file), projectRoot)?.runner !== "vitest";
}

/** The nearest package that says how Node runs its tests, or else the project. */
function nodeTestRoot(file: string, projectRoot: string): string {
  for (let at = dirname(file); isWithin(at, projectRoot); at = dirname(at)) {
    if (nodeTestCall(manifestIn(at)) !== undefined) return at;
    if (at === dirname(at)) break;
  }
  return projectRoot;
}

function hasTestScript(root: string): boolean {
  const script = manifestIn(root).scripts?.["test"];
  return script !== undefined && !NO_TEST.test(script);
}
