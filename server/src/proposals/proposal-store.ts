/** Keeps the proposals of a server, and finds the one that a request is about. */
import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { untilAborted } from "../abort.ts";
import { given } from "../given.ts";
import { AgentqError } from "../protocol/errors.ts";
import type { DidApplyResult, ExportResult, LaterResult } from "../protocol/methods.ts";
import type { Check, DecideResult, HunkDecision, Proposal } from "../protocol/shapes.ts";
import { normalizeUri } from "../workspace/documents.ts";
import { againOf, patchOf, undoOf } from "./after/after-review.ts";
import type { LaterProposal } from "./after/later-proposals.ts";
import { rewinding, type Rewound } from "./after/rewind.ts";
import { lookAtFiles, placesOf, type Look } from "./apply/files-now.ts";
import { ARRIVAL_MS, type ToldDocument } from "./apply/text-arrival.ts";
import { KeptProposals, type ProposalKeeper } from "./kept/kept-proposals.ts";
import type { ProposalChecks, ProposalOutcome, ProposalTurn, ProposedDocument, ProposeRequest } from "./proposal.ts";
import { Review, type DecideRequest, type ReviewPorts } from "./review.ts";
import type { SubsetTexts } from "./subset/subset.ts";
import { createTracked, isOnlyEntry, toProposal, wasApplied, type Tracked } from "./tracked-proposal.ts";

/**
 * Contract: the `on…` functions are called after the store's own state has changed and must not throw. `check` begins to
 * judge a proposal that no tool of this server makes; the signal aborts when nobody needs that any more.
 */
export interface ProposalPorts extends Omit<ReviewPorts, "keep" | "prepare"> {
  readonly check?: (documents: readonly ProposedDocument[], signal: AbortSignal) => ProposalChecks;
  readonly onProposal: (proposal: Proposal) => void;
  readonly checksOf?: (request: ProposeRequest) => Pick<ProposeRequest, "check" | "checkTexts">;
  readonly onTrouble?: (message: string) => void;
}

/** A turn with one of its proposals, and how many hunks of that one were applied. */
export interface ProposedIn {
  readonly sessionId: string;
  readonly turn: ProposalTurn;
  readonly applied: number;
}

/** What came of asking for a proposal; without the id there was nothing to propose. */
type Proposed<Made extends { readonly left: unknown }> = Pick<Made, "left"> & { readonly proposalId?: string };

interface AboutProposal {
  readonly proposalId: string;
}

/** How often a server looks whether another one of the workspace has ended, while that one has open reviews. */
const LOOK_FOR_ORPHANS_MS = 3_000;

