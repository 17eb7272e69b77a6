/** Keeps the proposals of a server, and finds the one that a request is about. */
import { randomUUID } from "node:crypto";
import { given } from "../given.ts";
import { AgentqError } from "../protocol/errors.ts";
import type { DidApplyResult, ExportResult, LaterResult } from "../protocol/methods.ts";
import type { Check, DecideResult, HunkDecision, Proposal } from "../protocol/shapes.ts";
import { normalizeUri } from "../workspace/documents.ts";
import { againOf, patchOf, undoOf } from "./after/after-review.ts";
import type { LaterProposal } from "./after/later-proposals.ts";
import type { Look } from "./apply/files-now.ts";
import type { ToldDocument } from "./apply/text-arrival.ts";
import type { ProposalChecks, ProposalOutcome, ProposedDocument, ProposeRequest } from "./proposal.ts";
import { Review, type DecideRequest, type ReviewPorts } from "./review.ts";
import type { SubsetTexts } from "./subset/subset.ts";
import { toProposal, type Tracked } from "./tracked-proposal.ts";

/**
 * Contract: the `on…` functions are called after the store's own state has changed and must not throw. `check` begins to
 * judge a proposal that no tool makes; the signal aborts when nobody needs that any more.
 */
export interface ProposalPorts extends ReviewPorts {
  readonly check?: (documents: readonly ProposedDocument[], signal: AbortSignal) => ProposalChecks;
  readonly onProposal: (proposal: Proposal) => void;
}

interface AboutProposal {
  readonly proposalId: string;
}

export class ProposalStore {
  readonly #ports: ProposalPorts;
  readonly #reviews = new Map<string, Review>();

  constructor(ports: ProposalPorts) {
    this.#ports = ports;
    const touch = ({ uri }: { readonly uri: string }): void => this.#touch(uri);
    ports.documents.subscribe({ didOpen: touch, didChange: touch, didClose: (uri) => this.#touch(uri) });
  }

  /** Somebody changed files on disk. */
  didChangeFiles(changes: readonly { readonly uri: string }[]): void {
    for (const { uri } of changes) this.#touch(normalizeUri(uri));
  }

  /** Announces a proposal and waits for the person, as `Review.run` says. */
  async propose(request: ProposeRequest, signal: AbortSignal, id: string = randomUUID()): Promise<ProposalOutcome> {
    return this.#run(new Review(id, request, this.#ports), () => undefined, signal);
  }

  list(): Proposal[] {
    return this.#all().map(toProposal);
  }

  /** The documents that a tool call proposed to change. */
  urisOf(toolCallId: string): string[] {
    const own = this.#all().filter(({ request }) => request.toolCallId === toolCallId);
    return own.flatMap(({ documents }) => documents.map(({ at }) => at.uri));
  }

  open(proposalId: string): Proposal {
    return toProposal(this.#get(proposalId).tracked);
  }

  pendingCount(): number {
    return this.#all().filter(({ state }) => state === "pending").length;
  }

  /** See `Review.subset`. */
  async subset(proposalId: string, hunks: readonly HunkDecision[]): Promise<SubsetTexts> {
    return this.#get(proposalId).subset(hunks);
  }

  /** See `Review.checkSubset`. */
  async checkSubset(
    { proposalId, hunks }: AboutProposal & { readonly hunks: readonly HunkDecision[] },
    signal: AbortSignal,
  ): Promise<Check> {
    return this.#get(proposalId).checkSubset(hunks, signal);
  }

  /** See `Review.decide`. */
  async decide({ proposalId, ...request }: AboutProposal & DecideRequest): Promise<DecideResult> {
    return this.#get(proposalId).decide(request);
  }

  /** See `Review.split`. */
  split(proposalId: string, hunkId: string): string[] {
    return this.#get(proposalId).split(hunkId);
  }

  /** See `Review.didApply`. */
  async didApply(proposalId: string, told?: readonly ToldDocument[]): Promise<DidApplyResult> {
    return this.#get(proposalId).didApply(told);
  }

  /** Proposes to take back what is applied of a proposal: these hunks, or all. */
  async undo(proposalId: string, ids?: readonly string[]): Promise<LaterResult> {
    const review = this.#get(proposalId);
    return this.#proposeLater(review, `Undo: ${review.tracked.request.title}`, (look) =>
      undoOf(review.tracked, ids, look),
    );
  }

  /** Proposes again what is not in the documents of a proposal: these hunks, or all that were rejected or in conflict. */
  async reopen(proposalId: string, ids?: readonly string[]): Promise<LaterResult> {
    const review = this.#get(proposalId);
    return this.#proposeLater(review, review.tracked.request.title, (look) => againOf(review.tracked, ids, look));
  }

  /** See `patchOf`. */
  patch(proposalId: string, ids?: readonly string[]): ExportResult {
    return patchOf(this.#get(proposalId).tracked, ids);
  }

  async #proposeLater(review: Review, title: string, make: (look: Look) => LaterProposal): Promise<LaterResult> {
    const { documents, left } = make(await review.look(() => undefined));
    if (documents.length === 0) return { left };
    const { why, sessionId } = review.tracked.request;
    const proposalId = randomUUID();
    const over = new AbortController();
    const checks = this.#ports.check?.(documents, over.signal);
    // Nobody waits for the outcome: the person asked for the proposal, and for nothing but its announcement.
    const request = { title, why, documents, ...given({ sessionId }), ...checks };
    const announced = Promise.withResolvers<void>();
    const later = new Review(proposalId, request, this.#ports);
    void this.#run(later, announced.resolve, new AbortController().signal).finally(() => over.abort());
    await announced.promise;
    return { proposalId, left };
  }

  #touch(uri: string): void {
    for (const review of this.#reviews.values()) review.touch(uri);
  }

  #run(review: Review, onAnnounced: () => void, signal: AbortSignal): Promise<ProposalOutcome> {
    const announce = (): void => {
      this.#reviews.set(review.tracked.id, review);
      this.#ports.onProposal(toProposal(review.tracked));
      onAnnounced();
    };
    return review.run(announce, signal);
  }

  #all(): Tracked[] {
    return [...this.#reviews.values()].map(({ tracked }) => tracked);
  }

  #get(proposalId: string): Review {
    const review = this.#reviews.get(proposalId);
    if (review === undefined) throw new AgentqError("unknownProposal", `There is no proposal ${proposalId}.`);
    return review;
  }
}
