/** The contents of files before an evaluation, in memory and within limits, so that a change can be reverted. */
import { readlinkSync } from "node:fs";
import { readRegularBytesSync } from "../../../workspace/regular-file.ts";
import { isUntouched, type FileStamp, type Manifest } from "./manifest.ts";
import { createSlices } from "../../confinement/slices.ts";

export const MAX_FILE = 512 * 1024;
export const MAX_TOTAL = 32 * 1024 * 1024;

interface Kept {
  readonly stamp: FileStamp;
  readonly content: Buffer;
}

export class PreImages {
  readonly #maxTotal: number;
  #kept = new Map<string, Kept>();

  constructor(maxTotal: number = MAX_TOTAL) {
    this.#maxTotal = maxTotal;
  }

  /** Undefined when the file was too big, or when the limit was reached before it. */
  get(path: string): Buffer | undefined {
    return this.#kept.get(path)?.content;
  }

  /** Keeps the present contents of the manifest's files, small ones first, and forgets files that are gone. */
  async keep(manifest: Manifest): Promise<void> {
    const next = new Map<string, Kept>();
    const fresh: [string, FileStamp][] = [];
    let room = this.#maxTotal;
    for (const [path, stamp] of manifest.files) {
      const known = this.#kept.get(path);
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
    this.#kept = next;
  }
}

/** The content of a link is the path it points to; undefined when there is nothing to read. */
export function contentOf(path: string, isLink: boolean): Buffer | undefined {
  try {
    return isLink ? readlinkSync(path, { encoding: "buffer" }) : readRegularBytesSync(path);
  } catch {
    return undefined;
  }
}
