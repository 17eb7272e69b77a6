/** One proposal under review: takes decisions, and settles only on text that was seen to be there. */
import type { DidApplyResult, Check, DecideResult, HunkDecision, Proposal } from "../protocol/proposal-shapes.ts";
import type { Documents } from "../workspace/documents.ts";
import { notePutIn } from "./after/put-in.ts";
import { documentsChanged, noteTakenBack } from "./after/taken-back.ts";
import { composeDecision, workspaceEditOf } from "./apply/compose-decision.ts";
import { accepted, checkDecisions } from "./apply/decisions.ts";
import { lookAround, lookAtDocuments, type Look } from "./apply/files-now.ts";
import { followBase, recordComposition, relatedTo } from "./apply/follow-base.ts";
import { MovingBase } from "./apply/moving-base.ts";
import { cutChosen, cutPending } from "./apply/part-hunks.ts";
import { putEntries, takeUpEntries, type PutPorts } from "./apply/put-entries.ts";
import { lookAgain, outcomeOf } from "./apply/settle.ts";
import { ARRIVAL_MS, untilTextCame, type ToldDocument } from "./apply/text-arrival.ts";
import { verifyAwaited } from "./apply/verify.ts";
import { lostHunks, takeOut } from "./kept/take-up.ts";
import { isOpen, raise, wasApplied } from "./hunk-state.ts";
import type { DocumentOutcome, ProposalOutcome, TrackedDocument, TrackedHunk } from "./proposal.ts";
import { isPending, record, type ProposalNow, type Unsettled } from "./proposal-state.ts";
import { SubsetChecks } from "./subset/subset-checks.ts";
import { chosenHunks, composeSubset, type SubsetTexts } from "./subset/subset.ts";
import { Verdicts } from "./subset/verdicts.ts";
import { openIds, toProposal, type Tracked } from "./tracked-proposal.ts";

/**
 * Contract: `keep` is called whenever the review's own state has changed, `onChanged` right after it; no port whose name begins with `on` throws, nor does `keep`. `whyMoved` tells why a
 * document's path must not be read or written any more, undefined while the path leads to where it led when the proposal
 * was made.
 */
export interface ReviewPorts extends PutPorts {
  readonly documents: Documents;
  readonly whyMoved: (uri: string) => string | undefined;
  readonly keep?: (tracked: Tracked) => void;
  /** Begins to keep a proposal that is too large to be kept at once. */
  readonly prepare?: (tracked: Tracked) => Promise<void> | undefined;
  readonly onChanged: (proposal: Proposal) => void;
  /** A client has applied an edit of the proposal with this id, and that is verified. */
  readonly onApplied?: (proposalId: string) => void;
}

export interface DecideRequest {
  readonly hunks: readonly HunkDecision[];
  readonly message?: string;
  readonly then?: "continue" | "stop";
}

/** Less than the executor gives a review to say how it ended. */
const CONFIRM_LIMIT_MS = 1_000;

export class Review {
  readonly tracked: Tracked;
  readonly #ports: ReviewPorts;
  readonly #subsets: SubsetChecks;
  readonly #verdicts: Verdicts;
  readonly #base: MovingBase;
  readonly #over = new AbortController();
  readonly #settled = Promise.withResolvers<ProposalOutcome>();
  #isAnnounced = false;
  /** Decisions whose entries are being put in their places. */
  #putting = 0;

