/** Keeps proposals, takes decisions, and settles only on text that was seen to be there. */
import { randomUUID } from "node:crypto";
import { AgentqError, InvalidParamsError } from "../protocol/errors.ts";
import type { DecideResult, HunkDecision, Proposal } from "../protocol/shapes.ts";
import { sha256, type Documents } from "../workspace/documents.ts";
import { composeDocument, rebaseDocument, workspaceEditOf, type ComposedDocument } from "./compose-edit.ts";
import { createTracked, toProposal, type Tracked } from "./tracked-proposal.ts";
import type { ProposalOutcome, ProposeRequest, TrackedHunk } from "./proposal.ts";

/**
 * Contract: the `on…` functions are called after the store's own state has changed and must not throw. `readDisk`
 * answers undefined for a file that does not exist.
 */
export interface ProposalPorts {
  readonly documents: Documents;
  readonly readDisk: (uri: string) => Promise<string | undefined>;
  readonly onProposal: (proposal: Proposal) => void;
  readonly onProposalChanged: (proposal: Proposal) => void;
}

export interface DecideRequest {
  readonly proposalId: string;
  readonly hunks: readonly HunkDecision[];
  readonly message?: string;
  readonly then?: "continue" | "stop";
}

export class ProposalStore {
  readonly #ports: ProposalPorts;
  readonly #proposals = new Map<string, Tracked>();

  constructor(ports: ProposalPorts) {
    this.#ports = ports;
  }

  /**
   * Announces a proposal and waits for the person. Resolves when every hunk is decided and the applied ones were
   * verified; with state `withdrawn` when `signal` aborts first.
   */
  async propose(request: ProposeRequest, signal: AbortSignal): Promise<ProposalOutcome> {
    const tracked = createTracked(randomUUID(), request);
    this.#proposals.set(tracked.id, tracked);
    const withdraw = (): void => this.#settle(tracked, "withdrawn");
    signal.addEventListener("abort", withdraw, { once: true });
    try {
      this.#ports.onProposal(toProposal(tracked));
      if (signal.aborted) withdraw();
      return await tracked.settled.promise;
    } finally {
      signal.removeEventListener("abort", withdraw);
    }
  }

