/** From a proposal whose hunks are all decided to what the model is told: what stands in the documents now. */
import type { DocumentText } from "../workspace/documents.ts";
import type { ComposedDocument } from "./compose-edit.ts";
import type { DocumentOutcome, ProposalOutcome, TrackedDocument, TrackedHunk } from "./proposal.ts";
import { movedPlaces, standingsIn, type HunkPlace } from "./standing.ts";
import type { Tracked } from "./tracked-proposal.ts";
import { given } from "../given.ts";

export interface SettlePorts {
  /** The document's text as it is now, undefined where there is none to read. */
  readonly textOf: (uri: string) => DocumentText | undefined;
  readonly isSaved: (uri: string, text: string) => boolean;
}

/**
 * Looks at every applied hunk again: between its decision and the last one the person may have undone or changed it.
 * Records that in the hunks, and answers the report on the documents.
 */
export function lookAgain(tracked: Tracked, ports: SettlePorts): DocumentOutcome[] {
  return tracked.documents.flatMap((document) => {
    const own = tracked.hunks.filter((hunk) => hunk.uri === document.uri && hunk.applied);
    return own.length === 0 ? [] : [lookAt(document, own, ports)];
  });
}

function lookAt(document: TrackedDocument, applied: readonly TrackedHunk[], ports: SettlePorts): DocumentOutcome {
  const now = ports.textOf(document.uri)?.text;
  for (const [text, hunks] of Map.groupBy(applied, (hunk) => hunk.seen?.text ?? "")) {
    const standings = standingsIn(
      text,
      hunks.flatMap(({ seen }) => seen?.place ?? []),
      now,
    );
    for (const hunk of hunks) {
      const standing = standings.get(hunk.id);
      if (standing === "new") continue;
      hunk.applied = false;
      hunk.later = standing === "old" ? "undone" : "changed";
    }
  }
  return {
    path: document.path,
    saved: now !== undefined && ports.isSaved(document.uri, now),
    changedElsewhere: applied.every((hunk) => hunk.applied) && now !== document.base,
  };
}

/** Notes where hunks stand in the document as it is now: those that just went in, and the earlier ones. */
export function noteSeen(hunks: readonly TrackedHunk[], apply: ComposedDocument, now: string): void {
  const applied = hunks.filter((hunk) => hunk.applied);
  const isNew = new Set(apply.places.map(({ id }) => id));
  const note = (places: readonly HunkPlace[], from: string): void => {
    for (const place of movedPlaces(places, from, now)) {
      const hunk = applied.find(({ id }) => id === place.id);
      if (hunk !== undefined) hunk.seen = { text: now, place };
    }
  };
  note(apply.places, apply.expected);
  const earlier = applied.filter(({ id }) => !isNew.has(id));
  for (const [text, own] of Map.groupBy(earlier, (hunk) => hunk.seen?.text ?? "")) {
    note(
      own.flatMap(({ seen }) => seen?.place ?? []),
      text,
    );
  }
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
      ...given({ editedText: hunk.editedText, reason: hunk.reason, conflict: hunk.conflict, later: hunk.later }),
    })),
    mismatched: [...tracked.mismatched],
    documents,
    ...given({ message: tracked.message }),
    then: tracked.then,
  };
}
