/** Which of a proposal's places kept their old text, because their hunk was rejected, in conflict, or rewritten. */
import type { HunkOutcome, ProposalOutcome } from "../../proposals/proposal.ts";
import type { RenamePlace } from "../../typescript/edits/rename/rename-place.ts";
import type { PreparedEdit } from "./compiler-edit.ts";

/** As `src/a.ts:12`, lines counted from 1 in the text the proposal was made against. */
export function placesLeft(
  { documents, files }: PreparedEdit,
  outcome: ProposalOutcome,
  places: readonly RenamePlace[],
  oldName: string,
): string[] {
  const left = new Set<string>();
  for (const hunk of outcome.hunks) {
    const isRewritten = hunk.applied && hunk.editedText !== undefined;
    if (hunk.applied && !(isRewritten && spells(hunk.editedText ?? "", oldName))) continue;
    const file = files[documents.findIndex(({ path }) => path === hunk.path)];
    const { first, last } = linesOf(hunk);
    for (const { at, file: placed } of places) {
      if (placed === file && at.line + 1 >= first && at.line + 1 <= last) left.add(`${hunk.path}:${at.line + 1}`);
    }
  }
  return [...left];
}

/** A hunk's title ends with its first line. */
function linesOf({ title, oldText }: HunkOutcome): { first: number; last: number } {
  const first = Number(/:(\d+)$/.exec(title)?.[1] ?? 1);
  return { first, last: first + oldText.replace(/\n$/, "").split("\n").length - 1 };
}

function spells(text: string, name: string): boolean {
  return text.split(/[^\p{ID_Continue}$#]+/u).includes(name);
}
