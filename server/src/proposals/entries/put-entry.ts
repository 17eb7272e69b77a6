/**
 * Puts an entry in its place, if the place still holds what it held when the entry was proposed. Every folder on the way is
 * opened from the one above and held open, no link is followed, and nothing is written over that was not looked at.
 */
import { constants } from "node:fs";
import {
  chmod,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  rmdir,
  symlink,
  unlink,
  type FileHandle,
} from "node:fs/promises";
import { join } from "node:path";
import { errorText } from "../../base/errors.ts";
import { stagedName } from "../../process/staged-names.ts";
import { entryAt } from "./entry-now.ts";
import { standsThere, type Entry, type EntryChange, type FileEntry } from "./entry.ts";

/** A path below a folder of the workspace, by the real path of that folder. */
export interface EntryPlace {
  readonly root: string;
  /** At least one, none of them `..`. */
  readonly names: readonly string[];
}

const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
const FILE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const RIGHTS = 0o777;

const CHANGED = "it is not what it was when this was proposed.";
const NO_FOLDER = "a part of its path is no folder any more.";

/** Answers why the entry is not there, undefined where it is. Nothing has changed where it answers. Never rejects. */
export async function putEntry(place: EntryPlace, change: EntryChange): Promise<string | undefined> {
  return inFolder(place, change.after !== null, (folder) => putIn(folder, place, change));
}

/**
 * One step of a move whose parts somebody else has looked at: a file, link or folder that is staged beside the project, a folder
 * with this mode, or a file or empty folder that goes. Never rejects.
 */
export type Step =
  | { readonly staged: string; readonly isReplaced: boolean }
  | { readonly folder: number }
  | { readonly remove: "file" | "folder" };

export async function putStaged(place: EntryPlace, step: Step): Promise<string | undefined> {
  return inFolder(place, !("remove" in step), async (folder) => {
    const at = join(folder, place.names.at(-1) ?? "");
    const now = await entryAt(at);
    if ("remove" in step) {
      await (step.remove === "folder" ? rmdir(at) : unlink(at));
    } else if ("folder" in step) {
      if (now === undefined) await mkdir(at);
      if (now !== undefined && now.kind !== "folder") return CHANGED;
      await chmod(at, step.folder);
    } else {
      const isFree = step.isReplaced ? now?.kind === "file" || now?.kind === "link" : now === undefined;
      if (!isFree) return CHANGED;
      await rename(step.staged, at);
    }
    return undefined;
  });
}

async function inFolder(
  place: EntryPlace,
  mayMake: boolean,
  use: (folder: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  if (process.platform !== "linux") return "entries like this one are put in place on Linux only.";
  const held: FileHandle[] = [];
  try {
    return await use(await holdFolder(place, mayMake, held));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOTDIR" || code === "ELOOP") return NO_FOLDER;
    if (code === "ENOENT" || code === "EEXIST") return CHANGED;
    return `the system refuses: ${errorText(error)}.`;
  } finally {
    await Promise.all(held.map((each) => each.close().catch(() => undefined)));
  }
}

/** The folder that holds the entry, by a name that leads to exactly that folder as long as it is held open. */
async function holdFolder({ root, names }: EntryPlace, mayMake: boolean, held: FileHandle[]): Promise<string> {
  const hold = async (path: string): Promise<string> => {
    const handle = await open(path, FOLDER);
    held.push(handle);
    return `/proc/self/fd/${handle.fd}`;
  };
  let at = await hold(root);
  for (const name of names.slice(0, -1)) {
    const next = join(at, name);
    try {
      at = await hold(next);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || !mayMake) throw error;
      await mkdir(next);
      at = await hold(next);
    }
  }
  return at;
}

async function putIn(folder: string, place: EntryPlace, { before, after }: EntryChange): Promise<string | undefined> {
  const at = join(folder, place.names.at(-1) ?? "");
  const now = await entryAt(at);
  if (!standsThere(before, now)) return CHANGED;
  if (after === null) {
    await unlink(at);
    await removeEmptyAbove(place);
    return undefined;
  }
  if (after.kind === "file" && after.content === undefined) return changeMode(at, after.mode);
  const staged = join(place.root, stagedName());
  try {
    await stage(staged, after);
    if (now?.kind === "folder" && !(await removeEmpty(at))) return "a folder with files stands there.";
    if (!standsThere(before, await entryAt(at))) return CHANGED;
    if (before === null) await link(staged, at);
    else await rename(staged, at);
    return undefined;
  } finally {
    await rm(staged, { force: true });
  }
}

async function stage(staged: string, after: Entry): Promise<void> {
  if (after.kind === "link") return symlink(after.target, staged);
  if (after.kind === "folder") throw new Error("a folder is moved, not written");
  await writeNew(staged, after);
}

async function writeNew(staged: string, { content, mode }: FileEntry): Promise<void> {
  const file = await open(staged, NEW, 0o600);
  try {
    await file.writeFile(Buffer.from(content?.base64 ?? "", "base64"));
    await file.chmod(mode & RIGHTS);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A file with several names has them outside of the workspace too, for all that anybody can tell. */
async function changeMode(at: string, mode: number): Promise<string | undefined> {
  const file = await open(at, FILE);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return CHANGED;
    if (stats.nlink > 1) return "the file has another name, a hard link, whose mode would change too.";
    await file.chmod(mode & RIGHTS);
    return undefined;
  } finally {
    await file.close();
  }
}

async function removeEmptyAbove({ root, names }: EntryPlace): Promise<void> {
  for (let depth = names.length - 1; depth > 0; depth -= 1) {
    const isGone = await rmdir(join(root, ...names.slice(0, depth))).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}

/** False where the folder has a file at any depth. */
async function removeEmpty(folder: string): Promise<boolean> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() || !(await removeEmpty(join(folder, entry.name)))) return false;
  }
  const stats = await lstat(folder);
  if (!stats.isDirectory()) return false;
  await rmdir(folder);
  return true;
}
