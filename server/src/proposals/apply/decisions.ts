/** The person's decisions about hunks: whether a decision makes sense, and how a hunk remembers it. */
import { given } from "../../base/given.ts";
import { AgentqError, InvalidParamsError } from "../../base/errors.ts";
import type { HunkDecision } from "../../protocol/proposal-shapes.ts";
import { loneCarriageReturnLine } from "../texts/hunks.ts";
import type { TrackedHunk } from "../proposal.ts";
import type { Tracked } from "../tracked-proposal.ts";
import { checkPending, openHunk, partsBy } from "./part-hunks.ts";

export interface Decided {
  readonly hunk: TrackedHunk;
  readonly decision: HunkDecision;
}

/**
 * Refuses the whole request when one decision makes no sense, so that nothing is half recorded. Answers in the order of
 * the text.
 */
export function checkDecisions(tracked: Tracked, decisions: readonly HunkDecision[]): Decided[] {
  checkPending(tracked);
  const seen = new Set<string>();
  const decided = decisions.map((decision) => {
    const hunk = openHunk(tracked, decision.id);
    if (seen.has(hunk.id)) {
      throw new AgentqError("alreadyDecided", `Hunk ${hunk.id} is already decided (${hunk.state}).`);
    }
    checkDecision(hunk, decision);
    seen.add(hunk.id);
    return { hunk, decision };
  });
  const order = new Map(tracked.hunks.map((hunk, index) => [hunk, index]));
  return decided.toSorted((a, b) => (order.get(a.hunk) ?? 0) - (order.get(b.hunk) ?? 0));
}

function checkDecision(hunk: TrackedHunk, { decision, newText, lines }: HunkDecision): void {
  if (decision === "edit" && newText === undefined) {
    throw new InvalidParamsError([
      { path: "/hunks/newText", expected: "text with decision edit", received: undefined },
    ]);
  }
  if (decision === "edit" && hunk.kind !== "edit" && hunk.kind !== "create") {
    throw new InvalidParamsError([
      { path: "/hunks/decision", expected: `accept or reject for a hunk that is a ${hunk.kind}`, received: "edit" },
    ]);
  }
  if (newText !== undefined && loneCarriageReturnLine(newText) !== undefined) {
    throw new InvalidParamsError([
      { path: "/hunks/newText", expected: "no carriage return without a line feed", received: newText },
    ]);
  }
  if (lines === undefined) return;
  if (decision !== "accept") {
    throw new InvalidParamsError([
      { path: "/hunks/lines", expected: "lines with decision accept", received: decision },
    ]);
  }
  partsBy(hunk, lines);
}

/** What the person decided, in the hunk itself. */
export function record(hunk: TrackedHunk, decision: HunkDecision): void {
  if (decision.reason !== undefined) hunk.reason = decision.reason;
  if (decision.by === undefined) delete hunk.by;
  else hunk.by = decision.by;
  if (decision.decision === "reject") hunk.state = "rejected";
  else if (decision.decision === "accept") hunk.state = "accepted";
  else {
    Object.assign(hunk, ownText(hunk, decision));
    hunk.state = "edited";
  }
}

/** What the person wrote, and over which text. */
export function ownText(hunk: TrackedHunk, decision: HunkDecision): Pick<TrackedHunk, "editedText" | "over"> {
  const over = decision.currentText ?? (hunk.state === "conflict" ? hunk.currentText : undefined);
  return { editedText: (decision.newText ?? hunk.newText).toWellFormed(), ...given({ over }) };
}

/** The edit did not reach the document: the person has to decide about the hunk again. */
export function takeBack(hunk: TrackedHunk): void {
  hunk.state = "pending";
  delete hunk.editedText;
  delete hunk.reason;
  delete hunk.by;
  delete hunk.over;
  delete hunk.wide;
}

export function accepted(decided: readonly Decided[]): Decided[] {
  return decided.filter(({ decision }) => decision.decision !== "reject");
}
