/** Reverts one change of a file, unless the file was changed again since. */
import { lstat, mkdir, readlink, rm, rmdir, symlink, writeFile, chmod } from "node:fs/promises";
import { dirname } from "node:path";
import { readRegularBytes } from "../../../workspace/regular-file.ts";
import type { FileChange } from "./compare.ts";

/** The reason why a change cannot be reverted, known before anybody asks; undefined when it can. */
export function whyNotRevertible({ kind, preImage, content, before }: FileChange): string | undefined {
  if (kind === "created") return content === undefined ? "it is too big to be sure that it is unchanged" : undefined;
  if (preImage === undefined) {
    const size = before === undefined ? "" : ` (${Math.ceil(before.size / 1024)} kB)`;
    return `no copy of what it held was kept${size}: too big, or too much in all`;
  }
  return kind === "modified" && content === undefined ? "it is now too big to be sure that it is unchanged" : undefined;
}

/** Undefined when the file is again as it was before the change, else the reason why not. Never throws. */
export async function takeBack(
  change: FileChange,
  isOldFolder: (path: string) => boolean,
): Promise<string | undefined> {
  const reason = whyNotRevertible(change);
  if (reason !== undefined) return reason;
  try {
    if (!(await isAsLeft(change))) return "it was changed again since";
    await rm(change.path, { force: true });
    if (change.preImage === undefined) await removeNewFolders(dirname(change.path), isOldFolder);
    else await restore(change, change.preImage);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/, \w+ '.*/s, "") : String(error);
  }
}

async function isAsLeft({ path, content, after }: FileChange): Promise<boolean> {
  const stat = await lstat(path).catch(() => undefined);
  if (stat === undefined || content === undefined) return stat === undefined && content === undefined;
  if (stat.isSymbolicLink() !== (after?.isLink ?? false)) return false;
  const now = stat.isSymbolicLink() ? await readlink(path, { encoding: "buffer" }) : await readRegularBytes(path);
  return now.equals(content);
}

async function restore({ path, before }: FileChange, content: Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  if (before?.isLink === true) return symlink(content, path);
  await writeFile(path, content, { flag: "wx" });
  if (before !== undefined) await chmod(path, before.mode & 0o7777);
}

async function removeNewFolders(folder: string, isOldFolder: (path: string) => boolean): Promise<void> {
  for (let at = folder; !isOldFolder(at) && at !== dirname(at); at = dirname(at)) {
    try {
      await rmdir(at);
    } catch {
      return;
    }
  }
}
