/** How a package's scripts start Node for its tests, and for which files. */
import { glob } from "node:fs/promises";
import { join } from "node:path";
import { findTestFiles } from "./find-test-files.ts";
import type { Manifest } from "./manifest.ts";
import { callsIn, keptWords, optionsOf, unquoted } from "./test-script.ts";
import { isFolder } from "../../workspace/file-names.ts";

export interface NodeTestCall {
  /** Node's flags that our run keeps. */
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The files that the script names, as they are written there. */
  readonly names: readonly string[];
}

const VALUED = [
  "-r",
  "--require",
  "--import",
  "--loader",
  "--experimental-loader",
  "-C",
  "--conditions",
  "--env-file",
].concat(
  [
    "reporter",
    "reporter-destination",
    "name-pattern",
    "skip-pattern",
    "concurrency",
    "timeout",
    "shard",
    "isolation",
  ].map((option) => `--test-${option}`),
);
const DROPPED =
  /^--(?:test(?!-(?:timeout|force-exit|isolation|only|skip-pattern|name-pattern))|experimental-test-coverage|watch)(?:$|[-=])/;
const NAME_PATTERN = "--test-name-pattern";
/** Programs that run Node with a loader of their own. */
const LOADERS: Readonly<Record<string, readonly string[]>> = { node: [], tsx: ["--import", "tsx"] };
/** The files that `node --test` runs when none are named. */
const BY_NAME = "**/{test,test/**/*,test-*,*[._-]test}.{js,cjs,mjs,ts,cts,mts}";

/** Empty when no script runs `node --test`. */
export function nodeTestCalls(manifest: Manifest): NodeTestCall[] {
  const calls = callsIn(manifest, (name, following) => name in LOADERS && following.includes("--test"));
  return calls.map((call) => ({
    flags: [...(LOADERS[call.program] ?? []), ...keptWords(call, { valued: VALUED, dropped: DROPPED, names: false })],
    env: call.env,
    names: optionsOf(call, VALUED).flatMap(([word]) => (word.startsWith("-") ? [] : [word])),
  }));
}

/** `name` is the request's pattern, which replaces the script's. */
export function flagsFor({ flags }: Pick<NodeTestCall, "flags">, name: string | undefined): string[] {
  if (name === undefined) return [...flags];
  const kept = flags.filter((flag, at) => !flag.startsWith(NAME_PATTERN) && flags[at - 1] !== NAME_PATTERN);
  return [...kept, `${NAME_PATTERN}=${name}`];
}

/** The absolute paths of the files that the call runs in the package of this folder. */
export async function filesOfCall(folder: string, { names }: NodeTestCall): Promise<string[]> {
  if (names.length === 0) return matches(folder, BY_NAME);
  const found = await Promise.all(names.map((name) => filesNamed(folder, name)));
  return [...new Set(found.flat())];
}

/** The shell replaces an unquoted pattern by files itself, and does not know `**`. */
async function filesNamed(folder: string, written: string): Promise<string[]> {
  const name = unquoted(written);
  const expanded = written === name && name.includes("**") ? await matches(folder, name.replaceAll("**", "*")) : [];
  const found = expanded.length > 0 ? expanded : await matches(folder, name);
  const inFolders = await Promise.all(
    found.map(async (path) => (isFolder(path) ? findTestFiles(path, { within: folder }) : [path])),
  );
  return inFolders.flat();
}

async function matches(cwd: string, pattern: string): Promise<string[]> {
  const exclude = (path: string): boolean => /(?:^|\/)node_modules$/.test(path);
  const found = await Array.fromAsync(glob(pattern, { cwd, exclude }));
  return found.map((path) => join(cwd, path)).toSorted();
}
