/** The open documents whose text the disk does not have. */
import { join } from "node:path";
import type { Documents } from "../workspace/documents.ts";
import { isTaken } from "../workspace/file-names.ts";
import { existingRealPath } from "../workspace/real-path.ts";
import type { WorkspacePaths } from "../workspace/workspace-paths.ts";
import { placeOf } from "./place.ts";
import { outermost } from "../workspace/within.ts";
import type { UnsavedText } from "./unsaved-texts.ts";

/** Documents outside of the workspace, and those under names that may hold secrets, are left out. */
export async function changedDocuments(documents: Documents, paths: WorkspacePaths): Promise<UnsavedText[]> {
  const folders = outermost(paths.folders());
  const found = documents.all().map(async ({ uri, text }): Promise<UnsavedText | undefined> => {
    const resolution = paths.resolve(uri);
    const place = resolution.ok ? placeOf(folders, resolution.path.absolute) : undefined;
    if (!resolution.ok || place === undefined) return undefined;
    const onDisk = await documents.readDisk(resolution.path.uri);
    // Some editors keep the line ends of the file to themselves.
    if (onDisk !== undefined && plain(onDisk) === plain(text)) return undefined;
    return { ...place, text, isNew: onDisk === undefined && !(await isTaken(resolution.path.absolute)) };
  });
  return (await Promise.all(found)).filter((each) => each !== undefined);
}

/** The same texts, by absolute real paths. */
export async function unsavedTexts(documents: Documents, paths: WorkspacePaths): Promise<Map<string, string>> {
  const folders = outermost(paths.folders()).map((folder) => existingRealPath(folder) ?? "");
  const changed = await changedDocuments(documents, paths);
  return new Map(changed.map(({ folder, relative, text }) => [join(folders[folder] ?? "", relative), text]));
}

function plain(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
