/** Hunks that the person had proposed again and accepted: the proposal that they are from has them in place now. */
import { rebaseDocument } from "../apply/rebase-document.ts";
import type { TrackedHunk } from "../proposal.ts";
import { isInPlace, noteTurn, type Tracked } from "../tracked-proposal.ts";

/** Answers whether a hunk of `tracked` came in. A hunk that was cut again and accepted in part stays what it was. */
export function notePutIn(tracked: Tracked, { hunks, request: { again } }: Tracked): boolean {
  const came = (again?.hunkIds ?? []).flatMap((id, index) => {
    const [own, other] = [findHunk(tracked.hunks, id), findHunk(hunks, `h${index + 1}`)];
    return own === undefined || other === undefined || isInPlace(own) || !isInPlace(other) ? [] : [{ own, other }];
  });
  for (const { own, other } of came) {
    takeOver(own, other);
    const texts = tracked.hunks.filter(({ document, kind }) => document === own.document && kind !== "rename");
    if (own.kind === "edit") rebaseDocument(own.document, new Set([own]), texts);
    noteTurn(tracked, own, false);
    if (tracked.state !== "pending") own.isAcceptedAgain = true;
  }
  return came.length > 0;
}

function takeOver(own: TrackedHunk, { state, editedText, seen, document }: TrackedHunk): void {
  for (const each of ["editedText", "reason", "by", "conflict", "trouble", "later", "seen"] as const) delete own[each];
  own.state = state;
  own.applied = true;
  if (editedText !== undefined) own.editedText = editedText;
  if (seen !== undefined) own.seen = { text: seen.text, place: { ...seen.place, id: own.id } };
  own.document.at = document.at;
}

function findHunk(hunks: readonly TrackedHunk[], id: string): TrackedHunk | undefined {
  return hunks.find((hunk) => hunk.id === id);
}
