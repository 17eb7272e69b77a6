/** Runs ripgrep, which searches the disk and, through its standard input, texts that are not on the disk. */
import { spawn } from "../process/spawn.ts";
import { LineSplitter, type OnLine } from "./line-splitter.ts";

export interface RipgrepRun {
  /** Ready arguments of `rg-arguments.ts`: nothing in them is a text that somebody else wrote, unless `--name=` precedes it. */
  readonly args: readonly string[];
  /** Absolute path: where globs and paths begin. */
  readonly folder: string;
  /** Searched in place of files where the arguments name `-`. */
  readonly input?: Buffer;
  /** What a line of the output ends with: 10, or 0 for lists of names. */
  readonly separator?: number;
  /** How much of what ripgrep says of its problems is kept, in characters. */
  readonly mostProblems?: number;
}

export interface RipgrepEnd {
  /** 0: something was found, 1: nothing, 2: something went wrong, and `problems` says what. */
  readonly code: number;
  readonly problems: string;
  /** Whether there were more problems than were kept. */
  readonly isCut: boolean;
}

/** Contract: the absolute path of the program; rejects where it is not installed. */
export type LocateRipgrep = () => Promise<string>;

export class RipgrepMissing extends Error {
  override readonly name = "RipgrepMissing";
}

const MAX_PROBLEMS = 64_000;
const MOST_AT_ONCE = 16;
let running = 0;
const waiting: (() => void)[] = [];

/** Loaded on first use: the package looks for the program of this platform, and throws where npm left it out. */
export const installedRipgrep: LocateRipgrep = async () => (await import("@vscode/ripgrep")).rgPath;

/**
 * Hands over the output line by line while the program runs. Rejects with the signal's reason once it aborts, and the
 * program is gone then; rejects with `RipgrepMissing` where it cannot be started.
 */
export async function runRipgrep(
  locate: LocateRipgrep,
  run: RipgrepRun,
  onLine: OnLine,
  signal: AbortSignal,
): Promise<RipgrepEnd> {
  const program = await locate().catch((error: unknown) => Promise.reject(missing(error)));
  await untilFree();
  try {
    signal.throwIfAborted();
    return await runProgram(program, run, onLine, signal);
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

/** Thousands of searches at once would keep whoever asks for anything else waiting for most of them. */
async function untilFree(): Promise<void> {
  if (running >= MOST_AT_ONCE) await new Promise<void>((resolve) => void waiting.push(resolve));
  running += 1;
}

async function runProgram(
  program: string,
  { args, folder, input, separator = 10, mostProblems = MAX_PROBLEMS }: RipgrepRun,
  onLine: OnLine,
  signal: AbortSignal,
): Promise<RipgrepEnd> {
  const child = spawn(program, args, { cwd: folder, stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
  const splitter = new LineSplitter(separator, onLine);
  let problems = "";
  child.stdout?.on("data", (chunk: Buffer) => splitter.take(chunk));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    if (problems.length <= mostProblems) problems += text;
  });
  // A program that has seen enough closes its input.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(input);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const stop = (): void => void child.kill("SIGKILL");
  signal.addEventListener("abort", stop, { once: true });
  child.once("error", (error) => reject(missing(error)));
  child.once("close", (code) => resolve(code ?? 2));
  try {
    const code = await promise;
    signal.throwIfAborted();
    splitter.end();
    return { code, problems: problems.slice(0, mostProblems), isCut: problems.length > mostProblems };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function missing(error: unknown): RipgrepMissing {
  const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  return new RipgrepMissing(
    `The search needs ripgrep, which cannot be started: ${reason.replace(/\.$/, "")}. Run npm install in the folder of agentq; until then search with eval_form and node:fs.`,
  );
}
