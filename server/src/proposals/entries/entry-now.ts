/** What is at a path: no link is followed, and no device or pipe is opened. */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, readlink } from "node:fs/promises";
import type { EntryNow } from "./entry.ts";
import { isMissing } from "../../workspace/file-names.ts";

const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const PIECE = 2 ** 16;
const RIGHTS = 0o777;

/** Rejects where nobody can say. */
export async function entryAt(absolute: string): Promise<EntryNow> {
  const stats = await lstat(absolute).catch(unlessMissing);
  if (stats === undefined) return undefined;
  if (stats.isSymbolicLink()) return { kind: "link", target: await readlink(absolute) };
  if (stats.isDirectory()) return { kind: "folder" };
  if (!stats.isFile()) return { kind: "other" };
  const file = await open(absolute, FLAGS);
  try {
    const opened = await file.stat();
    if (!opened.isFile()) return { kind: "other" };
    const hash = createHash("sha256");
    const piece = Buffer.allocUnsafe(PIECE);
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, PIECE);
      if (bytesRead === 0) break;
      hash.update(piece.subarray(0, bytesRead));
    }
    return { kind: "file", mode: opened.mode & RIGHTS, sha256: hash.digest("hex") };
  } finally {
    await file.close();
  }
}

function unlessMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}
