/** Compares two scans of the same folders: which files were created, changed and deleted between them. */
import { isUntouched, type FileStamp, type Manifest } from "./manifest.ts";
import { contentOf, type PreImages } from "./pre-images.ts";

export interface FileChange {
  readonly path: string;
  readonly kind: "created" | "modified" | "deleted";
  readonly before: FileStamp | undefined;
  readonly after: FileStamp | undefined;
  /** The content before the change; undefined for a created file, and when no pre-image was kept. */
  readonly preImage: Buffer | undefined;
  /** The content after the change; undefined for a deleted file. */
  readonly content: Buffer | undefined;
}

/** The content of a larger file is neither compared nor kept: only its stamp shows a change. */
const MAX_COMPARED = 8 * 1024 * 1024;

export function compareManifests(before: Manifest, after: Manifest, images: PreImages): FileChange[] {
  const changes: FileChange[] = [];
  for (const [path, now] of after.files) {
    const was = before.files.get(path);
    if (was !== undefined && isUntouched(was, now)) continue;
    // The earlier scan reached its limit, so the file may have existed already.
    if (was === undefined && !before.complete) continue;
    const content = now.size > MAX_COMPARED ? undefined : contentOf(path, now.isLink);
    if (was === undefined) {
      changes.push({ path, kind: "created", before: undefined, after: now, preImage: undefined, content });
      continue;
    }
    const preImage = images.get(path);
    const isSame = preImage !== undefined && content?.equals(preImage) === true && was.isLink === now.isLink;
    if (!isSame) changes.push({ path, kind: "modified", before: was, after: now, preImage, content });
  }
  if (!after.complete) return changes;
  for (const [path, was] of before.files) {
    if (after.files.has(path)) continue;
    const rest = { after: undefined, content: undefined };
    changes.push({ path, kind: "deleted", before: was, preImage: images.get(path), ...rest });
  }
  return changes.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
