/** All files below a folder, for who must leave none out: the wall empties those that may hold secrets. */
import { unreadPaths } from "./rg-problem.ts";
import { runRipgrep, type LocateRipgrep } from "./ripgrep.ts";

export interface AllFiles {
  /** From the folder, with forward slashes. */
  readonly files: readonly string[];
  /** Folders that nobody could look into. */
  readonly unread: readonly string[];
}

const LISTED = ["--files", "--hidden", "--no-ignore", "--no-config", "--null"];
/** Only the few files of a repository by which it is found are listed: its settings are kept back too. */
const SKIPPED = ["--glob=!**/node_modules", "--glob=!**/.git/[!Hc]*"];
/** Enough for tens of thousands of folders. */
const MOST_PROBLEMS = 4_000_000;

/**
 * Ignored and hidden files too, without those of installed packages and most of those of repositories. Rejects where a folder that nobody
 * could look into cannot be named.
 */
export async function allFiles(locate: LocateRipgrep, folder: string, signal: AbortSignal): Promise<AllFiles> {
  const files: string[] = [];
  const onName = (name: Buffer): void => void files.push(name.toString("utf8").replace(/^\.\//, ""));
  const run = { args: [...LISTED, ...SKIPPED, "./"], folder, separator: 0, mostProblems: MOST_PROBLEMS };
  const { code, problems, isCut } = await runRipgrep(locate, run, onName, signal);
  if (isCut) throw new Error(`too many folders of the project cannot be read to keep a command out of them. ${REMEDY}`);
  if (code !== 2) return { files, unread: [] };
  const unread = unreadPaths(problems);
  if (unread === undefined) {
    throw new Error(`a folder of the project cannot be read and has a name that cannot be read either. ${REMEDY}`);
  }
  return { files, unread };
}

const REMEDY = "Give yourself the right to read them, or take them out of the project";
