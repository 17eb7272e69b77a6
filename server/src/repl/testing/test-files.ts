/** Finds the runner for which a file is written, and the runs that a request needs. */
import { dirname, relative } from "node:path";
import { isWithin } from "../../workspace/within.ts";
import { CODE, findTestFiles, isNamedAsTest } from "./find-test-files.ts";
import { manifestIn } from "./manifest.ts";
import { filesOfCall, nodeTestCalls, type NodeTestCall } from "./node-test-call.ts";
import { packagesIn, runnerAt, runnersOf, type ConfiguredRunner } from "./runner-at.ts";
import type { TestRunner } from "./test-run.ts";
import { isFolder } from "../../workspace/file-names.ts";

export interface TestPlan {
  readonly runner: TestRunner;
  /** The folder whose configuration and packages are used. */
  readonly root: string;
  /**
   * Absolute paths. Runners that find files themselves may also get folders, or no paths at all for all their files.
   */
  readonly files: readonly string[];
  /** Files that look like the runner's own and are written for node:test. */
  readonly excluded?: readonly string[];
  /** The call of Node in a script, for these files. */
  readonly call?: NodeTestCall;
}

/** The editor's text of a file; undefined when there is none. */
export type ReadText = (path: string) => Promise<string | undefined>;

export interface TestedProject {
  /** A real path. */
  readonly root: string;
  readonly readText: ReadText;
  /**
   * The reason why tests cannot run behind the wall; undefined when they can. Only two runners can run without the
   * wall.
   */
  readonly whyNotWalled: string | undefined;
}

