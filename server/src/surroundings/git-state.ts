/** The branch of a folder and what is not committed in it. */
import { relative } from "node:path";
import { askGit, askGitAboutContents } from "../process/git.ts";
import { headOf } from "./git-head.ts";
import { hasSubmodules } from "./submodules.ts";
import { nameList, plainName } from "../workspace/plain-text.ts";

const NAMES_ROOM = 110;
const BRANCH_LIMIT_MS = 200;

/** A line such as `branch main, 1 ahead of origin/main; 2 changed: a.ts, b.ts`; undefined where git does not answer. */
export async function describeGit(folder: string, signal: AbortSignal): Promise<string | undefined> {
  if ((await headOf(folder)) === undefined) return undefined;
  const [branch, inside, status] = await Promise.all([
    currentBranch(folder, signal),
    askGit(folder, ["rev-parse", "--show-prefix"], signal),
    askGitAboutContents(
      folder,
      [
        "status",
        "--porcelain=v2",
        "--branch",
        "-z",
        "--untracked-files=normal",
        "--ignore-submodules=all",
        "--no-renames",
        "--",
        ".",
      ],
      signal,
    ),
  ]);
  if (status === undefined && branch !== undefined)
    return `branch ${plainName(branch)}; what is uncommitted is not known in time`;
  if (inside === undefined || status === undefined) return undefined;
  const described = describeStatus(status, inside.replace(/\n$/, ""));
  return hasSubmodules(folder) ? `${described} (submodules not looked into)` : described;
}

/** That of the first folder, when git tells it at once. */
export async function branchIn([folder]: readonly string[]): Promise<string | undefined> {
  return folder === undefined ? undefined : currentBranch(folder, AbortSignal.timeout(BRANCH_LIMIT_MS));
}

/** The branch, or the commit where none is checked out; undefined where git does not answer. */
export async function currentBranch(folder: string, signal: AbortSignal): Promise<string | undefined> {
  const head = await headOf(folder);
  if (head !== "elsewhere") return head?.branch;
  const branch = await askGit(folder, ["symbolic-ref", "--short", "-q", "HEAD"], signal);
  const commit = branch === undefined ? await askGit(folder, ["rev-parse", "--short", "HEAD"], signal) : undefined;
  return (branch ?? commit)?.trim();
}

/** `prefix` is the folder within its repository: git tells paths from the repository's root on. */
export function describeStatus(status: string, prefix: string): string {
  const found = {
    staged: [] as string[],
    changed: [] as string[],
    untracked: [] as string[],
    "in conflict": [] as string[],
  };
  const head: Record<string, string> = {};
  for (const entry of status.split("\0")) {
    const [kind = "", ...rest] = entry.split(" ");
    if (kind === "#") head[rest[0] ?? ""] = rest.slice(1).join(" ");
    else if (kind === "?") found.untracked.push(rest.join(" "));
    else if (kind === "u") found["in conflict"].push(rest.slice(9).join(" "));
    else if (kind === "1") {
      const [states = "..", file] = [rest[0], rest.slice(7).join(" ")];
      if (states[0] !== ".") found.staged.push(file);
      if (states[1] !== ".") found.changed.push(file);
    }
  }
  const lists = Object.entries(found).flatMap(([what, files]) =>
    files.length === 0
      ? []
      : [
          `${files.length} ${what}: ${nameList(
            files.map((file) => shownIn(prefix, file)),
            NAMES_ROOM,
          )}`,
        ],
  );
  return [branchOf(head), ...(lists.length === 0 ? ["nothing uncommitted"] : lists)].join("; ");
}

function shownIn(prefix: string, file: string): string {
  return plainName(file.startsWith(prefix) ? file.slice(prefix.length) : relative(prefix, file));
}

function branchOf(head: Readonly<Record<string, string>>): string {
  const {
    "branch.head": branch = "",
    "branch.oid": commit = "",
    "branch.upstream": upstream,
    "branch.ab": counts = "",
  } = head;
  const named = branch === "(detached)" ? `no branch, at ${commit.slice(0, 10)}` : `branch ${plainName(branch)}`;
  const born = commit === "(initial)" ? `${named}, no commit yet` : named;
  const [, ahead = "0", behind = "0"] = /^\+(\d+) -(\d+)$/.exec(counts) ?? [];
  const apart = [...(ahead === "0" ? [] : [`${ahead} ahead of`]), ...(behind === "0" ? [] : [`${behind} behind`])].join(
    " and ",
  );
  return upstream === undefined || apart === "" ? born : `${born}, ${apart} ${plainName(upstream)}`;
}
