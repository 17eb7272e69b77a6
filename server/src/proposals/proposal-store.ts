/** Keeps proposals, takes decisions, and settles only on text that was seen to be there. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentqError } from "../protocol/errors.ts";
import { given } from "../given.ts";
import type { DidApplyResult, ExportResult, LaterResult } from "../protocol/methods.ts";
import type { Check, DecideResult, HunkDecision, Proposal } from "../protocol/shapes.ts";
import type { Documents } from "../workspace/documents.ts";
import { composeDecision, workspaceEditOf } from "./compose-decision.ts";
import { accepted, checkDecisions, record } from "./decisions.ts";
import { lookAtFiles, placesOf, type Look, type Looked } from "./files-now.ts";
import { SubsetChecks, type SubsetRequest } from "./subset-checks.ts";
import { chosenHunks, composeSubset, type SubsetTexts } from "./subset.ts";
import { gitPatch } from "./git-patch.ts";
import { anotherTry, patchedFiles, undoing, type LaterProposal } from "./later-proposals.ts";
import { isDue, untilTextCame, type ToldDocument } from "./text-arrival.ts";
import { lookAgain, outcomeOf } from "./settle.ts";
import { verify } from "./verify.ts";
import { createTracked, toProposal, type Tracked } from "./tracked-proposal.ts";
import type { DocumentOutcome, ProposalOutcome, ProposeRequest, TrackedHunk } from "./proposal.ts";

/**
 * Contract: the `on…` functions are called after the store's own state has changed and must not throw. `whyMoved`
 * tells why a document's path must not be read or written any more, undefined while the path leads to where it led when the
 * proposal was made.
 */
export interface ProposalPorts {
  readonly documents: Documents;
  readonly whyMoved: (uri: string) => string | undefined;
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
/** Less than the executor gives a review to say how it ended. */
const CONFIRM_LIMIT_MS = 1_000;

export class ProposalStore {
  readonly #ports: ProposalPorts;
  readonly #proposals = new Map<string, Tracked>();
  readonly #subsets: SubsetChecks;

