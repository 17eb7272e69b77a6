/** Asks git for names of files, without running anything that a repository's own configuration names. */
import { quietEnvironment, SAFE } from "./git.ts";
import { spawn, type ChildProcess } from "./spawn.ts";

const NUL = 0;

export interface GitQuestion {
  readonly folder: string;
  /** A command that separates what it answers by NUL (`-z`), such as `ls-files`. */
  readonly args: readonly string[];
  readonly limitMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Hands each answer to `onName` as it comes; a false ends the question. False where git does not answer: no git, no
 * repository, or one that belongs to somebody else. Rejects with the signal's reason once the signal aborts.
 */
export async function askGitForNames(
  { folder, args, limitMs, signal }: GitQuestion,
  onName: (name: string) => boolean | void,
): Promise<boolean> {
  signal?.throwIfAborted();
  const child = startGit(folder, args, limitMs, signal);
  if (child === undefined) return false;
  let left: Buffer = Buffer.alloc(0);
  let isEnough = false;
  child.stdout?.on("data", (chunk: Buffer) => {
    if (isEnough) return;
    const bytes = left.length === 0 ? chunk : Buffer.concat([left, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(NUL); end !== -1 && !isEnough; end = bytes.indexOf(NUL, start)) {
      isEnough = onName(bytes.toString("utf8", start, end)) === false;
      start = end + 1;
    }
    left = bytes.subarray(start);
    if (isEnough) child.kill("SIGKILL");
  });
  const code = await new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", resolve);
  });
  signal?.throwIfAborted();
  return isEnough || code === 0;
}

/** Undefined for a folder that is no repository. */
function startGit(
  folder: string,
  args: readonly string[],
  limitMs: number,
  signal: AbortSignal | undefined,
): ChildProcess | undefined {
  // Node's own `timeout` would keep its timer where the process cannot be started.
  const limit = AbortSignal.timeout(limitMs);
  const stop = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  try {
    const env = quietEnvironment(folder);
    if (env === undefined) return undefined;
    const options = { cwd: folder, env, signal: stop };
    return spawn("git", [...SAFE, ...args], { ...options, stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return undefined;
  }
}
