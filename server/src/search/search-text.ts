/** One question to the texts of the workspace: the files on disk, and the buffers whose text is another one. */
import { join } from "node:path";
import { isTaken } from "../workspace/file-names.ts";
import { Finding } from "./finding.ts";
import type { FoundFile, ReadFrom } from "./found-lines.ts";
import { matchReader } from "./match-events.ts";
import { keyOf, type Place } from "./place.ts";
import { reaching, starts, type Reach } from "./reach.ts";
import { searchArguments, type Pattern } from "./rg-arguments.ts";
import { readProblems, type UnreadFile } from "./rg-problem.ts";
import { runRipgrep, type LocateRipgrep } from "./ripgrep.ts";
import { reachedTexts, searchTexts, type UnsavedText } from "./unsaved-texts.ts";

export interface TextQuestion {
  readonly pattern: Pattern;
  readonly reach: Reach;
  /** Lines up to this one are counted and not kept. */
  readonly from?: ReadFrom | undefined;
}

export interface SearchPorts {
  readonly locate: LocateRipgrep;
  /** The texts that differ from the disk. */
  readonly unsaved: () => Promise<readonly UnsavedText[]>;
}

export interface TextFindings {
  /** Those with matches, in the order in which they are told. */
  readonly files: readonly FoundFile[];
  /** Files with matches that are not told because they are no text. */
  readonly binary: readonly Place[];
  /** Files with a match in a line that is too long to be read. */
  readonly tooLong: readonly Place[];
  readonly unread: readonly UnreadFile[];
}

/** Rejects with `RipgrepMissing`, with a `PatternProblem` for a pattern that cannot be read, or with the signal's reason. */
export async function searchText(
  { locate, unsaved }: SearchPorts,
  { pattern, reach, from }: TextQuestion,
  signal: AbortSignal,
): Promise<TextFindings> {
  const unsavedTexts = await unsaved();
  const stale = new Set(unsavedTexts.map(keyOf));
  const finding = new Finding(from);
  const isReached = reaching(reach);
  const unread: UnreadFile[] = [];
  const onDisk = starts(reach).map(async ({ folder, place }) => {
    // A new file, or a folder of new files, is in the buffers alone.
    if (!(await isTaken(join(folder, place.relative)))) return;
    const toldPlace = (path: string): Place | undefined => {
      const found = { folder: place.folder, relative: path };
      return isReached(found) && !(stale.size > 0 && stale.has(keyOf(found))) ? found : undefined;
    };
    const args = searchArguments(pattern, reach, place.relative);
    const { code, problems } = await runRipgrep(
      locate,
      { args, folder },
      matchReader(finding.listener(toldPlace)),
      signal,
    );
    if (code === 2) unread.push(...readProblems(problems));
  });
  const inBuffers = async (): Promise<void> => {
    const texts = await reachedTexts(locate, reach, unsavedTexts, signal);
    await searchTexts(locate, pattern, { texts, finding }, signal);
  };
  await Promise.all([...onDisk, inBuffers()]);
  return { files: finding.files(), binary: finding.binary, tooLong: [...finding.tooLong], unread };
}