  constructor(ports: ProposalPorts) {
    this.#ports = ports;
    this.#subsets = new SubsetChecks({
      read: (tracked) => this.#textsOf(tracked),
      onRequired: (tracked) => this.#tellCheck(tracked),
    });
  }

  /**
   * Announces a proposal and waits for the person. Resolves when every hunk is decided and the applied ones were
   * verified; with state `withdrawn` when `signal` aborts first. The person sees the proposal at once, with the
   * compiler's check when that takes a moment only; else the check follows.
   */
  async propose(request: ProposeRequest, signal: AbortSignal, id: string = randomUUID()): Promise<ProposalOutcome> {
    const tracked = createTracked(id, request);
    const checked = request.check?.then((check) => {
      tracked.check = check;
      void this.#subsets.search(tracked);
    });
    void request.tests?.then((verdict) => {
      tracked.tests = verdict;
      if (this.#proposals.has(tracked.id)) this.#tellCheck(tracked);
    });
    if (checked !== undefined) await Promise.race([checked, sleep(A_MOMENT_MS, undefined, { ref: false })]);
    if (tracked.check.state === "running") void checked?.then(() => this.#tellCheck(tracked));
    this.#proposals.set(tracked.id, tracked);
    let timer: NodeJS.Timeout | undefined;
    const withdraw = (): void => {
      tracked.isWithdrawn = true;
      const settle = (): void => this.#settle(tracked, "withdrawn");
      // An edit that the editor is applying now is waited for, so that the answer tells of it.
      timer = setTimeout(settle, CONFIRM_LIMIT_MS);
      this.#settleWhenDone(tracked).catch(settle);
    };
    signal.addEventListener("abort", withdraw, { once: true });
    try {
      this.#ports.onProposal(toProposal(tracked));
      if (signal.aborted) withdraw();
      return await tracked.settled.promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", withdraw);
    }
  }

  list(): Proposal[] {
    return [...this.#proposals.values()].map(toProposal);
  }

  /** The documents that a tool call proposed to change. */
  urisOf(toolCallId: string): string[] {
    const own = [...this.#proposals.values()].filter(({ request }) => request.toolCallId === toolCallId);
    return own.flatMap(({ documents }) => documents.map(({ at }) => at.uri));
  }

  open(proposalId: string): Proposal {
    return toProposal(this.#get(proposalId));
  }

  pendingCount(): number {
    return [...this.#proposals.values()].filter((tracked) => tracked.state === "pending").length;
  }

  /** The documents as they would be with exactly the accepted hunks in them. Nothing is decided. */
  async subset(proposalId: string, hunks: readonly HunkDecision[]): Promise<SubsetTexts> {
    const tracked = this.#get(proposalId);
    const chosen = chosenHunks(checkDecisions(tracked, hunks));
    const textOf = await this.#textsOf(tracked);
    return composeSubset(tracked.documents, chosen, (uri) => textOf(uri) ?? null);
  }

  /**
   * What the compiler would say with exactly the accepted hunks in the documents as they are now. Nothing is decided. A
   * newer question about the same proposal ends this one.
   */
  async checkSubset({ proposalId, hunks }: SubsetRequest, signal: AbortSignal): Promise<Check> {
    return this.#subsets.check(this.#get(proposalId), hunks, signal);
  }

  /**
   * Takes decisions about some or all hunks and answers the edit the client must apply now. All reading comes before
   * any recording: requests that arrive meanwhile, and a withdrawal, find the proposal either as it was or as it
   * becomes. A document whose path leads somewhere else than when it was proposed is neither read nor edited.
   */
  async decide(request: DecideRequest): Promise<DecideResult> {
    const tracked = this.#get(request.proposalId);
    const wanted = new Set(accepted(checkDecisions(tracked, request.hunks)).map(({ hunk }) => hunk.document));
    const look = await lookAtFiles(this.#ports, [...wanted].flatMap(placesOf));
    const decided = checkDecisions(tracked, request.hunks);
    this.#subsets.decided(tracked.id);
    for (const { hunk, decision } of decided) record(hunk, decision);
    if (request.message !== undefined) tracked.message = request.message;
    if (request.then !== undefined) tracked.then = request.then;
    const chosen = accepted(decided).map(({ hunk }) => hunk);
    const { composed, conflicts } = composeDecision(chosen, look);
    for (const { hunk, why } of conflicts) {
      hunk.state = "conflict";
      if (why !== undefined) hunk.conflict = why;
    }
    for (const each of composed) tracked.awaitingApply.add(each);
    if (composed.length > 0) tracked.composedAt ??= Date.now();
    this.#ports.onProposalChanged(toProposal(tracked));
    await this.#settleWhenDone(tracked);
    return {
      edit: workspaceEditOf(composed),
      conflicts: conflicts.map(({ hunk }) => hunk.id),
      remaining: pendingIds(tracked),
    };
  }

  /**
   * The client says it applied the edit: the documents' own text decides whether that is so. A hunk whose old text
   * still stands there is pending again, so that the person can decide anew; a hunk whose place holds neither text is
   * reported as such.
   */
  async didApply(proposalId: string, told: readonly ToldDocument[] = []): Promise<DidApplyResult> {
    const tracked = this.#get(proposalId);
    const awaited = [...tracked.awaitingApply];
    const wanted = awaited.flatMap(({ document, at }): Looked[] => [
      ...placesOf(document),
      { ...at, reads: document.bytes === undefined ? "text" : "bytes" },
    ]);
    // What cannot be read is not what was approved.
    const look = await untilTextCame<Look>(
      () => lookAtFiles(this.#ports, wanted, () => undefined),
      ({ textOf }) => awaited.some(({ at: { uri }, expected }) => isDue(uri, textOf(uri), expected, told)),
    );
    const mismatched = new Set<string>();
    for (const apply of awaited) {
      // Another message may have confirmed this edit meanwhile.
      if (!tracked.awaitingApply.delete(apply)) continue;
      if (!verify(tracked, apply, awaited, look)) mismatched.add(apply.at.uri);
    }
    this.#ports.onProposalChanged(toProposal(tracked));
    await this.#settleWhenDone(tracked);
    const kept = tracked.hunks.filter((hunk) => hunk.state === "accepted" || hunk.state === "edited");
    const verified = mismatched.size === 0 && kept.length > 0 && kept.every(wasApplied);
    return { verified, mismatched: [...mismatched] };
  }

  async #textsOf({ documents }: Tracked): Promise<Look["textOf"]> {
    return (await lookAtFiles(this.#ports, documents.flatMap(placesOf))).textOf;
  }

  /** Proposes to take back what is applied of a proposal: these hunks, or all. */
  async undo(proposalId: string, ids?: readonly string[]): Promise<LaterResult> {
    const tracked = this.#get(proposalId);
    const hunks = chosenOf(tracked, ids).filter(wasApplied);
    return this.#proposeLater(tracked, `Undo: ${tracked.request.title}`, (look) => undoing(hunks, look));
  }

  /** Proposes again what is not in the documents of a proposal: these hunks, or all that were rejected or in conflict. */
  async reopen(proposalId: string, ids?: readonly string[]): Promise<LaterResult> {
    const tracked = this.#get(proposalId);
    const hunks = chosenOf(tracked, ids).filter(
      (hunk) => !hunk.applied && (hunk.state !== "pending" || isOver(tracked)),
    );
    return this.#proposeLater(tracked, tracked.request.title, (look) =>
      anotherTry(hunks, tracked.request.documents, look),
    );
  }

  /** A patch for `git apply` against the texts the proposal was made for: these hunks, or all that were not rejected. */
  patch(proposalId: string, ids?: readonly string[]): ExportResult {
    const tracked = this.#get(proposalId);
    const hunks = chosenOf(tracked, ids).filter(({ state }) => ids !== undefined || state !== "rejected");
    const [binary, text] = [hunks.filter(isBinaryDeletion), hunks.filter((hunk) => !isBinaryDeletion(hunk))];
    const left = binary.map(({ id }) => ({ id, why: "the file is no text, so no patch holds its deletion." }));
    return { patch: gitPatch(patchedFiles(text, tracked.request.documents)), left };
  }

  async #proposeLater(tracked: Tracked, title: string, make: (look: Look) => LaterProposal): Promise<LaterResult> {
    const wanted = tracked.documents.flatMap(placesOf);
    const { documents, left } = make(await lookAtFiles(this.#ports, wanted, () => undefined));
    if (documents.length === 0) return { left };
    const { why, sessionId } = tracked.request;
    const proposalId = randomUUID();
    // Nobody waits for the outcome: the person asked for the proposal.
    void this.propose({ title, why, documents, ...given({ sessionId }) }, new AbortController().signal, proposalId);
    return { proposalId, left };
  }

  #get(proposalId: string): Tracked {
    const tracked = this.#proposals.get(proposalId);
    if (tracked === undefined) throw new AgentqError("unknownProposal", `There is no proposal ${proposalId}.`);
    return tracked;
  }

  #tellCheck(tracked: Tracked): void {
    if (tracked.state === "pending") this.#ports.onProposalChanged(toProposal(tracked));
  }

  async #settleWhenDone(tracked: Tracked): Promise<void> {
    if (!isDone(tracked)) return;
    const changed = [...new Set(tracked.hunks.filter(wasApplied).map((hunk) => hunk.document))];
    const { documents: texts } = this.#ports;
    const uris = changed.map(({ at }) => at.uri);
    const onDisk = new Map(await Promise.all(uris.map(async (uri) => [uri, await texts.readDisk(uri)] as const)));
    const wanted = changed.flatMap((document): Looked[] => [
      ...placesOf(document),
      { ...document.from, reads: document.bytes === undefined ? "text" : "bytes" },
    ]);
    const look = await lookAtFiles(this.#ports, wanted, () => undefined);
    if (!isDone(tracked)) return;
    const since = tracked.composedAt ?? 0;
    const documents = lookAgain(tracked, {
      look,
      isSaved: (uri, text) => onDisk.get(uri) === text || texts.wasSaved(uri, text, since),
    });
    const applied = tracked.hunks.filter(wasApplied).length;
    const reviewed = applied === tracked.hunks.length ? "applied" : applied > 0 ? "partiallyApplied" : "rejected";
    this.#settle(tracked, tracked.isWithdrawn ? "withdrawn" : reviewed, documents);
  }

  #settle(tracked: Tracked, state: ProposalOutcome["state"], documents: readonly DocumentOutcome[] = []): void {
    if (tracked.state !== "pending") return;
    tracked.state = state;
    this.#subsets.end(tracked.id);
    tracked.settled.resolve(outcomeOf(tracked, state, documents));
    this.#ports.onProposalChanged(toProposal(tracked));
  }
}

function isDone(tracked: Tracked): boolean {
  const isDecided = tracked.isWithdrawn || pendingIds(tracked).length === 0;
  return tracked.state === "pending" && isDecided && tracked.awaitingApply.size === 0;
}

/** The named hunks of a proposal, or all. */
function chosenOf({ id, hunks }: Tracked, ids: readonly string[] | undefined): readonly TrackedHunk[] {
  const unknown = ids?.find((each) => !hunks.some((hunk) => hunk.id === each));
  if (unknown !== undefined) throw new AgentqError("unknownProposal", `Proposal ${id} has no hunk "${unknown}".`);
  return ids === undefined ? hunks : hunks.filter((hunk) => ids.includes(hunk.id));
}

function isBinaryDeletion({ document, kind }: TrackedHunk): boolean {
  return document.bytes !== undefined && kind === "delete";
}

function isOver({ state }: Tracked): boolean {
  return state !== "pending";
}

function wasApplied(hunk: TrackedHunk): boolean {
  return hunk.applied;
}

function pendingIds(tracked: Tracked): string[] {
  return tracked.hunks.filter((hunk) => hunk.state === "pending").map((hunk) => hunk.id);
}
