/** Which files a question is about: the same for what is on the disk and for what is not. */
import { closedPaths } from "../workspace/closed-paths.ts";
import { closedName, isSecretName } from "../workspace/secret-names.ts";
import type { Glob } from "./glob.ts";
import type { Place } from "./place.ts";

export interface Reach {
  /** Absolute paths of the workspace folders, none inside of another. */
  readonly folders: readonly string[];
  /** The file or folder that is asked about, all of the workspace without it. */
  readonly within: Place | undefined;
  readonly glob: Extract<Glob, { ok: true }> | undefined;
  /** Also what .gitignore and its like leave out, and node_modules. */
  readonly ignored: boolean;
}

/** The workspace folders in which is searched, with what is asked about in each. */
export function starts({ folders, within }: Reach): { readonly folder: string; readonly place: Place }[] {
  return folders.flatMap((folder, index) => {
    if (within !== undefined && within.folder !== index) return [];
    return [{ folder, place: { folder: index, relative: within?.relative ?? "" } }];
  });
}

/** Tells of each place whether it is searched. Whatever was asked for: no name that may hold secrets, nothing of git's own. */
export function reaching(reach: Reach): (place: Place) => boolean {
  const isClosed = closing();
  return (place) => isAsked(reach, place) && !isClosed(place);
}

export function isAsked({ within, glob }: Reach, { folder, relative }: Place): boolean {
  if (within !== undefined) {
    const isInside = within.relative === "" || isAtOrBelow(relative, within.relative);
    if (within.folder !== folder || !isInside) return false;
  }
  return glob?.matches(relative) ?? true;
}

/** By paths from the same folder. */
export function isAtOrBelow(relative: string, place: string): boolean {
  return relative === place || relative.startsWith(`${place}/`);
}

/** Tells of each place whether a name on its path closes the place. */
export function closing(): (place: Place) => boolean {
  const isClosed = closedPaths((name, place) => closedName([name], true) !== undefined || isSecretName(name, place));
  return ({ relative }) => isClosed(relative);
}

export function isInstalled(relative: string): boolean {
  return relative.split("/").includes("node_modules");
}
