/** Finds what changed in some folders between two scans, by stamps only: no content is read or kept. */
import { isUntouched, takeManifest } from "./manifest.ts";

export interface ChangedPath {
  /** Absolute path. */
  readonly path: string;
  readonly kind: "created" | "changed" | "deleted";
}

export interface ChangedPaths {
  readonly changed: readonly ChangedPath[];
  /** False when there are more files than the limit. */
  readonly isWhole: boolean;
}

/** Contract: `roots` are real paths. The returned function scans again, and never rejects. */
export async function watchPaths(roots: readonly string[], limit?: number): Promise<() => Promise<ChangedPaths>> {
  const before = await takeManifest(roots, undefined, limit);
  return async () => {
    // The folders are listed again and not taken from the first scan: a folder's clock may be too coarse to show a
    // command that took a moment.
    const after = await takeManifest(roots, undefined, limit);
    const changed: ChangedPath[] = [];
    for (const [path, now] of after.files) {
      const was = before.files.get(path);
      if (was !== undefined && !isUntouched(was, now)) changed.push({ path, kind: "changed" });
      // The first scan may have ended before this file.
      if (was === undefined && before.complete) changed.push({ path, kind: "created" });
    }
    const isGone = (path: string): boolean => after.complete && !after.files.has(path);
    for (const path of before.files.keys()) if (isGone(path)) changed.push({ path, kind: "deleted" });
    const isWhole = before.complete && after.complete;
    return { changed: changed.toSorted((a, b) => (a.path < b.path ? -1 : 1)), isWhole };
  };
}
