import type { Proposal } from "../protocol/proposal-shapes.ts";

/**
 * Tells of each changed proposal whether the change is a decision that ended it, or one about its hunks after that. What is
 * found of applied hunks whose text the person changes later is a change of the proposal too, and no decision.
 */
export function watchDecisions(): (proposal: Proposal) => boolean {
  const known = new Map<string, string>();
  return ({ proposalId, state, hunks }) => {
    const before = known.get(proposalId);
    const now = [state, ...hunks.map((hunk) => hunk.state)].join();
    known.set(proposalId, now);
    return state !== "pending" && now !== before;
  };
}
