/** From a proposal whose hunks are all decided to what the model is told: what the documents hold now. */
import type { Look } from "./files-now.ts";
import { known, raise, stateOf, wasApplied } from "../hunk-state.ts";
import type { DocumentOutcome, ProposalOutcome, TrackedDocument, TrackedHunk } from "../proposal.ts";
import { standingsIn } from "../texts/standing.ts";
import { withoutProposal } from "./without-proposal.ts";
import type { Unsettled } from "../proposal-state.ts";
import { isOnlyEntry, type Tracked } from "../tracked-proposal.ts";
import { lookAtEntry } from "./put-entries.ts";
import { given } from "../../base/given.ts";

export interface SettlePorts {
  readonly look: Look;
  readonly isSaved: (uri: string, text: string) => boolean;
}

/**
 * Looks at every applied hunk again: between its decision and the last one the person may have undone or changed it.
 * Records that in the hunks, and answers the report on the documents.
 */
export function lookAgain(tracked: Tracked, ports: SettlePorts): DocumentOutcome[] {
  const byDocument = Map.groupBy(tracked.hunks, ({ document }) => document);
  return tracked.documents.flatMap((document) => {
    const all = (byDocument.get(document) ?? []).filter(wasApplied);
    for (const hunk of all) raise(hunk, { is: "stands" });
    for (const hunk of all) if (hunk.kind === "entry") lookAtEntry(hunk, ports.look);
    if (all.length > 0 && isOnlyEntry(document)) {
      const isDeleted = document.entry?.after === null;
      return [{ path: document.at.path, saved: true, changedElsewhere: false, ...(isDeleted ? { isDeleted } : {}) }];
    }
    const own = all.filter(({ kind }) => kind !== "entry");
    if (own.length === 0) return [];
    const whole = own.find(({ kind }) => kind === "delete" || kind === "rename");
    if (whole?.kind === "delete") return lookAtDeletion(tracked, whole, ports);
    if (whole !== undefined) lookAtMove(whole, ports);
    const texts = own.filter((hunk) => hunk !== whole && wasApplied(hunk));
    const made = tracked.request.documents[tracked.documents.indexOf(document)]?.base?.text;
    const without = withoutProposal(document, made, ports.look.textOf(document.at.uri)?.text);
    const isMoved = whole !== undefined && wasApplied(whole);
    return [{ ...lookAt(document, { texts, isMoved }, ports), ...given({ without }) }];
  });
}

function lookAtDeletion(tracked: Tracked, hunk: TrackedHunk, { look }: SettlePorts): DocumentOutcome[] {
  const { document } = hunk;
  const { uri, path } = document.at;
  const isTaken = tracked.hunks.some(
    (other) => wasApplied(other) && other.document !== document && other.document.at.uri === uri,
  );
  if (!look.isThere(uri) || isTaken) return [{ path, saved: true, changedElsewhere: false, isDeleted: true }];
  raise(hunk, { is: "gone", later: look.textOf(uri)?.text === document.base ? "undone" : "changed" });
  return [];
}

function lookAtMove(hunk: TrackedHunk, { look }: SettlePorts): void {
  const { document } = hunk;
  if (look.isThere(document.at.uri)) return;
  const isBack = look.isThere(document.from.uri);
  raise(hunk, { is: "gone", later: isBack ? "undone" : "changed" });
  if (isBack) document.at = document.from;
}

function lookAt(
  document: TrackedDocument,
  { texts, isMoved }: { readonly texts: readonly TrackedHunk[]; readonly isMoved: boolean },
  { look, isSaved }: SettlePorts,
): DocumentOutcome {
  const { uri, path } = document.at;
  const now = look.textOf(uri)?.text;
  for (const [text, hunks] of Map.groupBy(texts, (hunk) => known(hunk).seen?.text ?? "")) {
    const standings = standingsIn(
      text,
      hunks.flatMap((hunk) => known(hunk).seen?.place ?? []),
      now,
    );
    for (const hunk of hunks) {
      const standing = standings.get(hunk.id);
      if (standing === "new") continue;
      raise(hunk, { is: "gone", later: standing === "old" ? "undone" : "changed" });
    }
  }
  return {
    path,
    saved: document.bytes !== undefined || (now !== undefined && isSaved(uri, now)),
    changedElsewhere: texts.every(wasApplied) && now !== document.base,
    ...(isMoved ? { movedFrom: document.from.path } : {}),
  };
}

export function outcomeOf(
  tracked: Tracked,
  { is, mismatched, message, then }: Unsettled,
  documents: readonly DocumentOutcome[],
): ProposalOutcome {
  const applied = tracked.hunks.filter(wasApplied).length;
  const reviewed = applied === tracked.hunks.length ? "applied" : applied > 0 ? "partiallyApplied" : "rejected";
  const unconfirmed = tracked.hunks.filter((hunk) => hunk.now.trouble?.kind === "unconfirmed" && !wasApplied(hunk));
  return {
    state: is === "withdrawn" ? is : reviewed,
    hunks: tracked.hunks.map((hunk) => {
      const { id, kind, title, isLeftOut, oldText, newText, partOf } = hunk;
      const { editedText, reason, by, later, trouble } = known(hunk);
      const document = tracked.documents.indexOf(hunk.document);
      const { path } = hunk.document.from;
      const told = { id, kind, document, path, title, isLeftOut, state: stateOf(hunk), applied: wasApplied(hunk) };
      const rest = { partOf, editedText, reason, by, conflict: trouble?.why, later, trouble: trouble?.kind };
      return { ...told, oldText, newText, ...given(rest) };
    }),
    mismatched: [...new Set([...mismatched, ...unconfirmed.map(({ document }) => document.at.path)])],
    documents,
    ...given({ message }),
    then,
  };
}
