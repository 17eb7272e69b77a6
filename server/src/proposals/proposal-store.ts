/** Keeps the proposals of a server, and finds the one that a request is about. */
import { randomUUID } from "node:crypto";
import { untilAborted } from "../base/abort.ts";
import { given } from "../base/given.ts";
import { AgentqError } from "../base/errors.ts";
import type { ExportResult, LaterResult, Proposal } from "../protocol/proposal-shapes.ts";
import { normalizeUri } from "../workspace/documents.ts";
import { againOf, patchOf, undoOf } from "./after/after-review.ts";
import type { LaterProposal } from "./after/later-proposals.ts";
import { rewinding, type Rewound } from "./after/rewind.ts";
import { takeNews } from "./describe-news.ts";
import { lookAround, type Look } from "./apply/files-now.ts";
import { ARRIVAL_MS } from "./apply/text-arrival.ts";
import { KeptProposals, type ProposalKeeper } from "./kept/kept-proposals.ts";
import { KnownProposals, urisOf } from "./known-proposals.ts";
import type { ProposalChecks, ProposalOutcome, ProposedDocument, ProposeRequest } from "./proposal.ts";
import { firstCheck, isPending, step } from "./proposal-state.ts";
import { Review, type ReviewPorts } from "./review.ts";
import { createTracked, toProposal, type Tracked } from "./tracked-proposal.ts";

/**
 * Contract: the `on…` functions are called after the store's own state has changed and must not throw. `check` begins to
 * judge a proposal that no tool of this server makes; the signal aborts when nobody needs that any more.
 */
export interface ProposalPorts extends Omit<ReviewPorts, "keep" | "prepare" | "onApplied"> {
  readonly check?: (documents: readonly ProposedDocument[], signal: AbortSignal) => ProposalChecks;
  readonly onProposal: (proposal: Proposal) => void;
  readonly onTrouble?: (message: string) => void;
}

/** What came of asking for a proposal; without the id there was nothing to propose. */
type Proposed<Made extends { readonly left: unknown }> = Pick<Made, "left"> & { readonly proposalId?: string };

/** A person accepts one proposal after another faster than the compiler answers. */
const JUDGED_AFTER_MS = 100;
/** Proposals that the model hears of one by one: a checkout turns hundreds. */
const NEWS = 10;
/** How often a server looks whether another one of the workspace has ended, while that one has open reviews. */
const LOOK_FOR_ORPHANS_MS = 3_000;

export class ProposalStore {
  readonly known: KnownProposals;
  readonly #ports: ProposalPorts;
  readonly #reviewPorts: ReviewPorts;
  readonly #reviews = new Map<string, Review>();
  readonly #kept: KeptProposals;
  #timer: NodeJS.Timeout | undefined;
  /** Proposals of which something was applied a moment ago. */
  readonly #applied = new Set<string>();
  /** Conversations whose models have heard what the person did with proposals of earlier servers. */
  readonly #told = new Set<string>();

