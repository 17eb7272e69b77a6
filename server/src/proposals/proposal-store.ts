/** Keeps proposals, takes decisions, and settles only on text that was seen to be there. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentqError } from "../protocol/errors.ts";
import type { DidApplyResult } from "../protocol/methods.ts";
import type { Check, DecideResult, HunkDecision, Proposal } from "../protocol/shapes.ts";
import type { DocumentText, Documents } from "../workspace/documents.ts";
import { composeDocument, rebaseDocument, workspaceEditOf, type ComposedDocument } from "./compose-edit.ts";
import { accepted, checkDecisions, record, takeBack } from "./decisions.ts";
import { SubsetChecks, type SubsetRequest } from "./subset-checks.ts";
import { chosenHunks, composeSubset, type SubsetTexts } from "./subset.ts";
import { isDue, untilTextCame, type ToldDocument } from "./text-arrival.ts";
import { lookAgain, noteSeen, outcomeOf } from "./settle.ts";
import { standingsIn, type Standing } from "./standing.ts";
import { createTracked, toProposal, type Tracked } from "./tracked-proposal.ts";
import type { DocumentOutcome, ProposalOutcome, ProposeRequest, TrackedDocument, TrackedHunk } from "./proposal.ts";

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
      read: (tracked, uris) => this.#read(tracked, uris),
      onRequired: (tracked) => this.#tellCheck(tracked),
    });
  }

  /**
   * Announces a proposal and waits for the person. Resolves when every hunk is decided and the applied ones were
   * verified; with state `withdrawn` when `signal` aborts first. The person sees the proposal at once, with the
   * compiler's check when that takes a moment only; else the check follows.
   */
  async propose(request: ProposeRequest, signal: AbortSignal): Promise<ProposalOutcome> {
    const tracked = createTracked(randomUUID(), request);
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
    return own.flatMap(({ documents }) => documents.map(({ uri }) => uri));
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
    const uris = tracked.documents.map(({ uri }) => uri);
    const textOf = await this.#read(tracked, uris);
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
    const wanted = accepted(checkDecisions(tracked, request.hunks)).map(({ hunk }) => hunk.uri);
    const textOf = await this.#read(tracked, wanted);
    const decided = checkDecisions(tracked, request.hunks);
    this.#subsets.decided(tracked.id);
    for (const { hunk, decision } of decided) record(hunk, decision);
    if (request.message !== undefined) tracked.message = request.message;
    if (request.then !== undefined) tracked.then = request.then;
    const composed: ComposedDocument[] = [];
    const conflicts: string[] = [];
    for (const document of tracked.documents) {
      const own = accepted(decided).flatMap(({ hunk }) => (hunk.uri === document.uri ? [hunk] : []));
      if (own.length === 0) continue;
      const problem = this.#ports.whyMoved(document.uri);
      const composition =
        problem === undefined
          ? composeDocument(document, own, textOf(document.uri) ?? null)
          : { document: undefined, conflicts: own.map(({ id }) => id), why: problem };
      conflicts.push(...composition.conflicts);
      for (const hunk of own) if (composition.why !== undefined) hunk.conflict = composition.why;
      if (composition.document === undefined) continue;
      composed.push(composition.document);
      tracked.awaitingApply.add(composition.document);
      tracked.composedAt ??= Date.now();
    }
    for (const hunk of tracked.hunks) if (conflicts.includes(hunk.id)) hunk.state = "conflict";
    this.#ports.onProposalChanged(toProposal(tracked));
    await this.#settleWhenDone(tracked);
    return { edit: workspaceEditOf(composed), conflicts, remaining: pendingIds(tracked) };
  }

  /**
   * The client says it applied the edit: the documents' own text decides whether that is so. A hunk whose old text
   * still stands there is pending again, so that the person can decide anew; a hunk whose place holds neither text is
   * reported as such.
   */
  async didApply(proposalId: string, told: readonly ToldDocument[] = []): Promise<DidApplyResult> {
    const tracked = this.#get(proposalId);
    const awaited = [...tracked.awaitingApply];
    const uris = [...new Set(awaited.map(({ uri }) => uri))];
    // What cannot be read is not what was approved.
    const textOf = await untilTextCame(
      () => this.#read(tracked, uris, () => undefined),
      (texts) => awaited.some(({ uri, expected }) => isDue(uri, texts(uri), expected, told)),
    );
    const mismatched = new Set<string>();
    for (const apply of awaited) {
      // Another message may have confirmed this edit meanwhile.
      if (!tracked.awaitingApply.delete(apply)) continue;
      const { uri } = apply;
      const document = tracked.documents.find((candidate) => candidate.uri === uri);
      if (document === undefined || !this.#verify(tracked, document, apply, textOf(uri)?.text)) mismatched.add(uri);
    }
    this.#ports.onProposalChanged(toProposal(tracked));
    await this.#settleWhenDone(tracked);
    const kept = tracked.hunks.filter((hunk) => hunk.state === "accepted" || hunk.state === "edited");
    const verified = mismatched.size === 0 && kept.length > 0 && kept.every(wasApplied);
    return { verified, mismatched: [...mismatched] };
  }

  /** Records which of the hunks stand in the document; false when one of them does not. */
  #verify(tracked: Tracked, document: TrackedDocument, apply: ComposedDocument, now: string | undefined): boolean {
    const own = tracked.hunks.filter((hunk) => hunk.uri === document.uri);
    const problem = this.#ports.whyMoved(document.uri);
    const standings = standingsIn(apply.expected, apply.places, problem === undefined ? now : undefined);
    const are = (standing: Standing): TrackedHunk[] => own.filter((hunk) => standings.get(hunk.id) === standing);
    const applied = problem === undefined ? are("new") : [];
    for (const hunk of applied) hunk.applied = true;
    if (now !== undefined && problem === undefined) noteSeen(own, apply, now);
    rebaseDocument(
      document,
      applied,
      own.filter((hunk) => hunk.state === "pending" || (hunk.applied && !applied.includes(hunk))),
    );
    if (problem === undefined) for (const hunk of are("old")) takeBack(hunk);
    if (applied.length + are("old").length < apply.places.length || problem !== undefined) {
      tracked.mismatched.add(document.path);
    }
    return applied.length === apply.places.length;
  }

  /** The texts as they are when they are asked for: a buffer may change while the others are read. */
  async #read(
    tracked: Tracked,
    uris: readonly string[],
    onFailure: (error: unknown) => undefined = rethrow,
  ): Promise<(uri: string) => DocumentText | undefined> {
    const { documents, whyMoved } = this.#ports;
    const pathOf = (uri: string): string => tracked.documents.find((each) => each.uri === uri)?.path ?? uri;
    const inside = uris.filter((uri) => whyMoved(uri) === undefined);
    const readOne = (uri: string): Promise<DocumentText | undefined> =>
      documents.read(uri, pathOf(uri)).catch(onFailure);
    const read = new Map(await Promise.all(inside.map(async (uri) => [uri, await readOne(uri)] as const)));
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

  async #settleWhenDone(tracked: Tracked): Promise<void> {
    if (!isDone(tracked)) return;
    const uris = [...new Set(tracked.hunks.filter(wasApplied).map((hunk) => hunk.uri))];
    const { documents: texts } = this.#ports;
    const onDisk = new Map(await Promise.all(uris.map(async (uri) => [uri, await texts.readDisk(uri)] as const)));
    const textOf = await this.#read(tracked, uris, () => undefined);
    if (!isDone(tracked)) return;
    const since = tracked.composedAt ?? 0;
    const documents = lookAgain(tracked, {
      textOf,
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

function rethrow(error: unknown): never {
  throw error;
}

function isDone(tracked: Tracked): boolean {
  const isDecided = tracked.isWithdrawn || pendingIds(tracked).length === 0;
  return tracked.state === "pending" && isDecided && tracked.awaitingApply.size === 0;
}

function wasApplied(hunk: TrackedHunk): boolean {
  return hunk.applied;
}

function pendingIds(tracked: Tracked): string[] {
  return tracked.hunks.filter((hunk) => hunk.state === "pending").map((hunk) => hunk.id);
}
