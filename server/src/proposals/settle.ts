/** From a proposal of which every hunk is decided to what the model is told: what stands in the documents now. */
import type { DocumentText } from "../workspace/documents.ts";
import { appliedPlaces } from "./compose-edit.ts";
import type { DocumentOutcome, ProposalOutcome, TrackedDocument, TrackedHunk } from "./proposal.ts";
import { standingsIn } from "./standing.ts";
import type { Tracked } from "./tracked-proposal.ts";

export interface SettlePorts {
  /** The document's text as it is now, undefined where there is none to read. */
  readonly textOf: (uri: string) => DocumentText | undefined;
  readonly isSaved: (uri: string, text: string) => boolean;
}

/**
 * Looks at every applied hunk again: between its decision and the last one the person may have undone or changed it.
 * Records that in the hunks, and answers what is to tell of the documents.
 */
export function lookAgain(tracked: Tracked, ports: SettlePorts): DocumentOutcome[] {
  return tracked.documents.flatMap((document) => {
    const own = tracked.hunks.filter((hunk) => hunk.uri === document.uri && hunk.applied);
    return own.length === 0 ? [] : [lookAt(document, own, ports)];
  });
}

function lookAt(document: TrackedDocument, applied: readonly TrackedHunk[], ports: SettlePorts): DocumentOutcome {
  const now = ports.textOf(document.uri)?.text;
  const standings = standingsIn(document.base, appliedPlaces(applied), now);
  for (const hunk of applied) {
    const standing = standings.of.get(hunk.id);
    if (standing === "new") continue;
    hunk.applied = false;
    hunk.later = standing === "old" ? "undone" : "changed";
  }
  return {
    path: document.path,
    saved: now !== undefined && ports.isSaved(document.uri, now),
    changedElsewhere: standings.changedElsewhere,
  };
}

export function outcomeOf(
  tracked: Tracked,
  state: ProposalOutcome["state"],
  documents: readonly DocumentOutcome[],
): ProposalOutcome {
  return {
    state,
    hunks: tracked.hunks.map((hunk) => ({
      id: hunk.id,
      path: tracked.documents.find((document) => document.uri === hunk.uri)?.path ?? hunk.uri,
      title: hunk.title,
      state: hunk.state,
      applied: hunk.applied,
      oldText: hunk.oldText,
      newText: hunk.newText,
      ...(hunk.editedText === undefined ? {} : { editedText: hunk.editedText }),
      ...(hunk.reason === undefined ? {} : { reason: hunk.reason }),
      ...(hunk.conflict === undefined ? {} : { conflict: hunk.conflict }),
      ...(hunk.later === undefined ? {} : { later: hunk.later }),
    })),
    mismatched: [...tracked.mismatched],
    documents,
    ...(tracked.message === undefined ? {} : { message: tracked.message }),
    then: tracked.then,
  };
}
