/**
 * Asks git about a folder, without running anything that a repository's own configuration names: hooks, file monitors,
 * filters, pagers, other programs. What cannot be asked safely is not asked.
 */
import { isWithin } from "../workspace/within.ts";
import { childEnvironment } from "./child-environment.ts";
import { workTreeOf } from "./git-folder.ts";
import { spawn } from "./spawn.ts";

/** Options that come before a command. */
export const SAFE: readonly string[] = [
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.hooksPath=/dev/null",
  "core.pager=cat",
  // A folder of the project that looks like a repository could name any other folder as its files.
  "safe.bareRepository=explicit",
].flatMap(setting);

const LIMIT_MS = 3_000;
const MAX_OUTPUT = 4_000_000;

/**
 * An index is neither written, which runs a hook, nor is what is missing fetched. Undefined where the folder's repository leads
 * elsewhere, and is not asked.
 */
export function quietEnvironment(folder: string): Record<string, string> | undefined {
  const tree = workTreeOf(folder);
  if (tree === undefined) return undefined;
  const held: Record<string, string> = tree === null ? {} : { GIT_WORK_TREE: tree };
  return { ...childEnvironment(), ...held, GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_TERMINAL_PROMPT: "0" };
}

/** What a command says on its standard output; undefined where git does not answer in time, or says too much. */
export async function askGit(
  folder: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { code, output } = await run({ folder, options: SAFE, args }, signal);
  return code === 0 ? output : undefined;
}

/** Those of the absolute paths below the folder that git ignores; none where no repository says so. */
export async function ignoredByGit(
  folder: string,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const input = paths.map((path) => `${path}\0`).join("");
  const { code, output } = await run({ folder, options: SAFE, args: ["check-ignore", "-z", "--stdin"], input }, signal);
  return new Set(code === 0 ? output.split("\0") : []);
}

/** The same for paths below any of the folders. */
export async function ignoredBelow(
  folders: readonly string[],
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const found = folders.map((folder) => {
    const inside = paths.filter((path) => isWithin(path, folder) && path !== `${folder}/`);
    return ignoredByGit(folder, inside, signal);
  });
  return new Set((await Promise.all(found)).flatMap((each) => [...each]));
}

/** The folders that git ignores as they are, by their paths from this one; none where no repository says so. */
export async function ignoredFolders(folder: string, signal?: AbortSignal): Promise<string[]> {
  const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
  const output = (await askGit(folder, args, signal)) ?? "";
  return output.split("\0").flatMap((path) => (path.endsWith("/") ? [path.slice(0, -1)] : []));
}

/** Like `askGit`, for a command that compares contents: git then runs the filters that a configuration names. */
export async function askGitAboutContents(
  folder: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<string | undefined> {
  const asked = ["config", "-z", "--name-only", "--get-regexp", "^filter\\."];
  const { code, output } = await run({ folder, options: SAFE, args: asked }, signal);
  // 1: there are none.
  if (code !== 0 && code !== 1) return undefined;
  const drivers = new Set(output.split("\0").map((name) => name.slice(0, name.lastIndexOf("."))));
  drivers.delete("");
  // Such a name cannot be overruled on a command line.
  if ([...drivers].some((name) => /[=\n]/.test(name))) return undefined;
  const unfiltered = [...drivers].flatMap((name) => [
    `${name}.clean=`,
    `${name}.smudge=`,
    `${name}.process=`,
    `${name}.required=false`,
  ]);
  const answer = await run({ folder, options: [...SAFE, ...unfiltered.flatMap(setting)], args }, signal);
  return answer.code === 0 ? answer.output : undefined;
}

interface Question {
  readonly folder: string;
  /** They come before the command. */
  readonly options: readonly string[];
  readonly args: readonly string[];
  readonly input?: string;
}

async function run(
  { folder, options, args, input }: Question,
  signal?: AbortSignal,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const env = quietEnvironment(folder);
  if (signal?.aborted === true || env === undefined) return { code: null, output: "" };
  const child = spawn("git", [...options, ...args], {
    cwd: folder,
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "ignore"],
    env,
  });
  // Git that is not there, or has heard enough, reads nothing.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(input);
  const stop = (): void => void child.kill("SIGKILL");
  const limit = setTimeout(stop, LIMIT_MS);
  signal?.addEventListener("abort", stop, { once: true });
  const chunks: Buffer[] = [];
  let length = 0;
  child.stdout?.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > MAX_OUTPUT) stop();
    else chunks.push(chunk);
  });
  const code = await new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", resolve);
  });
  clearTimeout(limit);
  signal?.removeEventListener("abort", stop);
  return { code, output: Buffer.concat(chunks).toString("utf8") };
}

function setting(text: string): string[] {
  return ["-c", text];
}
