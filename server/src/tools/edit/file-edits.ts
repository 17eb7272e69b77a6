/** Moving and deleting whole files, and folders file by file. */
import path from "node:path";
import { filesBelow } from "../../workspace/folder-files.ts";
import { hasSameLetters } from "../../workspace/same-letters.ts";
import type { WorkspacePath } from "../../workspace/workspace-paths.ts";
import { ToolFailure } from "../tool.ts";
import { MAX_FILES, type Draft } from "./draft-files.ts";
import type { Plan } from "./plan.ts";
import { plural } from "../../base/plural.ts";

const SHOWN = 5;

export async function deleteFiles(plan: Plan, name: string, index: number): Promise<void> {
  for (const draft of await draftsNamed(plan, name)) {
    const { place, editedBy, base } = draft;
    if (place === undefined) continue;
    if (base === null) throw new ToolFailure(`edits[${editedBy}] creates ${place.relative}; leave both out.`);
    if (editedBy !== undefined) {
      throw new ToolFailure(
        `edits[${editedBy}] changes ${place.relative}, and this edit deletes it; leave one of them out.`,
      );
    }
    draft.place = undefined;
    draft.deletedBy = index;
  }
}

export async function moveFiles(
  plan: Plan,
  { path: name, to }: { path: string; to: string },
  index: number,
): Promise<void> {
  const drafts = await draftsNamed(plan, name);
  const from = plan.files.resolve(name);
  const goal = plan.files.resolve(to);
  const isFolder = await plan.files.isFolder(from);
  if (!isFolder) refuseFolderName(to, path.basename(from.relative));
  if (goal.uri === from.uri) throw new ToolFailure(`${from.relative} stands there already.`);
  if (isFolder && goal.absolute.startsWith(from.absolute + path.sep)) {
    throw new ToolFailure(`${from.relative} cannot be moved into itself, to ${goal.relative}.`);
  }
  if (isFolder) plan.folderMoves.push([from.absolute, goal.absolute]);
  const moves: { draft: Draft; goal: WorkspacePath }[] = [];
  for (const draft of drafts) {
    if (draft.place === undefined) continue;
    const rest = path.relative(from.absolute, draft.place.absolute);
    const place = isFolder ? plan.files.resolve(path.join(goal.absolute, rest)) : goal;
    const occupied = await plan.files.whyOccupied(place, draft.place);
    if (occupied !== undefined) throw new ToolFailure(`${draft.place.relative} cannot be moved: ${occupied}.`);
    moves.push({ draft, goal: place });
  }
  for (const { draft, goal: place } of moves) {
    draft.place = place;
    draft.movedBy = index;
  }
}

/** `lib/` is no name of a file, though without its end it would be one. */
export function refuseFolderName(name: string, file?: string): void {
  if (!name.endsWith("/")) return;
  const such = file === undefined ? "" : `, such as ${name}${file}`;
  throw new ToolFailure(`${name} names a folder: give the whole path of the file${such}.`);
}

/** Files that change places with each other, which no order of single moves can do. */
export function exchangedPlaces(
  drafts: readonly Draft[],
): { readonly index: number; readonly text: string } | undefined {
  const leaving = new Map(drafts.flatMap((draft) => (isMoved(draft) ? [[draft.origin.uri, draft] as const] : [])));
  for (const first of leaving.values()) {
    let next = leaving.get(first.place?.uri ?? "");
    for (let steps = 0; next !== undefined && next !== first && steps < drafts.length; steps += 1) {
      next = leaving.get(next.place?.uri ?? "");
    }
    if (next !== first) continue;
    const text = `${first.origin.relative} and another file change places, which cannot be done in one call. Move one of them away first, in a call of its own.`;
    return { index: first.movedBy ?? 0, text };
  }
  return undefined;
}

/** A file whose path another file of the edit needs as a folder. */
export function nestedPlaces(drafts: readonly Draft[]): { readonly index: number; readonly text: string } | undefined {
  const files = new Map(
    drafts.flatMap((draft) => (draft.place === undefined ? [] : [[draft.place.absolute, draft] as const])),
  );
  for (const [file, { place, movedBy, editedBy }] of files) {
    for (let folder = path.dirname(file); folder !== path.dirname(folder); folder = path.dirname(folder)) {
      const other = files.get(folder);
      if (other?.place === undefined) continue;
      const text = `${place?.relative ?? file} cannot stand below ${other.place.relative}, which is to be a file.`;
      return { index: movedBy ?? editedBy ?? 0, text };
    }
  }
  return undefined;
}

function isMoved({ base, origin, place }: Draft): boolean {
  return base !== null && place !== undefined && place.uri !== origin.uri;
}

/** The file of this name, or all files below the folder of this name. */
async function draftsNamed(plan: Plan, name: string): Promise<readonly Draft[]> {
  const { files } = plan;
  const place = files.resolve(name);
  const parent = files.resolve(path.dirname(name) === name ? name : path.dirname(name));
  // Compared by what is relative: with several workspace folders the parent may be found in another one.
  const named = path.posix.join(parent.relative, path.basename(name));
  if (!hasSameLetters(named, place.relative) && place.relative !== parent.relative) {
    throw new ToolFailure(
      `${name} is a link to ${place.relative}. Links are not moved or deleted; name the file itself.`,
    );
  }
  if (!(await files.isFolder(place))) {
    const draft = await files.at(place, "whole");
    if (draft === undefined) throw new ToolFailure(`${place.relative} does not exist.`);
    return [draft];
  }
  if (place.relative === "") throw new ToolFailure("The workspace folder itself cannot be moved or deleted.");
  return draftsBelow(plan, place);
}

async function draftsBelow({ files, signal }: Plan, folder: WorkspacePath): Promise<readonly Draft[]> {
  const isBelow = (place: WorkspacePath | undefined): boolean =>
    place?.absolute.startsWith(folder.absolute + path.sep) === true;
  const found = await filesBelow(folder.absolute, MAX_FILES, signal).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { files: [], others: [], isMore: false };
    throw code === undefined ? error : new ToolFailure(`${folder.relative} cannot be listed (${code}).`);
  });
  if (found.isMore) {
    throw new ToolFailure(
      `${folder.relative} has more than ${MAX_FILES} files, more than a person can review in one proposal. Name smaller folders, or ask the person to do it.`,
    );
  }
  const shown = (all: readonly string[]): string =>
    all
      .slice(0, SHOWN)
      .map((file) => path.relative(folder.absolute, file))
      .join(", ") + (all.length > SHOWN ? ", …" : "");
  if (found.others.length > 0) {
    throw new ToolFailure(
      `${folder.relative} holds ${plural(found.others.length, "link or special file", "links or special files")} (${shown(found.others)}), which cannot be moved or deleted here. Name its files one by one.`,
    );
  }
  const drafts: Draft[] = [];
  for (const file of found.files) {
    const place = files.resolve(file);
    const isGone = files.all().some(({ origin, place: now }) => origin.uri === place.uri && now?.uri !== place.uri);
    const draft = isGone ? undefined : await files.at(place, "whole");
    if (draft !== undefined) drafts.push(draft);
  }
  for (const draft of files.all()) if (isBelow(draft.place) && !drafts.includes(draft)) drafts.push(draft);
  if (drafts.length === 0) throw new ToolFailure(`${folder.relative} has no files.`);
  return drafts;
}
