/**
 * Asks git about a folder, without running anything that a repository's own configuration names: hooks, file monitors,
 * filters, pagers, other programs. What cannot be asked safely is not asked.
 */
import { childEnvironment } from "./child-environment.ts";
import { spawn } from "./spawn.ts";

/** Options that stand before a command. */
export const SAFE: readonly string[] = [
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.hooksPath=/dev/null",
  "core.pager=cat",
].flatMap(setting);

const LIMIT_MS = 3_000;
const MAX_OUTPUT = 4_000_000;

/** An index is neither written, which runs a hook, nor is what is missing fetched. */
export function quietEnvironment(): Record<string, string> {
  return { ...childEnvironment(), GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_TERMINAL_PROMPT: "0" };
}

/** What a command says on its standard output; undefined where git does not answer in time, or says too much. */
export async function askGit(
  folder: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { code, output } = await run(folder, SAFE, args, signal);
  return code === 0 ? output : undefined;
}

/** Like `askGit`, for a command that compares contents: git then runs the filters that a configuration names. */
export async function askGitAboutContents(
  folder: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { code, output } = await run(
    folder,
    SAFE,
    ["config", "-z", "--name-only", "--get-regexp", "^filter\\."],
    signal,
  );
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
  const answer = await run(folder, [...SAFE, ...unfiltered.flatMap(setting)], args, signal);
  return answer.code === 0 ? answer.output : undefined;
}

async function run(
  folder: string,
  options: readonly string[],
  args: readonly string[],
  signal?: AbortSignal,
): Promise<{ readonly code: number | null; readonly output: string }> {
  if (signal?.aborted === true) return { code: null, output: "" };
  const child = spawn("git", [...options, ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "ignore"],
    env: quietEnvironment(),
  });
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
