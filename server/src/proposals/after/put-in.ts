/** Hunks that the person had proposed again and accepted: the proposal that they are from has them in place now. */
import { rebaseDocument } from "../apply/rebase-document.ts";
import { isInPlace, raise, textOf } from "../hunk-state.ts";
import type { TrackedHunk } from "../proposal.ts";
import { isPending } from "../proposal-state.ts";
import type { Tracked } from "../tracked-proposal.ts";

/** Answers whether a hunk of `tracked` came in. A hunk that was cut again and accepted in part stays what it was. */
export function notePutIn(tracked: Tracked, { hunks, request: { again } }: Tracked): boolean {
  const came = (again?.hunkIds ?? []).flatMap((id, index) => {
    const [own, other] = [findHunk(tracked.hunks, id), findHunk(hunks, `h${index + 1}`)];
    return own === undefined || other === undefined || isInPlace(own) || !isInPlace(other) ? [] : [{ own, other }];
  });
  for (const { own, other } of came) {
    const texts = tracked.hunks.filter(({ document, kind }) => document === own.document && kind !== "rename");
    if (own.kind === "edit") rebaseDocument(own.document, new Map([[own, textOf(other)]]), texts);
    own.document.at = other.document.at;
    raise(own, { is: "putIn", of: other.now, id: own.id });
    if (!isPending(tracked)) raise(own, { is: "turned", wasInPlace: false, isAcceptedAgain: true });
  }
  return came.length > 0;
}

function findHunk(hunks: readonly TrackedHunk[], id: string): TrackedHunk | undefined {
  return hunks.find((hunk) => hunk.id === id);
}
