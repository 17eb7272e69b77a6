/** The person's decisions about hunks: whether a decision makes sense. */
import type { HunkDecision } from "../../protocol/proposal-shapes.ts";
import { loneCarriageReturnLine } from "../texts/hunks.ts";
import type { TrackedHunk } from "../proposal.ts";
import type { Tracked } from "../tracked-proposal.ts";
import { checkPending, decidedAlready, openHunk, partsBy, refused, type Decided } from "./part-hunks.ts";

/**
 * Refuses the whole request when one decision makes no sense, so that nothing is half recorded. Answers in the order of
 * the text.
 */
export function checkDecisions(tracked: Tracked, decisions: readonly HunkDecision[]): Decided[] {
  checkPending(tracked);
  const seen = new Set<string>();
  const decided = decisions.map((decision) => {
    const hunk = openHunk(tracked, decision.id);
    if (seen.has(hunk.id)) throw decidedAlready(hunk);
    checkDecision(hunk, decision);
    seen.add(hunk.id);
    return { hunk, decision };
  });
  const order = new Map(tracked.hunks.map((hunk, index) => [hunk, index]));
  return decided.toSorted((a, b) => (order.get(a.hunk) ?? 0) - (order.get(b.hunk) ?? 0));
}

function checkDecision(hunk: TrackedHunk, { decision, newText, lines }: HunkDecision): void {
  if (decision === "edit" && newText === undefined) {
    throw refused("/hunks/newText", "text with decision edit", undefined);
  }
  if (decision === "edit" && hunk.kind !== "edit" && hunk.kind !== "create") {
    throw refused("/hunks/decision", `accept or reject for a hunk that is a ${hunk.kind}`, "edit");
  }
  if (newText !== undefined && loneCarriageReturnLine(newText) !== undefined) {
    throw refused("/hunks/newText", "no carriage return without a line feed", newText);
  }
  if (lines === undefined) return;
  if (decision !== "accept") throw refused("/hunks/lines", "lines with decision accept", decision);
  partsBy(hunk, lines);
}

export function accepted(decided: readonly Decided[]): Decided[] {
  return decided.filter(({ decision }) => decision.decision !== "reject");
}