  list(): Proposal[] {
    return [...this.#proposals.values()].map(toProposal);
  }

  open(proposalId: string): Proposal {
    return toProposal(this.#get(proposalId));
  }

  pendingCount(): number {
    return [...this.#proposals.values()].filter((tracked) => tracked.state === "pending").length;
  }

  /** Takes decisions about some or all hunks and answers the edit the client must apply now. */
  async decide(request: DecideRequest): Promise<DecideResult> {
    const tracked = this.#get(request.proposalId);
    if (tracked.state !== "pending") {
      throw new AgentqError("alreadyDecided", `Proposal ${request.proposalId} is already ${tracked.state}.`);
    }
    const decided = checkDecisions(tracked, request.hunks);
    for (const { hunk, decision } of decided) record(hunk, decision);
    if (request.message !== undefined) tracked.message = request.message;
    if (request.then !== undefined) tracked.then = request.then;
    const accepted = decided.map(({ hunk }) => hunk).filter((hunk) => isAccepted(hunk));
    const composed: ComposedDocument[] = [];
    const conflicts: string[] = [];
    for (const document of tracked.documents) {
      const own = accepted.filter((hunk) => hunk.uri === document.uri);
      if (own.length === 0) continue;
      const current = (await this.#ports.documents.read(document.uri)) ?? null;
      const composition = composeDocument(document, own, current);
      conflicts.push(...composition.conflicts);
      if (composition.document === undefined) continue;
      composed.push(composition.document);
      tracked.awaitingApply.set(document.uri, composition.document);
    }
    for (const hunk of tracked.hunks) if (conflicts.includes(hunk.id)) hunk.state = "conflict";
    this.#ports.onProposalChanged(toProposal(tracked));
    this.#settleWhenDone(tracked);
    return { edit: workspaceEditOf(composed), conflicts, remaining: pendingIds(tracked) };
  }

  /** The client says it applied the edit: the documents' own text decides whether that is so. */
  async didApply(proposalId: string): Promise<{ verified: boolean; mismatched: string[] }> {
    const tracked = this.#get(proposalId);
    const mismatched: string[] = [];
    for (const [uri, apply] of tracked.awaitingApply) {
      const current = await this.#ports.documents.read(uri);
      const matches = current !== undefined && current.sha256 === sha256(apply.expected);
      tracked.awaitingApply.delete(uri);
      const document = tracked.documents.find((candidate) => candidate.uri === uri);
      if (!matches || document === undefined) {
        mismatched.push(uri);
        tracked.mismatched.add(document?.path ?? uri);
        continue;
      }
      const own = tracked.hunks.filter((hunk) => hunk.uri === uri);
      const applied = own.filter((hunk) => apply.hunkIds.includes(hunk.id));
      for (const hunk of applied) hunk.applied = true;
      rebaseDocument(
        document,
        applied,
        own.filter((hunk) => hunk.state === "pending"),
      );
      tracked.applied.set(document.path, (await this.#ports.readDisk(uri)) === apply.expected);
    }
    this.#ports.onProposalChanged(toProposal(tracked));
    this.#settleWhenDone(tracked);
    return { verified: mismatched.length === 0, mismatched };
  }

  #get(proposalId: string): Tracked {
    const tracked = this.#proposals.get(proposalId);
    if (tracked === undefined) throw new AgentqError("unknownProposal", `There is no proposal ${proposalId}.`);
    return tracked;
  }

  #settleWhenDone(tracked: Tracked): void {
    if (tracked.state !== "pending" || pendingIds(tracked).length > 0 || tracked.awaitingApply.size > 0) return;
    const applied = tracked.hunks.filter((hunk) => hunk.applied).length;
    this.#settle(tracked, applied === tracked.hunks.length ? "applied" : applied > 0 ? "partiallyApplied" : "rejected");
  }

  #settle(tracked: Tracked, state: ProposalOutcome["state"]): void {
    if (tracked.state !== "pending") return;
    tracked.state = state;
    tracked.settled.resolve({
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
      })),
      mismatched: [...tracked.mismatched],
      documents: [...tracked.applied].map(([path, saved]) => ({ path, saved })),
      ...(tracked.message === undefined ? {} : { message: tracked.message }),
      then: tracked.then,
    });
    this.#ports.onProposalChanged(toProposal(tracked));
  }
}

/** Refuses the whole request when one decision makes no sense, so that nothing is half recorded. */
function checkDecisions(
  tracked: Tracked,
  decisions: readonly HunkDecision[],
): { hunk: TrackedHunk; decision: HunkDecision }[] {
  const seen = new Set<string>();
  return decisions.map((decision) => {
    const hunk = tracked.hunks.find((candidate) => candidate.id === decision.id);
    if (hunk === undefined) {
      throw new AgentqError("unknownProposal", `Proposal ${tracked.id} has no hunk "${decision.id}".`);
    }
    if (hunk.state !== "pending" || seen.has(hunk.id)) {
      throw new AgentqError("alreadyDecided", `Hunk ${hunk.id} is already decided (${hunk.state}).`);
    }
    if (decision.decision === "edit" && decision.newText === undefined) {
      throw new InvalidParamsError([
        { path: "/hunks/newText", expected: "text with decision edit", received: undefined },
      ]);
    }
    seen.add(hunk.id);
    return { hunk, decision };
  });
}

function record(hunk: TrackedHunk, decision: HunkDecision): void {
  if (decision.reason !== undefined) hunk.reason = decision.reason;
  if (decision.decision === "reject") hunk.state = "rejected";
  else if (decision.decision === "accept") hunk.state = "accepted";
  else {
    hunk.state = "edited";
    hunk.editedText = decision.newText ?? hunk.newText;
  }
}

function isAccepted(hunk: TrackedHunk): boolean {
  return hunk.state === "accepted" || hunk.state === "edited";
}

function pendingIds(tracked: Tracked): string[] {
  return tracked.hunks.filter((hunk) => hunk.state === "pending").map((hunk) => hunk.id);
}
