/** Which repository a folder belongs to, without asking git. */
import { existsSync, lstatSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { existingRealPath } from "../workspace/real-path.ts";
import { readRegularTextSync } from "../workspace/regular-file.ts";
import { isWithin } from "../workspace/within.ts";
import { linkStatsOf } from "../workspace/file-names.ts";

/**
 * The folder of whose files git tells; undefined where the repository is not believed. Null without a repository. The
 * repository's settings could name any other folder.
 */
export function workTreeOf(folder: string): string | undefined | null {
  for (let at = existingRealPath(folder) ?? folder; ; at = dirname(at)) {
    const entry = join(at, ".git");
    const stats = linkStatsOf(entry);
    // Git passes such a folder over, too.
    const isNone = stats === undefined || (stats.isDirectory() && !existsSync(join(entry, "HEAD")));
    if (!isNone) return gitFoldersOf(entry).length > 0 ? at : undefined;
    if (at === dirname(at)) return null;
  }
}

/** Where git keeps the repository of a folder, or the entry that leads there. */
export function gitFolder(root: string): string | undefined {
  for (let at = root; at !== dirname(at); at = dirname(at)) {
    const git = join(at, ".git");
    if (existsSync(git)) return git;
  }
  return undefined;
}

/**
 * The entry, and where it leads. What a project says of its repository is believed only where the repository says the same: it
 * could name any folder of the machine, whose files git would tell.
 */
export function gitFoldersOf(entry: string): string[] {
  const own = lstatSync(entry).isDirectory() ? entry : linkedGit(entry);
  if (own === undefined) return [];
  const shared = textIn(own, "commondir");
  const common = shared === undefined ? own : resolve(own, shared);
  if (!isWithin(own, common) || !["HEAD", "objects"].every((name) => existsSync(join(common, name)))) return [];
  return [...new Set([entry, own, common])];
}

/** A worktree has a file with the place, and the place one that leads back; that of a submodule lies in the repository above. */
function linkedGit(entry: string): string | undefined {
  const target = /^gitdir:\s*(.+)$/m.exec(textIn(dirname(entry), ".git") ?? "")?.[1];
  const own = target === undefined ? undefined : existingRealPath(resolve(dirname(entry), target.trim()));
  if (own === undefined) return undefined;
  const above = gitFolder(dirname(dirname(entry)));
  const isKnown = textIn(own, "gitdir") === entry || (above !== undefined && isWithin(own, above));
  return isKnown ? own : undefined;
}

/** Undefined where there is no such file; a link is not read, as it could lead anywhere. */
function textIn(folder: string, name: string): string | undefined {
  const file = join(folder, name);
  return linkStatsOf(file)?.isFile() === true ? readRegularTextSync(file).trim() : undefined;
}