export class ProposalStore {
  readonly #ports: ProposalPorts;
  readonly #reviewPorts: ReviewPorts;
  readonly #reviews = new Map<string, Review>();
  readonly #kept: KeptProposals;
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: ProposalPorts) {
    this.#ports = ports;
    this.#kept = new KeptProposals({ onTrouble: (message) => ports.onTrouble?.(message) });
    const [keep, prepare] = [
      (tracked: Tracked) => this.#kept.keep(tracked),
      (tracked: Tracked) => this.#kept.prepare(tracked),
    ];
    this.#reviewPorts = { ...ports, keep, prepare };
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
    for (const tracked of this.#all()) this.#kept.keep(tracked);
  }

  /** The server ends: what is pending now is left to the next one. */
  end(): void {
    clearTimeout(this.#timer);
    this.#kept.end();
  }

  /**
   * Announces the reviews that other servers left when they ended, in the words of the files as they are now. Nobody
   * waits for their outcome. Looks again while servers run that have reviews of this workspace. What an editor holds
   * unsaved may take `limitMs` to come.
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
    const state = request.check === undefined ? "unavailable" : "running";
    const check: Check = { state, introduced: [], resolved: [] };
    const review = new Review(Object.assign(left, { request, check, nobodyWaits: true as const }), this.#reviewPorts);
    await review.takeUp(limitMs);
    if (review.tracked.state === "pending") await this.#announce(review, over);
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

  /** All of this server, and the decided ones of others that are kept, oldest first. */
  async list(state?: Proposal["state"]): Promise<Proposal[]> {
    const others = state === "pending" ? [] : await this.#others();
    const all = [...others, ...this.#all()].filter((tracked) => state === undefined || tracked.state === state);
    return all.toSorted((a, b) => a.madeAt - b.madeAt).map(toProposal);
  }

  /** The documents that a tool call proposed to change. */
  urisOf(toolCallId: string): string[] {
    const own = this.#all().filter(({ request }) => request.toolCallId === toolCallId);
    return own.flatMap(({ documents }) => documents.flatMap(({ at, from }) => [at.uri, from.uri]));
  }

  /** The calls of a conversation whose proposals wait for decisions. */
  openCalls(sessionId: string): string[] {
    const open = this.#all().filter(({ state, request }) => state === "pending" && request.sessionId === sessionId);
    return open.flatMap(({ request }) => request.toolCallId ?? []);
  }

  /** The call whose edit of the document the editor is applying. */
  applying(uri: string): string | undefined {
    const found = this.#all().find(({ awaitingApply }) => [...awaitingApply].some((each) => each.at.uri === uri));
    return found?.request.toolCallId;
  }

  open(proposalId: string): Proposal {
    return toProposal(this.#get(proposalId).tracked);
  }

  /** See `Review.openNewest`. */
  async openNewest(proposalId: string): Promise<Proposal> {
    return this.#get(proposalId).openNewest();
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

  /** What a session proposed since a turn began, or from the beginning, oldest first. */
  async ofSession(sessionId: string, since?: ProposalTurn): Promise<readonly Tracked[]> {
    const own = this.#all().filter(({ request }) => request.sessionId === sessionId);
    const all = [...(await this.#others(sessionId)), ...own].toSorted((a, b) => a.madeAt - b.madeAt);
    if (since === undefined) return all;
    const first = all.findIndex(({ request }) => request.turn?.id === since.id);
    return first === -1 ? all.filter(({ madeAt }) => madeAt >= Date.parse(since.at)) : all.slice(first);
  }

  /** The turns in which something was proposed, as they are known by their proposals. */
  async turns(sessionId?: string): Promise<readonly ProposedIn[]> {
    const all = [...(await this.#others(sessionId)), ...this.#all()].toSorted((a, b) => a.madeAt - b.madeAt);
    return all.flatMap(({ request: { turn, sessionId: of }, hunks }) => {
      if (turn === undefined || of === undefined || (sessionId !== undefined && of !== sessionId)) return [];
      return [{ sessionId: of, turn, applied: hunks.filter(wasApplied).length }];
    });
  }

  /** Proposes to bring the files back to what they were before these proposals of one session, which are in order. */
  async rewind(proposals: readonly Tracked[], title: string, sessionId: string): Promise<Proposed<Rewound>> {
    const places = proposals.flatMap(({ documents }) =>
      documents.flatMap((document) => {
        const { at, from, movedTo = from, bytes } = document;
        if (isOnlyEntry(document)) return placesOf(document);
        const reads = bytes === undefined ? ("text" as const) : ("bytes" as const);
        return [at, from, movedTo].map((place) => ({ ...place, reads, isEntry: document.entry !== undefined }));
      }),
    );
    const { documents, left } = rewinding(proposals, await lookAtFiles(this.#ports, places, () => undefined));
    const count = proposals.length === 1 ? "one proposal" : `${proposals.length} proposals`;
    const why = `Takes back what you accepted of ${count}. What was written since stays. The REPL keeps its state.`;
    return { ...(await this.#proposeOwn({ title, why, documents, sessionId })), left };
  }

  /** See `patchOf`. */
  patch(proposalId: string, ids?: readonly string[]): ExportResult {
    return patchOf(this.#get(proposalId).tracked, ids);
  }

  async #proposeLater(review: Review, title: string, make: (look: Look) => LaterProposal): Promise<LaterResult> {
    const { documents, left } = make(await review.look(() => undefined));
    const { why, sessionId } = review.tracked.request;
    return { ...(await this.#proposeOwn({ title, why, documents, ...given({ sessionId }) })), left };
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
    void this.#run(review, announced.resolve, new AbortController().signal).finally(() => over.abort());
    await announced.promise;
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

  /** The decided proposals of other servers. */
  async #others(session?: string): Promise<Tracked[]> {
    const found: Tracked[] = [];
    for (const id of this.#kept.decided(session)) {
      if (this.#reviews.has(id)) continue;
      // Some are long, and others want to be answered meanwhile.
      await nextTurn();
      found.push(...[this.#kept.read(id) ?? []].flat());
    }
    return found;
  }

  #get(proposalId: string): Review {
    const review = this.#reviews.get(proposalId) ?? this.#decidedByOthers(proposalId);
    if (review === undefined) throw new AgentqError("unknownProposal", `There is no proposal ${proposalId}.`);
    return review;
  }

  #decidedByOthers(proposalId: string): Review | undefined {
    const tracked = this.#kept.read(proposalId);
    // What is pending and not in this server is another one's to review.
    return tracked === undefined || tracked.state === "pending" ? undefined : new Review(tracked, this.#reviewPorts);
  }
}