const IMPORTS_NODE_TEST = /(?:from|import|require\()\s*["'](?:node:test|test)["']/;
const IMPORTED: readonly (readonly [ConfiguredRunner, RegExp])[] = [
  ["vitest", /(?:from|import|require\()\s*["']vitest["']/],
  ["jest", /(?:from|import|require\()\s*["']@jest\/globals["']/],
  ["ava", /(?:from|import|require\()\s*["']ava["']/],
];
/** The text that npm writes into a new package. */
const NO_TEST = /no test specified/;

/** The runs for a request, or a sentence when there are none. */
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
function runsUnwalled(runner: TestRunner): boolean {
  return runner === "vitest" || runner === "node:test";
}

async function planAll({ root, readText }: TestedProject): Promise<readonly TestPlan[] | string> {
  const called = await callsOfPackages(root);
  const candidates = await findTestFiles(root);
  const forNode: string[] = [];
  for (const path of candidates) {
    if (isForNodeTest((await readText(path)) ?? "", path, root)) forNode.push(path);
  }
  // A package may still list a runner that none of its tests use.
  const isAllForNode = candidates.length > 0 && forNode.length === candidates.length;
  const places = (await runnersOf(root)).filter(({ isSaid, runner }) => isSaid || runner === "vitest" || !isAllForNode);
  const plans: TestPlan[] = places.map((place) => ({ ...place, files: [], excluded: forNode }));
  // Files that a script leaves out of its own package are left out here too.
  const unsaid = forNode.filter((file) => nodeTestRoot(file, root) === undefined);
  for (const plan of called) {
    // Beside another runner, a script without names runs only files that are written for node:test.
    const isBeside = plan.call?.names.length === 0 && plans.some((each) => each.root === plan.root);
    const files = isBeside ? plan.files.filter((file) => forNode.includes(file)) : plan.files;
    if (files.length > 0) plans.push({ ...plan, files });
  }
  if (unsaid.length > 0) plans.push({ runner: "node:test", root, files: unsaid });
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

/** The runs of `node --test` in the scripts of the project and its packages. */
async function callsOfPackages(root: string): Promise<TestPlan[]> {
  const folders = [...new Set([root, ...(await packagesIn(root))])];
  const plans = await Promise.all(folders.map((folder) => plansOfCalls(folder)));
  return plans.flat();
}

async function plansOfCalls(root: string): Promise<TestPlan[]> {
  const plans: TestPlan[] = [];
  for (const call of nodeTestCalls(manifestIn(root))) {
    const seen = new Set(plans.flatMap(({ files }) => files));
    const files = (await filesOfCall(root, call)).filter((file) => !seen.has(file));
    plans.push({ runner: "node:test", root, files, call });
  }
  return plans;
}

/** How many test files are read to find the runner of a project. */
const LOOKED_INTO = 40;

/** The runner of a project's tests as people know it; `isOurs` where it can be run here. Undefined when none was found. */
export async function toldRunner(
  { root, readText }: Pick<TestedProject, "root" | "readText">,
  isWalled: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<{ readonly name: string; readonly isOurs: boolean } | undefined> {
  const runner = await runnerOf(root, readText, signal).catch(() => undefined);
  if (runner === undefined) return undefined;
  const isOurs = runsUnwalled(runner) || (await isWalled());
  return { name: runner === "script" ? "its script test" : runner, isOurs };
}

/** Found from some of the tests. */
async function runnerOf(projectRoot: string, readText: ReadText, signal: AbortSignal): Promise<TestRunner | undefined> {
  const [place] = await runnersOf(projectRoot);
  if (place?.isSaid === true || place?.runner === "vitest") return place.runner;
  if (nodeTestCalls(manifestIn(projectRoot)).length > 0) return "node:test";
  const candidates = await findTestFiles(projectRoot, { signal });
  for (const path of candidates.slice(0, LOOKED_INTO)) {
    if (signal.aborted) return undefined;
    if (IMPORTS_NODE_TEST.test((await readText(path)) ?? "")) return "node:test";
  }
  return place?.runner ?? (hasTestScript(projectRoot) ? "script" : undefined);
}

/** The files among these that hold tests; the runner itself leaves out files that only help tests. */
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

/** One run for each runner, root and call; a sentence when one of the files cannot be run. */
async function planFiles(project: TestedProject, files: readonly string[]): Promise<readonly TestPlan[] | string> {
  const plans: TestPlan[] = [];
  const calls: CallsOfFolders = new Map();
  for (const file of files) {
    const own = isFolder(file) ? await planFolder(project, file, calls) : await planFile(project, file, calls);
    if (typeof own === "string") return own;
    plans.push(...[own].flat());
  }
  return together(plans);
}

/** Joins plans with the same runner, root and call. */
function together(plans: readonly TestPlan[]): TestPlan[] {
  const keyOf = ({ runner, root, call }: TestPlan): string => JSON.stringify([runner, root, call]);
  return [...Map.groupBy(plans, keyOf).values()].flatMap(([first, ...rest]) => {
    return first === undefined ? [] : [{ ...first, files: [first, ...rest].flatMap(({ files }) => files) }];
  });
}

/**
 * The files of a folder that look like tests, each planned by itself; runners that find files themselves get the
 * folder.
 */
async function planFolder(
  project: TestedProject,
  folder: string,
  calls: CallsOfFolders,
): Promise<readonly TestPlan[] | string> {
  if (folder === project.root) return planAll(project);
  const files = await findTestFiles(folder, { within: project.root });
  const planned = await Promise.all(files.map(async (file) => planFile(project, file, calls)));
  const place = runnerAt(folder, project.root);
  const found = planned.flatMap((plan) => (typeof plan === "string" ? [] : [plan]));
  if (found.length === 0 && place !== undefined) found.push({ ...place, files: [folder] });
  if (found.length === 0)
    return `No file in ${relative(project.root, folder)} is one of tests for a runner that is known here.`;
  return together(found).map((plan) => {
    if (plan.runner !== "vitest" && plan.runner !== "jest") return plan;
    return { ...plan, files: isWithin(plan.root, folder) ? [] : [folder] };
  });
}

async function planFile(
  { root, readText }: TestedProject,
  file: string,
  calls: CallsOfFolders,
): Promise<TestPlan | string> {
  const text = await readText(file);
  if (text === undefined) return `${relative(root, file)} does not exist.`;
  const imported = importedRunner(text);
  const place = runnerAt(dirname(file), root, imported);
  const isForNode = isForNodeTest(text, file, root);
  const called = isForNode || imported === undefined ? await callOf(file, root, calls) : undefined;
  // A script without names runs every file with the name of a test, so another runner's configuration is stronger.
  const isNamed = called?.isNamed === true && (place === undefined || called.plan.call?.names.length !== 0);
  if (isForNode || isNamed) return { runner: "node:test", root, ...called?.plan, files: [file] };
  if (place !== undefined) return { ...place, files: [file] };
  if (imported !== undefined)
    return { runner: imported, root: runnerAt(dirname(file), root)?.root ?? root, files: [file] };
  return hasTestScript(root)
    ? "Nothing says which runner the file is for. Leave out `path`, and the script `test` of package.json runs."
    : "Nothing says which runner the file is for: it imports none, and no package above it depends on one.";
}

/** The runs of each folder's scripts, found once for a request. */
type CallsOfFolders = Map<string, Promise<readonly TestPlan[]>>;

/** The call of the nearest package that runs the file, or else the package's first call. */
async function callOf(
  file: string,
  projectRoot: string,
  calls: CallsOfFolders,
): Promise<{ readonly plan: TestPlan; readonly isNamed: boolean } | undefined> {
  const root = nodeTestRoot(file, projectRoot);
  if (root === undefined) return undefined;
  const known = calls.get(root) ?? plansOfCalls(root);
  calls.set(root, known);
  const plans = await known;
  const named = plans.find(({ files }) => files.includes(file));
  const plan = named ?? plans[0];
  return plan && { plan, isNamed: named !== undefined };
}

function importedRunner(text: string): ConfiguredRunner | undefined {
  return IMPORTED.find(([, imports]) => imports.test(text))?.[0];
}

/** A file that imports both runners is vitest's when vitest is there: vitest's `it` and `expect` work nowhere else. */
function isForNodeTest(text: string, file: string, projectRoot: string): boolean {
  if (!IMPORTS_NODE_TEST.test(text)) return false;
  return importedRunner(text) !== "vitest" || runnerAt(dirname(file), projectRoot)?.runner !== "vitest";
}

/** The nearest package whose scripts run `node --test`. */
function nodeTestRoot(file: string, projectRoot: string): string | undefined {
  for (let at = dirname(file); isWithin(at, projectRoot); at = dirname(at)) {
    if (nodeTestCalls(manifestIn(at)).length > 0) return at;
    if (at === dirname(at)) break;
  }
  return undefined;
}

function hasTestScript(root: string): boolean {
  const script = manifestIn(root).scripts?.["test"];
  return script !== undefined && !NO_TEST.test(script);
}
