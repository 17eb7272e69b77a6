/** The names of the files that a search reads. */
import { join } from "node:path";
import { isTaken } from "../workspace/file-names.ts";
import { closing, isAsked, starts, type Reach } from "./reach.ts";
import { listArguments } from "./rg-arguments.ts";
import { readProblems, type UnreadFile } from "./rg-problem.ts";
import { runRipgrep, type LocateRipgrep } from "./ripgrep.ts";
import type { Place } from "./place.ts";

export interface FileList {
  /** Files on disk, in no order. */
  readonly places: readonly Place[];
  /** How many more there are under names that may hold secrets. */
  readonly closed: number;
  readonly unread: readonly UnreadFile[];
}

export async function listFiles(locate: LocateRipgrep, reach: Reach, signal: AbortSignal): Promise<FileList> {
  const places: Place[] = [];
  const unread: UnreadFile[] = [];
  let closed = 0;
  const isClosed = closing();
  await Promise.all(
    starts(reach).map(async ({ folder, place }) => {
      if (!(await isTaken(join(folder, place.relative)))) return;
      const onName = (name: Buffer): void => {
        const found = { folder: place.folder, relative: name.toString("utf8").replace(/^\.\//, "") };
        if (!isAsked(reach, found)) return;
        if (isClosed(found)) closed += 1;
        else places.push(found);
      };
      const args = listArguments(reach, place.relative);
      const { code, problems } = await runRipgrep(locate, { args, folder, separator: 0 }, onName, signal);
      if (code === 2) unread.push(...readProblems(problems));
    }),
  );
  return { places, closed, unread };
}
