/** What is known of one proposal as a whole, state by state, and the one function through which that changes. Pure. */
import { given } from "../base/given.ts";
import type { Check, ProposalState, TestVerdict } from "../protocol/proposal-shapes.ts";
import type { ComposedDocument } from "./apply/compose-decision.ts";
import type { ProposalChecks, ProposalOutcome } from "./proposal.ts";

interface AnyState {
  readonly check: Check;
  /** Absent where no tests run by themselves. */
  readonly tests?: TestVerdict;
  /** Composed edits that the client has not confirmed yet, in their order; a document may have several. */
  readonly awaited: readonly ComposedDocument[];
  /**
   * Another server made the proposal and has ended, so no call waits for the outcome: whether the model has heard of the
   * proposal in this state.
   */
  readonly cutOff?: "untold" | "told";
}

interface UnderReview extends AnyState {
  /** The person's words to the model. */
  readonly message?: string;
  readonly then: ProposalOutcome["then"];
  /** When the first edit was composed; what the editor saves after that holds what was applied. */
  readonly composedAt?: number;
  /** The paths of documents that were not what was approved, though none of their text changed. */
  readonly mismatched: readonly string[];
}

type Open = UnderReview & { readonly is: "open" };
/**
 * The call was cancelled: nothing more is decided, and the proposal settles once the editor has confirmed what it applies.
 */
type Withdrawn = UnderReview & { readonly is: "withdrawn" };
/** Of a withdrawn proposal an edit may still be awaited: what the editor was slow to confirm is noted in the hunks. */
type Settled = AnyState & { readonly is: "settled"; readonly outcome: ProposalOutcome };

export type Unsettled = Open | Withdrawn;
export type ProposalNow = Unsettled | Settled;

export type ProposalEvent =
  | { readonly is: "checked"; readonly check: Check }
  | { readonly is: "tested"; readonly tests: TestVerdict }
  /** The person decided about hunks, and may have said something to the model. */
  | { readonly is: "decided"; readonly message?: string | undefined; readonly then?: UnderReview["then"] | undefined }
  /** The client is going to apply these edits. */
  | { readonly is: "composed"; readonly edits: readonly ComposedDocument[]; readonly at: number }
  /** The client has applied an edit, or has not: the hunks tell. */
  | { readonly is: "confirmed"; readonly edit: ComposedDocument }
  | { readonly is: "mismatched"; readonly path: string }
  /** The call was cancelled. */
  | { readonly is: "withdrawn" }
  | { readonly is: "settled"; readonly outcome: ProposalOutcome }
  /** The server ended, and this one goes on with the review. */
  | { readonly is: "takenUp"; readonly check: Check }
  /** The model has heard how the proposal stands. */
  | { readonly is: "told" };

type Rules = {
  readonly [Is in ProposalEvent["is"]]: (
    now: ProposalNow,
    event: Extract<ProposalEvent, { readonly is: Is }>,
  ) => ProposalNow;
};

const RULES: Rules = {
  checked: (now, { check }) => ({ ...now, check }),
  tested: (now, { tests }) => ({ ...now, tests }),
  decided: (now, { message, then }) => (now.is === "open" ? { ...now, ...given({ message, then }) } : now),
  composed: (now, { edits, at }) => {
    if (now.is !== "open" || edits.length === 0) return now;
    return { ...now, awaited: [...now.awaited, ...edits], composedAt: now.composedAt ?? at };
  },
  confirmed: (now, { edit }) => ({ ...now, awaited: now.awaited.filter((each) => each !== edit) }),
  mismatched: (now, { path }) => (now.is === "settled" ? now : { ...now, mismatched: [...now.mismatched, path] }),
  withdrawn: (now) => (now.is === "open" ? { ...now, is: "withdrawn" } : now),
  settled: (now, { outcome }) => {
    if (now.is === "settled") return now;
    const { check, tests, awaited, cutOff } = now;
    return { is: "settled", outcome, check, awaited, ...given({ tests, cutOff: cutOff && "untold" }) };
  },
  takenUp: (now, { check }) => (now.is === "settled" ? now : { ...now, check, cutOff: now.cutOff ?? "untold" }),
  told: (now) => (now.cutOff === undefined ? now : { ...now, cutOff: "told" }),
};

/** The next state. An event that means nothing in a state leaves the state as it is. */
export function step(now: ProposalNow, event: ProposalEvent): ProposalNow {
  const rule = RULES[event.is] as (now: ProposalNow, event: ProposalEvent) => ProposalNow;
  return rule(now, event);
}

/** The only way in which a proposal as a whole changes. */
export function record(proposal: { now: ProposalNow }, event: ProposalEvent): void {
  proposal.now = step(proposal.now, event);
}

/** No answer of the compiler yet, and none of the tests. */
export const UNCHECKED: Check = { state: "running", introduced: [], resolved: [] };
export const UNTESTED: TestVerdict = { state: "running", passed: 0, failed: 0, skipped: 0, failures: [], files: [] };

/** The check of a proposal of which nothing is known yet. */
export function firstCheck({ check }: ProposalChecks): Check {
  return check === undefined ? { ...UNCHECKED, state: "unavailable" } : UNCHECKED;
}

export function opened(request: ProposalChecks): ProposalNow {
  const tests = request.tests && UNTESTED;
  return { is: "open", check: firstCheck(request), awaited: [], then: "continue", mismatched: [], ...given({ tests }) };
}

interface InState {
  readonly now: ProposalNow;
}

/** In the words of the wire, on which a proposal is pending until it has an outcome. */
export function proposalState({ now }: InState): ProposalState {
  return now.is === "settled" ? now.outcome.state : "pending";
}

export function isPending({ now }: InState): boolean {
  return now.is !== "settled";
}