  constructor(ports: ProposalPorts) {
    this.#ports = ports;
    this.#kept = new KeptProposals({ onTrouble: (message) => ports.onTrouble?.(message) });
    this.known = new KnownProposals(this.#reviews, this.#kept);
    this.#reviewPorts = {
      ...ports,
      keep: (tracked) => this.#kept.keep(tracked),
      prepare: (tracked) => this.#kept.prepare(tracked),
      onApplied: (proposalId) => this.#judgeSoon(proposalId),
    };
    const touch = ({ uri }: { readonly uri: string }): void => this.#touch(uri);
    ports.documents.subscribe({ didOpen: touch, didChange: touch, didClose: (uri) => this.#touch(uri) });
  }

  /** Somebody changed files on disk. */
  didChangeFiles(changes: readonly { readonly uri: string }[]): void {
    for (const { uri } of changes) this.#touch(normalizeUri(uri));
  }

  /** From now on proposals outlive the server. */
  keepIn(keeper: ProposalKeeper): void {
    this.#kept.keepIn(keeper);
    for (const { tracked } of this.#reviews.values()) this.#kept.keep(tracked);
  }

  /** The server ends: what is pending now is left to the next one. */
  end(): void {
    clearTimeout(this.#timer);
    this.#kept.end();
  }

  /**
   * Announces the reviews that other servers left when they ended, with the texts that the files have now. No call
   * waits for their outcome. Looks again later while other servers with reviews of this workspace run. The unsaved
   * texts of an editor may take `limitMs` to arrive.
   */
  async takeUp(limitMs = ARRIVAL_MS): Promise<void> {
    clearTimeout(this.#timer);
    const left = this.#kept.takeOrphans();
    await Promise.all(left.map((tracked) => this.#takeUp(tracked, limitMs)));
    if (!this.#kept.hasOthersPending()) return;
    this.#timer = setTimeout(() => void this.takeUp(), LOOK_FOR_ORPHANS_MS);
    this.#timer.unref();
  }

  async #takeUp(left: Tracked, limitMs: number): Promise<void> {
    const over = new AbortController();
    const request = { ...left.request, ...this.#ports.check?.(left.request.documents, over.signal) };
    const now = step(left.now, { is: "takenUp", check: firstCheck(request) });
    const review = new Review({ ...left, request, now }, this.#reviewPorts);
    await review.takeUp(limitMs);
    if (isPending(review.tracked)) await this.#announce(review, over);
    else over.abort();
    this.#reviews.set(left.id, review);
  }

  /** Announces a proposal and waits for the person, as `Review.run` says. */
  async propose(request: ProposeRequest, signal: AbortSignal, id: string = randomUUID()): Promise<ProposalOutcome> {
    const review = new Review(createTracked(id, request), this.#reviewPorts);
    return this.#run(review, () => undefined, signal);
  }

  /**
   * Where nobody reviews: the outcome is the patch, and nothing is applied. The proposal is withdrawn once it is judged: an
   * editor can still show it, and propose it again.
   */
  async proposeAsPatch(request: ProposeRequest, signal: AbortSignal): Promise<ProposalOutcome> {
    await untilAborted(Promise.all([request.check, request.tests]), signal);
    const id = randomUUID();
    const outcome = await this.propose(request, AbortSignal.abort(), id);
    return { ...outcome, asPatch: this.patch(id) };
  }

  /** Throws `unknownProposal` where there is none. */
  review(proposalId: string): Review {
    const review = this.#reviews.get(proposalId) ?? this.#decidedByOthers(proposalId);
    if (review === undefined) throw new AgentqError("unknownProposal", `There is no proposal ${proposalId}.`);
    return review;
  }

  open(proposalId: string): Proposal {
    return toProposal(this.review(proposalId).tracked);
  }

  /** Proposes to take back what is applied of a proposal: these hunks, or all. */
  async undo(proposalId: string, ids?: readonly string[]): Promise<LaterResult> {
    const review = this.review(proposalId);
    return this.#proposeLater(review, `Undo: ${review.tracked.request.title}`, (look) =>
      undoOf(review.tracked, ids, look),
    );
  }

  /** Proposes again what is not in the documents of a proposal: these hunks, or all that were rejected or in conflict. */
  async reopen(proposalId: string, ids?: readonly string[]): Promise<LaterResult> {
    const review = this.review(proposalId);
    const { title } = review.tracked.request;
    return this.#proposeLater(review, title, (look) => againOf(review.tracked, ids, look), proposalId);
  }

  /** Proposes to bring the files back to what they were before these proposals of one session, which are in order. */
  async rewind(proposals: readonly Tracked[], title: string, sessionId: string): Promise<Proposed<Rewound>> {
    const all = proposals.flatMap((tracked) => tracked.documents);
    const { documents, left } = rewinding(proposals, await lookAround(this.#ports, all));
    const count = proposals.length === 1 ? "one proposal" : `${proposals.length} proposals`;
    const why = `Takes back what you accepted of ${count}. What was written since stays. The REPL keeps its state.`;
    return { ...(await this.#proposeOwn({ title, why, documents, sessionId })), left };
  }

  /** See `patchOf`. */
  patch(proposalId: string, ids?: readonly string[]): ExportResult {
    return patchOf(this.review(proposalId).tracked, ids);
  }

  /** `reopened` is the proposal of which hunks are to be decided again. */
  async #proposeLater(
    review: Review,
    title: string,
    make: (look: Look) => LaterProposal,
    reopened?: string,
  ): Promise<LaterResult> {
    const { documents, hunkIds, left } = make(await review.look(() => undefined));
    const { why, sessionId } = review.tracked.request;
    const again = reopened === undefined ? undefined : { proposalId: reopened, hunkIds };
    return { ...(await this.#proposeOwn({ title, why, documents, ...given({ sessionId, again }) })), left };
  }

  /** Nobody waits for the outcome: the person asked for the proposal, and for nothing but its announcement. */
  async #proposeOwn(own: ProposeRequest): Promise<{ readonly proposalId?: string }> {
    if (own.documents.length === 0) return {};
    const proposalId = randomUUID();
    const over = new AbortController();
    const request = { ...own, ...this.#ports.check?.(own.documents, over.signal) };
    await this.#announce(new Review(createTracked(proposalId, request), this.#reviewPorts), over);
    return { proposalId };
  }

  /** `over` aborts when the review has ended, for whose outcome nobody waits. */
  async #announce(review: Review, over: AbortController): Promise<void> {
    const announced = Promise.withResolvers<void>();
    const settled = this.#run(review, announced.resolve, new AbortController().signal).finally(() => over.abort());
    void settled.then((outcome) => this.#lookBack(review, outcome));
    await announced.promise;
  }

  /** What the person asked for may have taken hunks of other proposals back, or put them in again. */
  async #lookBack({ tracked }: Review, outcome: ProposalOutcome): Promise<void> {
    if (!outcome.hunks.some(({ applied }) => applied)) return;
    const changed = new Set(urisOf(tracked));
    const { again } = tracked.request;
    for (const review of this.#reviews.values()) {
      if (review.tracked === tracked || !urisOf(review.tracked).some((uri) => changed.has(uri))) continue;
      await review.lookBack(review.tracked.id === again?.proposalId ? tracked : undefined);
    }
  }

  /** What became of the proposals of a conversation since its model heard of them last, in sentences for the model. */
  async takeNews(sessionId: string): Promise<string[]> {
    const isFirst = !this.#told.has(sessionId);
    this.#told.add(sessionId);
    const proposals = isFirst ? await this.known.ofSession(sessionId) : this.known.ownOf(sessionId);
    const news = proposals.flatMap((tracked) => {
      const words = takeNews(tracked);
      if (words.length > 0) this.#kept.keep(tracked);
      return words.length === 0 ? [] : [words.join(" ")];
    });
    const more = news.length - NEWS;
    return more <= 0
      ? news
      : [...news.slice(0, NEWS), `What became of ${more} more of your proposals is not told: read their files again.`];
  }

  /** What the compiler said of the proposals that wait may hold no more: of all but the one that was applied. */
  #judgeSoon(applied: string): void {
    this.#applied.add(applied);
    if (this.#applied.size > 1) return;
    setTimeout(() => {
      for (const [id, review] of this.#reviews) {
        if ([...this.#applied].some((other) => other !== id)) review.judgeAgain();
      }
      this.#applied.clear();
    }, JUDGED_AFTER_MS).unref();
  }

  #touch(uri: string): void {
    for (const review of this.#reviews.values()) review.touch(uri);
  }

  #run(review: Review, onAnnounced: () => void, signal: AbortSignal): Promise<ProposalOutcome> {
    const announce = (): void => {
      this.#reviews.set(review.tracked.id, review);
      review.tracked.request.onWaiting?.();
      this.#ports.onProposal(toProposal(review.tracked));
      onAnnounced();
    };
    return review.run(announce, signal);
  }

  #decidedByOthers(proposalId: string): Review | undefined {
    const tracked = this.#kept.read(proposalId);
    // What is pending and not in this server is another one's to review.
    return tracked === undefined || isPending(tracked) ? undefined : new Review(tracked, this.#reviewPorts);
  }
}
