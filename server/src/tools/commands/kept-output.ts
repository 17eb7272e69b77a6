/** What a person or a model asks for of what a command left and nobody reviews: a folder, or a file, that moves in as it is. */
import { constants } from "node:fs";
import { chmod, cp, lstat, readdir, rm } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { entryDocument, type FolderEntry } from "../../proposals/entries/entry.ts";
import { putStaged } from "../../proposals/entries/put-entry.ts";
import type { ProposedDocument } from "../../proposals/proposal.ts";
import type { CommandRun, WrittenPath } from "../../sandbox/runs/command-run.ts";
import { whyNotLinked } from "../../workspace/link-target.ts";
import { closedName, type ClosedName } from "../../workspace/secret-names.ts";
import { removeStaged, stagedName } from "../../process/staged-names.ts";
import type { PlaceInside } from "../../workspace/workspace-paths.ts";
import { errorText } from "../../base/errors.ts";
import { isChanged } from "./command-entries.ts";

/** No file and no folder that nobody reviews may be written by everybody. */
const RIGHTS = 0o775;

/** A document that moves it in, or why it cannot be. */
export async function keptOutput(
  place: PlaceInside,
  run: Pick<CommandRun, "changesIn" | "firstAt">,
  signal: AbortSignal,
): Promise<ProposedDocument | string> {
  const absolute = [place.root, ...place.names].join(sep);
  const { uri, relative: path } = place.path;
  const changes = await run.changesIn(absolute);
  if (changes.length === 0) return `${path}: the command left nothing there.`;
  for (const change of changes) {
    signal.throwIfAborted();
    const why = await whyNotMoved(change, { place, firstAt: run.firstAt });
    if (why !== undefined) return `${path}: ${why}`;
  }
  const entry = { before: null, after: entryOf(place, changes, run.firstAt) };
  const isThere = (await lstat(absolute).catch(() => undefined)) !== undefined;
  return entryDocument({ uri, path }, isThere ? { ...entry, before: { kind: "folder", files: 0, bytes: 0 } } : entry);
}

/** Those of the absolute paths that still differ in the layer. */
export async function stillThere<Told>(
  paths: ReadonlyMap<string, Told>,
  { changesIn }: Pick<CommandRun, "changesIn">,
): Promise<ReadonlyMap<string, Told>> {
  const left = new Map<string, Told>();
  for (const [path, told] of paths) {
    for (const { inLayer } of await changesIn(path)) {
      // What was moved is not in the layer, and was seen there when the command ended.
      if ((await lstat(inLayer).catch(() => undefined)) === undefined) continue;
      left.set(path, told);
      break;
    }
  }
  return left;
}

function entryOf(place: PlaceInside, changes: readonly WrittenPath[], firstAt: number): FolderEntry {
  const files = changes.filter(({ before, after }) => (after ?? before)?.kind !== "folder");
  const bytes = files.reduce((sum, { after }) => sum + (after?.kind === "file" ? after.size : 0), 0);
  return {
    kind: "folder",
    files: files.length,
    bytes,
    moveIn: (signal) => moveIn(place, { changes, firstAt }, signal).catch((error: unknown) => `${errorText(error)}.`),
  };
}

/** What is installed is everybody's to read, and a name like `.npmrc` means nothing there. */
export function closedInOutput(names: readonly string[]): ClosedName | undefined {
  return closedName(names.includes("node_modules") ? names.filter((name) => name === ".git") : names);
}

async function whyNotMoved(
  change: WrittenPath,
  { place, firstAt }: { readonly place: PlaceInside; readonly firstAt: number },
): Promise<string | undefined> {
  const { absolute, inLayer, after } = change;
  const names = relative(place.root, absolute).split(sep);
  const shown = names.join("/");
  const closed = closedInOutput(names);
  if (closed !== undefined) return `${shown} is closed to all edits.`;
  if (after?.kind === "other") return `${shown} is a pipe, socket, device or mount.`;
  if (after?.kind === "link") {
    const why = whyNotLinked(place.root, names, after.target);
    if (why !== undefined) return `${shown}: ${why}`;
  }
  if (await isChanged(change, firstAt)) return `${shown} changed in the project since the command began.`;
  if (after !== undefined && after.kind !== "link" && ((await lstat(inLayer)).mode & 0o7777 & ~RIGHTS) !== 0) {
    // Whoever starts a program with one of the upper bits becomes somebody else.
    await chmod(inLayer, after.mode & RIGHTS);
  }
  return undefined;
}

interface Moved {
  readonly changes: readonly WrittenPath[];
  readonly firstAt: number;
}

/** What is new comes to its place at once; into a folder that is there, each file by itself. */
async function moveIn(place: PlaceInside, moved: Moved, signal: AbortSignal): Promise<string | undefined> {
  for (const change of moved.changes) {
    signal.throwIfAborted();
    const why = await whyNotMoved(change, { place, firstAt: moved.firstAt });
    if (why !== undefined) return why;
  }
  const [top] = moved.changes;
  if (top === undefined) return "nothing is left to move.";
  const isNew = top.before === undefined && top.absolute === [place.root, ...place.names].join(sep);
  if (isNew) {
    const known = new Set(moved.changes.map(({ inLayer }) => inLayer));
    const isWhole = await holdsOnly(top.inLayer, known);
    return isWhole ? putNew(place, top.inLayer) : "it was there when the command began, and is gone now.";
  }
  for (const change of inOrder(moved.changes)) {
    signal.throwIfAborted();
    const why = await putOne(place.root, change);
    if (why !== undefined) return `${relative(place.root, change.absolute)}: ${why} What was moved before it stays.`;
  }
  return undefined;
}

/** The kernel's marks of what was deleted are devices in the layer, and no change names them. */
async function holdsOnly(folder: string, known: ReadonlySet<string>): Promise<boolean> {
  if (!known.has(folder)) return false;
  if (!(await lstat(folder)).isDirectory()) return true;
  for (const name of await readdir(folder)) if (!(await holdsOnly(join(folder, name), known))) return false;
  return true;
}

/** What goes leaves first, from the inside out. */
function inOrder(changes: readonly WrittenPath[]): WrittenPath[] {
  const gone = changes.filter(({ before, after }) => before !== undefined && before.kind !== after?.kind);
  const come = changes.filter(({ after }) => after !== undefined);
  return [...gone.toReversed().map((change): WrittenPath => ({ ...change, after: undefined })), ...come];
}

async function putOne(root: string, { absolute, before, after, inLayer }: WrittenPath): Promise<string | undefined> {
  const place = { root, names: relative(root, absolute).split(sep) };
  if (after === undefined) return putStaged(place, { remove: before?.kind === "folder" ? "folder" : "file" });
  if (after.kind === "folder") return putStaged(place, { folder: after.mode & RIGHTS });
  return putNew(place, inLayer, before?.kind === after.kind);
}

/** A copy: of what itself moved, other names could be left in the layer, by which a later command would write to the project. */
async function putNew(
  place: Pick<PlaceInside, "root" | "names">,
  inLayer: string,
  isReplaced = false,
): Promise<string | undefined> {
  const staged = join(place.root, stagedName());
  try {
    const asItIs = {
      recursive: true,
      verbatimSymlinks: true,
      preserveTimestamps: true,
      mode: constants.COPYFILE_FICLONE,
    };
    await cp(inLayer, staged, { ...asItIs, errorOnExist: true, force: false });
    const why = await putStaged(place, { staged, isReplaced });
    await rm(inLayer, { recursive: true, force: true });
    return why;
  } finally {
    await removeStaged(staged);
  }
}