  constructor(tracked: Tracked, ports: ReviewPorts) {
    this.tracked = tracked;
    this.#ports = ports;
    this.#subsets = new SubsetChecks(this.tracked, {
      checkTexts: () => this.#verdicts.checkTexts,
      read: async () => (await this.look()).textOf,
      onRequired: () => this.#tellCheck(),
    });
    this.#verdicts = new Verdicts(tracked, this.#subsets, () => this.#tellCheck());
    this.#base = new MovingBase(this.tracked, {
      look: async (documents) => lookAtDocuments(ports, relatedTo(this.tracked, documents), () => undefined),
      onMoved: () => this.#tellCheck(),
      lookBack: async (documents) => this.#lookBack(documents, true),
    });
  }

  /**
   * Announces the proposal, at once, with the compiler's check when that takes a moment only; else the check follows.
   * Resolves when every hunk is decided and the applied ones were verified; with state `withdrawn` when `signal` aborts
   * first.
   */
  async run(announce: () => void, signal: AbortSignal): Promise<ProposalOutcome> {
    const judged = this.#verdicts.begin();
    const prepared = this.#ports.prepare?.(this.tracked);
    if (prepared !== undefined) await prepared;
    if (judged !== undefined) await judged;
    let timer: NodeJS.Timeout | undefined;
    const withdraw = (): void => {
      record(this.tracked, { is: "withdrawn" });
      const settle = (): void => this.#settle();
      // An edit that the editor is applying now is waited for, so that the answer tells of it.
      timer = setTimeout(settle, CONFIRM_LIMIT_MS);
      this.#settleWhenDone().catch(settle);
    };
    signal.addEventListener("abort", withdraw, { once: true });
    try {
      this.#isAnnounced = true;
      this.#ports.keep?.(this.tracked);
      announce();
      for (const { at, base } of this.tracked.documents) {
        if ((this.#ports.documents.get(at.uri)?.text ?? base) !== base) this.touch(at.uri);
      }
      if (signal.aborted) withdraw();
      return await this.#settled.promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", withdraw);
    }
  }

  /** Files around the proposal have changed. */
  judgeAgain(): void {
    this.#verdicts.askAgain();
  }

  /** The proposal's documents, and the places they move to or come from, as they are now. */
  async look(onFailure?: (error: unknown) => undefined): Promise<Look> {
    return lookAtDocuments(this.#ports, this.tracked.documents, onFailure);
  }

  /** Something happened to a file or a buffer. */
  touch(uri: string): void {
    this.#base.touch(uri);
  }

  /** The proposal as the documents of this moment make it. */
  async openNewest(): Promise<Proposal> {
    await this.#base.followed();
    return toProposal(this.tracked);
  }

  /** The documents as they would be with exactly the accepted hunks in them. Nothing is decided. */
  async subset(hunks: readonly HunkDecision[]): Promise<SubsetTexts> {
    const chosen = chosenHunks(checkDecisions(this.tracked, hunks));
    const { textOf } = await this.look();
    return composeSubset(this.tracked.documents, chosen, (uri) => textOf(uri) ?? null);
  }

  /** What the compiler would say of such documents. A newer question ends this one. */
  async checkSubset(hunks: readonly HunkDecision[], signal: AbortSignal): Promise<Check> {
    return this.#subsets.check(hunks, signal);
  }

  /**
   * Takes decisions about some or all hunks and answers the edit the client must apply now. All reading comes before
   * any recording: requests that arrive meanwhile, and a withdrawal, find the proposal either as it was or as it
   * becomes. A document whose path leads somewhere else than when it was proposed is neither read nor edited.
   */
  async decide(request: DecideRequest): Promise<DecideResult> {
    const { tracked } = this;
    const wanted = new Set(accepted(checkDecisions(tracked, request.hunks)).map(({ hunk }) => hunk.document));
    const look = await lookAtDocuments(this.#ports, relatedTo(tracked, wanted));
    const decided = cutChosen(tracked, checkDecisions(tracked, request.hunks));
    this.#subsets.decided();
    for (const { hunk, decision } of decided) raise(hunk, { is: "decided", decision });
    record(tracked, { is: "decided", message: request.message, then: request.then });
    const chosen = accepted(decided).map(({ hunk }) => hunk);
    const composition = composeDecision(chosen, look);
    const { composed, conflicts } = composition;
    recordComposition(tracked, composition, wanted, look);
    record(tracked, { is: "composed", edits: composed, at: Date.now() });
    const failed = await this.#putEntries(chosen.filter(({ kind }) => kind === "entry"));
    await this.#settleWhenDone();
    return {
      edit: workspaceEditOf(composed),
      conflicts: [...conflicts.map(({ hunk }) => hunk.id), ...failed],
      remaining: openIds(tracked),
    };
  }

  /** Answers the ids of those that could not be put in their places. */
  async #putEntries(entries: readonly TrackedHunk[]): Promise<string[]> {
    this.#putting += 1;
    this.#tell();
    try {
      if (entries.length === 0) return [];
      await putEntries(entries, this.#ports, this.#over.signal);
      this.#tell();
      return entries.filter((hunk) => !wasApplied(hunk)).map(({ id }) => id);
    } finally {
      this.#putting -= 1;
    }
  }

  /** Cuts a hunk that waits into smaller ones, each decided by itself, and answers their ids. */
  split(hunkId: string): string[] {
    const parts = cutPending(this.tracked, hunkId);
    this.#subsets.decided();
    this.#tell();
    return parts.map(({ id }) => id);
  }

  /**
   * The client says that it applied the edit; the documents' text decides whether it did. A hunk whose old text is
   * still there is pending again, so that the person can decide anew; a hunk whose place holds neither text is
   * reported so.
   */
  async didApply(told: readonly ToldDocument[] = []): Promise<DidApplyResult> {
    const confirmed = await this.#confirm(told, ARRIVAL_MS);
    this.#ports.onApplied?.(this.tracked.id);
    return confirmed;
  }

  async #confirm(told: readonly ToldDocument[], limitMs: number): Promise<DidApplyResult> {
    const { tracked } = this;
    const mismatched = await verifyAwaited(tracked, this.#ports, told, limitMs);
    this.#tell();
    await this.#settleWhenDone();
    // What the person took back since was there once.
    const kept = tracked.hunks.filter((hunk) => !isOpen(hunk) && hunk.now.is !== "rejected");
    const isEachApplied = kept.length > 0 && kept.every(({ now }) => now.is !== "accepted");
    return { verified: mismatched.length === 0 && isEachApplied, mismatched };
  }

  /**
   * Takes up a review that another server left: the files tell what its edits have done. A hunk whose text is in them
   * is applied, any other is pending again. Editors may still be opening their unsaved texts: the review waits for
   * these.
   */
  async takeUp(limitMs: number): Promise<void> {
    const { tracked } = this;
    const readAll = async (): Promise<Look> => this.look(() => undefined);
    const look = await untilTextCame(readAll, (now) => lostHunks(tracked, now).length > 0, limitMs);
    takeOut(tracked, lostHunks(tracked, look));
    takeUpEntries(tracked.hunks, look);
    if (tracked.now.awaited.length > 0) await this.#confirm([], limitMs);
    followBase(tracked, tracked.documents, await readAll());
    this.#tell();
    await this.#settleWhenDone();
  }

  #tell(): void {
    this.#ports.keep?.(this.tracked);
    if (this.#isAnnounced) this.#ports.onChanged(toProposal(this.tracked));
  }

  #tellCheck(): void {
    if (this.#isAnnounced && isPending(this.tracked)) this.#tell();
  }

  async #settleWhenDone(): Promise<void> {
    const { tracked } = this;
    if (this.#putting > 0 || !isDone(tracked.now, tracked.hunks)) return;
    const changed = [...new Set(tracked.hunks.filter(wasApplied).map(({ document }) => document))];
    const { documents: texts } = this.#ports;
    const uris = changed.map(({ at }) => at.uri);
    const onDisk = new Map(await Promise.all(uris.map(async (uri) => [uri, await texts.readDisk(uri)] as const)));
    const look = await lookAround(this.#ports, changed);
    const { now } = tracked;
    if (this.#putting > 0 || !isDone(now, tracked.hunks)) return;
    const since = now.composedAt ?? 0;
    const documents = lookAgain(tracked, {
      look,
      // The editor is believed where the file cannot be read, such as one in another encoding.
      isSaved: (uri, text) => isOnDisk(onDisk.get(uri), text) ?? texts.wasSaved(uri, text, since),
    });
    this.#settle(documents);
  }

  /**
   * Tells, if that is news, which of the applied hunks are taken back by now: a proposal of the person's own has come to
   * files of this one. `again` is that proposal where it has hunks of this one.
   */
  async lookBack(again?: Tracked): Promise<void> {
    if (again !== undefined && notePutIn(this.tracked, again)) this.#tell();
    await this.#lookBack(this.tracked.documents, false);
  }

  async #lookBack(among: Iterable<TrackedDocument>, isQuick: boolean): Promise<void> {
    const changed = documentsChanged(this.tracked, among);
    if (changed.size === 0) return;
    const look = await lookAround(this.#ports, changed);
    if (noteTakenBack(this.tracked, changed, look, isQuick)) this.#tell();
  }

  #settle(documents: readonly DocumentOutcome[] = []): void {
    const { now } = this.tracked;
    if (now.is === "settled") return;
    const outcome = outcomeOf(this.tracked, now, documents);
    record(this.tracked, { is: "settled", outcome });
    this.#over.abort();
    this.#base.end();
    this.#subsets.end();
    this.#settled.resolve(outcome);
    this.#tell();
  }
}

/** With whatever line endings; undefined where nobody can say. */
function isOnDisk(onDisk: string | undefined, text: string): boolean | undefined {
  if (onDisk === undefined) return undefined;
  return onDisk.replaceAll("\r\n", "\n") === text.replaceAll("\r\n", "\n");
}

function isDone(now: ProposalNow, hunks: readonly TrackedHunk[]): now is Unsettled {
  if (now.is === "settled" || now.awaited.length > 0) return false;
  return now.is === "withdrawn" || !hunks.some(isOpen);
}
