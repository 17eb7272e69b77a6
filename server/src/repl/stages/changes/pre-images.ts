/** What files held before an evaluation touched them, in memory and within bounds, so that a change can be taken back. */
import { readlinkSync } from "node:fs";
import { readRegularBytesSync } from "../../../workspace/regular-file.ts";
import { isUntouched, type FileStamp, type Manifest } from "./manifest.ts";
import { createSlices } from "../../confinement/slices.ts";

export interface PreImages {
  /** Keeps what the manifest's files hold now, small ones first; forgets files that are gone. */
  readonly keep: (manifest: Manifest) => Promise<void>;
  /** Undefined when the file was too big, or the bound was reached before it. */
  readonly get: (path: string) => Buffer | undefined;
}

export const MAX_FILE = 512 * 1024;
export const MAX_TOTAL = 32 * 1024 * 1024;

export function createPreImages(maxTotal: number = MAX_TOTAL): PreImages {
  let kept = new Map<string, { readonly stamp: FileStamp; readonly content: Buffer }>();
  return {
    get: (path) => kept.get(path)?.content,
    keep: async (manifest) => {
      const next: typeof kept = new Map();
      const fresh: [string, FileStamp][] = [];
      let room = maxTotal;
      for (const [path, stamp] of manifest.files) {
        const known = kept.get(path);
        if (known === undefined || !isUntouched(known.stamp, stamp)) fresh.push([path, stamp]);
        else {
          next.set(path, known);
          room -= known.content.length;
        }
      }
      const turn = createSlices();
      for (const [path, stamp] of fresh.toSorted(([, a], [, b]) => a.size - b.size)) {
        if (stamp.size > MAX_FILE || stamp.size > room) break;
        if (turn.isOver()) await turn.next();
        const content = contentOf(path, stamp.isLink);
        if (content === undefined) continue;
        next.set(path, { stamp, content });
        room -= content.length;
      }
      kept = next;
    },
  };
}

/** A link's content is where it points to; undefined when there is nothing to read. */
export function contentOf(path: string, isLink: boolean): Buffer | undefined {
  try {
    return isLink ? readlinkSync(path, { encoding: "buffer" }) : readRegularBytesSync(path);
  } catch {
    return undefined;
  }
}
