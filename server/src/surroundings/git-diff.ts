/** What is not committed in a folder, as a diff. */
import { askGit, askGitAboutContents } from "../process/git.ts";
import type { WorkspacePaths } from "../workspace/workspace-paths.ts";
import { hasSubmodules, SUBMODULES } from "./submodules.ts";
import { nameList } from "../workspace/plain-text.ts";
import type { Refused } from "./workspace-texts.ts";

export interface GitDiff {
  /** As `git diff HEAD` writes it, of the files that may be shown. */
  readonly text: string;
  /** New files that git does not know, by their names; their text is not part of the diff. */
  readonly untracked: readonly string[];
  /** How many changed files are not shown. */
  readonly hidden: number;
  /** What is changed in submodules is not part of the diff. */
  readonly hasSubmodules: boolean;
}

const FLAGS = ["--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all"];
const NAMES_ROOM = 1_000;

/** What is not committed in the workspace folders. Never rejects. */
export async function diffOf(
  paths: Pick<WorkspacePaths, "resolve" | "folders">,
  signal: AbortSignal,
): Promise<{ readonly text: string } | Refused> {
  const folders = paths.folders();
  const texts = await Promise.all(
    folders.map(async (folder) => {
      const diff = await gitDiff(folder, (path) => paths.resolve(`${folder}/${path}`).ok, signal);
      const about = folders.length === 1 ? "" : `In ${folder}:\n`;
      return diff && `${about}${describeDiff(diff)}`;
    }),
  );
  const text = texts.filter((each) => each !== undefined).join("\n\n");
  return text === ""
    ? { reason: "git does not answer here: the folder is in no repository, or has no commit." }
    : { text };
}

/** Undefined where git does not answer. `mayShow` judges paths relative to the folder. */
export async function gitDiff(
  folder: string,
  mayShow: (path: string) => boolean,
  signal: AbortSignal,
): Promise<GitDiff | undefined> {
  const ask = (args: readonly string[]) => askGitAboutContents(folder, args, signal);
  const [names, others] = await Promise.all([
    ask(["diff", ...FLAGS, "--relative", "--name-only", "--no-renames", "-z", "HEAD", "--", "."]),
    askGit(folder, ["ls-files", "-z", "--others", "--exclude-standard"], signal),
  ]);
  if (names === undefined) return undefined;
  const changed = names.split("\0").filter((name) => name !== "");
  const shown = changed.filter(mayShow);
  const untracked = (others ?? "").split("\0").filter((name) => name !== "" && mayShow(name));
  const rest = { untracked, hidden: changed.length - shown.length, hasSubmodules: hasSubmodules(folder) };
  if (shown.length === 0) return { text: "", ...rest };
  const paths = shown.map((name) => `:(literal)${name}`);
  const text = await ask(["diff", ...FLAGS, "--relative", "HEAD", "--", ...paths]);
  return text === undefined ? undefined : { text, ...rest };
}

export function describeDiff({ text, untracked, hidden, hasSubmodules: isPart }: GitDiff): string {
  const lines = [
    ...(untracked.length === 0 ? [] : [`New files that git does not know: ${nameList(untracked, NAMES_ROOM)}.`]),
    ...(hidden === 0 ? [] : [`${hidden} changed ${hidden === 1 ? "file is" : "files are"} not shown.`]),
    ...(isPart ? [`${SUBMODULES}.`] : []),
  ];
  return [text.trimEnd() === "" ? "Nothing that git knows is changed." : text.trimEnd(), ...lines].join("\n");
}
