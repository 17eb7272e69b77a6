/** What changed in some folders between two looks at them, by stamps alone: no content is read or kept. */
import { isUntouched, takeManifest } from "./manifest.ts";

export interface ChangedPath {
  /** Absolute. */
  readonly path: string;
  readonly kind: "created" | "changed" | "deleted";
}

export interface ChangedPaths {
  readonly changed: readonly ChangedPath[];
  /** False where there are more files than are looked at. */
  readonly isWhole: boolean;
}

/** Contract: `roots` are real paths. The returned function looks again, and never rejects. */
export async function watchPaths(roots: readonly string[], limit?: number): Promise<() => Promise<ChangedPaths>> {
  const before = await takeManifest(roots, undefined, limit);
  return async () => {
    // Nothing of the first look is trusted: a folder's clock may be too coarse to tell a command that took a moment.
    const after = await takeManifest(roots, undefined, limit);
    const changed: ChangedPath[] = [];
    for (const [path, now] of after.files) {
      const was = before.files.get(path);
      if (was !== undefined && !isUntouched(was, now)) changed.push({ path, kind: "changed" });
      // The first look may have ended before this file.
      if (was === undefined && before.complete) changed.push({ path, kind: "created" });
    }
    const isGone = (path: string): boolean => after.complete && !after.files.has(path);
    for (const path of before.files.keys()) if (isGone(path)) changed.push({ path, kind: "deleted" });
    const isWhole = before.complete && after.complete;
    return { changed: changed.toSorted((a, b) => (a.path < b.path ? -1 : 1)), isWhole };
  };
}
