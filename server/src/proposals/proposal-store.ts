/** Keeps proposals, takes decisions, and settles only on text that was seen to be there. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentqError, InvalidParamsError } from "../protocol/errors.ts";
import type { DecideResult, HunkDecision, Proposal } from "../protocol/shapes.ts";
import { sha256, type DocumentText, type Documents } from "../workspace/documents.ts";
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

const A_MOMENT_MS = 150;

export class ProposalStore {
  readonly #ports: ProposalPorts;
  readonly #proposals = new Map<string, Tracked>();

  constructor(ports: ProposalPorts) {
    this.#ports = ports;
  }

  /**
   * Announces a proposal and waits for the person. Resolves when every hunk is decided and the applied ones were
   * verified; with state `withdrawn` when `signal` aborts first. The person sees it at once, with the compiler's word when
   * that takes a moment only, else as soon as it is there.
   */
  async propose(request: ProposeRequest, signal: AbortSignal): Promise<ProposalOutcome> {
    const tracked = createTracked(randomUUID(), request);
    const checked = request.check?.then((check) => {
      tracked.check = check;
    });
    if (checked !== undefined) await Promise.race([checked, sleep(A_MOMENT_MS, undefined, { ref: false })]);
    if (tracked.check.state === "running") void checked?.then(() => this.#tellCheck(tracked));
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

  /**
   * Takes decisions about some or all hunks and answers the edit the client must apply now. What is read is read before
   * anything is recorded: requests that arrive meanwhile, and a withdrawal, find the proposal as it was or as it becomes.
   */
  async decide(request: DecideRequest): Promise<DecideResult> {
    const tracked = this.#get(request.proposalId);
    const uris = accepted(checkDecisions(tracked, request.hunks)).map(({ hunk }) => hunk.uri);
    const textOf = await this.#read(uris);
    const decided = checkDecisions(tracked, request.hunks);
    for (const { hunk, decision } of decided) record(hunk, decision);
    if (request.message !== undefined) tracked.message = request.message;
    if (request.then !== undefined) tracked.then = request.then;
    const composed: ComposedDocument[] = [];
    const conflicts: string[] = [];
    for (const document of tracked.documents) {
      const own = accepted(decided).flatMap(({ hunk }) => (hunk.uri === document.uri ? [hunk] : []));
      if (own.length === 0) continue;
      const composition = composeDocument(document, own, textOf(document.uri) ?? null);
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
    const awaited = [...tracked.awaitingApply];
    const uris = awaited.map(([uri]) => uri);
    const onDisk = new Map(await Promise.all(uris.map(async (uri) => [uri, await this.#ports.readDisk(uri)] as const)));
    const textOf = await this.#read(uris);
    const mismatched: string[] = [];
    for (const [uri, apply] of awaited) {
      // Another message may have told of it meanwhile.
      if (tracked.awaitingApply.get(uri) !== apply) continue;
      const matches = textOf(uri)?.sha256 === sha256(apply.expected);
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
      tracked.applied.set(document.path, onDisk.get(uri) === apply.expected);
    }
    this.#ports.onProposalChanged(toProposal(tracked));
    this.#settleWhenDone(tracked);
    return { verified: mismatched.length === 0, mismatched };
  }

  /** The texts as they are when they are asked for: a buffer may change while the others are read. */
  async #read(uris: readonly string[]): Promise<(uri: string) => DocumentText | undefined> {
    const { documents } = this.#ports;
    const read = new Map(await Promise.all(uris.map(async (uri) => [uri, await documents.read(uri)] as const)));
    return (uri) => documents.readOpen(uri) ?? read.get(uri);
  }

  #get(proposalId: string): Tracked {
    const tracked = this.#proposals.get(proposalId);
    if (tracked === undefined) throw new AgentqError("unknownProposal", `There is no proposal ${proposalId}.`);
    return tracked;
  }

  #tellCheck(tracked: Tracked): void {
    if (tracked.state === "pending") this.#ports.onProposalChanged(toProposal(tracked));
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

interface Decided {
  readonly hunk: TrackedHunk;
  readonly decision: HunkDecision;
}

/** Refuses the whole request when one decision makes no sense, so that nothing is half recorded. */
function checkDecisions(tracked: Tracked, decisions: readonly HunkDecision[]): Decided[] {
  if (tracked.state !== "pending") {
    throw new AgentqError("alreadyDecided", `Proposal ${tracked.id} is already ${tracked.state}.`);
  }
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

function accepted(decided: readonly Decided[]): Decided[] {
  return decided.filter(({ decision }) => decision.decision !== "reject");
}

function pendingIds(tracked: Tracked): string[] {
  return tracked.hunks.filter((hunk) => hunk.state === "pending").map((hunk) => hunk.id);
}
