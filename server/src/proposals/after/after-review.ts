/** What a person asks of a proposal after its review: to take it back, to see it again, to have it as a patch. Pure. */
import { AgentqError } from "../../base/errors.ts";
import type { ExportResult } from "../../protocol/proposal-shapes.ts";
import type { Look } from "../apply/files-now.ts";
import { isInPlace, isOpen } from "../hunk-state.ts";
import type { TrackedHunk } from "../proposal.ts";
import { isPending } from "../proposal-state.ts";
import type { Tracked } from "../tracked-proposal.ts";
import { gitPatch } from "./git-patch.ts";
import { anotherTry, patchedFiles, undoing, type LaterProposal } from "./later-proposals.ts";

/** Hunks of a proposal by their ids; all where undefined. */
type Ids = readonly string[] | undefined;

/** What takes back the applied hunks. */
export function undoOf(tracked: Tracked, ids: Ids, look: Look): LaterProposal {
  return undoing(chosenOf(tracked, ids).filter(isInPlace), look);
}

/** What proposes again the hunks that are not in the documents: rejected, in conflict, taken back, or never decided. */
export function againOf(tracked: Tracked, ids: Ids, look: Look): LaterProposal {
  const isOver = !isPending(tracked);
  const left = chosenOf(tracked, ids).filter((hunk) => !isInPlace(hunk) && (!isOpen(hunk) || isOver));
  return anotherTry(left, tracked.request.documents, look);
}

/** A patch for `git apply` against the texts the proposal was made for; without ids, of all that was not rejected. */
export function patchOf(tracked: Tracked, ids: Ids): ExportResult {
  const hunks = chosenOf(tracked, ids).filter(({ now }) => ids !== undefined || now.is !== "rejected");
  const [binary, text] = [hunks.filter(isNoText), hunks.filter((hunk) => !isNoText(hunk))];
  const left = binary.map(({ id }) => ({ id, why: "it is no text, so no patch holds it." }));
  return { patch: gitPatch(patchedFiles(text, tracked.request.documents)), left };
}

function chosenOf({ id, hunks }: Tracked, ids: Ids): readonly TrackedHunk[] {
  const unknown = ids?.find((each) => !hunks.some((hunk) => hunk.id === each));
  if (unknown !== undefined) throw new AgentqError("unknownProposal", `Proposal ${id} has no hunk "${unknown}".`);
  return ids === undefined ? hunks : hunks.filter((hunk) => ids.includes(hunk.id));
}

function isNoText({ document, kind }: TrackedHunk): boolean {
  return kind === "entry" || (document.bytes !== undefined && kind === "delete");
}
