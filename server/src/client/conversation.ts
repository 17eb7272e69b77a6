/** A conversation as a client lives it: shows the events, asks about proposals, applies what was accepted and confirms it. */
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { given } from "../base/given.ts";
import type { RequestParams } from "../protocol/methods.ts";
import type { Hunk, HunkDecision, Proposal } from "../protocol/proposal-shapes.ts";
import type { Approval } from "../protocol/tool-shapes.ts";
import type { TurnEvent } from "../protocol/turn-shapes.ts";
import type { AgentqClient } from "./agentq-client.ts";
import { carryOut, refusal, type DecisionPorts } from "./carry-out.ts";

export interface Review {
  readonly decisions: readonly HunkDecision[];
  readonly then: "continue" | "stop";
}

/** The place of a hunk. */
export interface HunkPlace {
  /** Path from the project's root. */
  readonly path: string;
  /** The document that the hunk is about, as it is now; "" for a file to be created. */
  readonly text: string;
  readonly index: number;
  readonly total: number;
}

/** Contract: decides every hunk of the proposal. The signal tells that nobody needs to decide any more. */
export type Reviewer = (proposal: Proposal, placeOf: (hunk: Hunk) => HunkPlace, signal: AbortSignal) => Promise<Review>;

export interface DecidedHunk {
  readonly hunk: Hunk;
  /** `src/allocate.ts:16` */
  readonly place: string;
  readonly decision: HunkDecision;
  /** False also for an accepted hunk whose place had changed, so that it could not be applied. */
  readonly applied: boolean;
}

export type TurnEnd = TurnEvent & { readonly kind: "turnEnded" };

export interface TurnReport {
  readonly end: TurnEnd;
  readonly hunks: readonly DecidedHunk[];
}

export type ApprovalAnswer = Omit<RequestParams<"agentq/answerApproval">, "approvalId">;

export type Said = Omit<RequestParams<"agentq/prompt">, "sessionId">;

/** A connection to a server, with the client's documents. */
export type ConversationClient = Pick<AgentqClient, "request" | "on" | "gone"> & {
  readonly buffers: Pick<AgentqClient["buffers"], "follow" | "textOf" | "apply">;
};

export interface ConversationParts {
  readonly client: ConversationClient;
  readonly folder: string;
  readonly show: (event: TurnEvent) => void;
  readonly review: Reviewer;
  /** The signal tells that nobody needs to answer any more. */
  readonly approve: (approval: Approval, signal: AbortSignal) => Promise<ApprovalAnswer>;
  /** Which questions are this conversation's, where the client has more than one; all by default. */
  readonly isOurs?: (sessionId: string | undefined) => boolean;
  /** Something begins to happen, whether anybody has said something or not. */
  readonly onActivity?: () => void;
}

export class Conversation {
  readonly #parts: ConversationParts;
  /** Notifications are taken one after another, also while a person thinks about a hunk. */
  #last: Promise<void> = Promise.resolve();
  #hunks: DecidedHunk[] = [];
  #ended = Promise.withResolvers<TurnEnd>();
  /** Settles with the turn, also where somebody was told before that a question failed. */
  #over = Promise.withResolvers<void>();
  #running = false;
  /** Settles when it is known to which conversation the last prompt belongs. */
  #answered: Promise<void> = Promise.resolve();
  /** What was said last while a turn ran: to stop the turn takes that back too. */
  #added: Promise<unknown> | undefined;
  /** Questions to the person, by the id of a proposal or an approval. */
  readonly #questions = new Map<string, AbortController>();
  readonly #stops: (() => void)[];
  sessionId: string | undefined;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
    const { client, isOurs = () => true } = parts;
    this.#ended.promise.catch(() => undefined);
    this.#stops = [
      client.on("agentq/event", ({ sessionId, event }) => this.#inOrder(() => this.#event(sessionId, event))),
      client.on("agentq/proposal", ({ proposalId, sessionId }) => {
        if (!isOurs(sessionId)) return;
        this.#ask(proposalId, async (signal) => {
          // Another proposal may have been decided since this one was announced.
          const now = await client.request("agentq/openProposal", { proposalId });
          this.#hunks.push(...(await decide(parts, now, signal)));
        });
      }),
      client.on("agentq/approval", (approval) => {
        const { approvalId, sessionId } = approval;
        if (!isOurs(sessionId)) return;
        this.#ask(approvalId, async (signal) => {
          const answer = await parts.approve(approval, signal);
          if (!signal.aborted) await client.request("agentq/answerApproval", { ...answer, approvalId });
        });
      }),
      client.on("agentq/proposalChanged", ({ proposalId, state }) => {
        if (state !== "pending") this.#questions.get(proposalId)?.abort();
      }),
      client.on("agentq/approvalChanged", ({ approvalId }) => this.#questions.get(approvalId)?.abort()),
    ];
    void client.gone.then((reason) => {
      this.#ended.reject(new Error(`The server has stopped in the middle of the turn: ${reason}`));
      this.#over.resolve();
    });
  }

  get isRunning(): boolean {
    return this.#running;
  }

  /** Hears nothing any more. */
  dispose(): void {
    for (const stop of this.#stops) stop();
    for (const question of this.#questions.values()) question.abort();
  }

  /**
   * Resolves at the end of the turn. Rejects where the prompt is refused, the server stops, or a question fails.
   *
   * @param onTaken the server has the prompt, whatever becomes of the turn
   */
  async say(said: Said, onTaken?: () => void): Promise<TurnReport> {
    this.#begin();
    const answered = Promise.withResolvers<void>();
    this.#answered = answered.promise;
    // Whose events these are is known from the answer, which comes before them.
    this.#last = this.#last.then(() => answered.promise);
    try {
      const { sessionId } = await this.#parts.client.request("agentq/prompt", {
        ...said,
        ...given({ sessionId: this.sessionId }),
      });
      this.sessionId = sessionId;
      onTaken?.();
    } catch (error) {
      this.#running = false;
      throw error;
    } finally {
      answered.resolve();
    }
    return { end: await this.#ended.promise, hunks: this.#hunks };
  }

  /** Waits until no turn runs and nothing that came is left to be shown or asked. */
  async settled(): Promise<void> {
    for (let seen; seen !== this.#last || this.#running;) {
      if (this.#running) await this.#ended.promise;
      seen = this.#last;
      await seen;
    }
  }

  /** Waits for the end of the turn that runs, whatever became of its questions. */
  async over(): Promise<void> {
    if (this.#running) await this.#over.promise;
  }

  /** Says more while a turn runs: the model hears it at the turn's next boundary, or as the next turn. */
  async add(text: string): Promise<void> {
    await this.#answered;
    const added = this.#parts.client.request("agentq/prompt", { text, ...given({ sessionId: this.sessionId }) });
    this.#added = added;
    await added;
  }

  /** Answers what was said meanwhile and not heard by the model, which is not sent any more. */
  async cancel(): Promise<readonly string[]> {
    await this.#answered;
    await this.#added?.catch(() => undefined);
    if (this.sessionId === undefined) return [];
    const { queued = [] } = await this.#parts.client.request("agentq/cancel", { sessionId: this.sessionId });
    return queued.map(({ text }) => text);
  }

  #begin(): void {
    this.#hunks = [];
    this.#running = true;
    this.#over = Promise.withResolvers();
    const ended = Promise.withResolvers<TurnEnd>();
    const before = this.#ended;
    // A question that fails, or a server that stops, is told to whoever waits now.
    this.#ended = { promise: ended.promise, resolve: ended.resolve, reject: ended.reject };
    before.promise.catch(() => undefined);
    ended.promise.catch(() => undefined);
  }

  #event(sessionId: string, event: TurnEvent): void {
    if (sessionId !== this.sessionId) return;
    if (event.kind === "turnStarted" && !this.#running) {
      this.#parts.onActivity?.();
      this.#begin();
    }
    this.#parts.show(event);
    if (event.kind !== "turnEnded") return;
    this.#running = false;
    this.#over.resolve();
    this.#ended.resolve(event);
  }

  #ask(id: string, ask: (signal: AbortSignal) => Promise<void>): void {
    this.#parts.onActivity?.();
    const question = new AbortController();
    this.#questions.set(id, question);
    this.#inOrder(async () => {
      if (!question.signal.aborted) await ask(question.signal);
      this.#questions.delete(id);
    });
  }

  #inOrder(work: () => void | Promise<void>): void {
    this.#last = this.#last.then(work).catch((error: unknown) => this.#ended.reject(error));
  }
}

/** Decisions are sent to the client's server, and what was accepted goes into its documents. */
export function decisionPorts(client: ConversationClient, failed?: (why: string) => void): DecisionPorts {
  return {
    decide: (params) => client.request("agentq/decide", params),
    didApply: (params) => client.request("agentq/didApply", params),
    apply: (edit) => client.buffers.apply(edit, failed),
  };
}

const NOT_THERE = "accepted, but the text does not stand in the file after it was written";

function accepted({ decisions }: Review): string[] {
  return decisions.filter(({ decision }) => decision !== "reject").map(({ id }) => id);
}

async function decide(parts: ConversationParts, proposal: Proposal, signal: AbortSignal): Promise<DecidedHunk[]> {
  const { client } = parts;
  const uris = new Set(proposal.hunks.filter(({ kind }) => kind === "edit").map(({ uri }) => uri));
  const texts = new Map<string, string>();
  for (const uri of uris) {
    await client.buffers.follow(uri);
    texts.set(uri, await client.buffers.textOf(uri));
  }
  const pathOf = (hunk: Hunk): string => relative(parts.folder, fileURLToPath(hunk.uri)).replaceAll("\\", "/");
  const placeOf = (hunk: Hunk): HunkPlace => ({
    path: pathOf(hunk),
    text: texts.get(hunk.uri) ?? "",
    index: proposal.hunks.indexOf(hunk) + 1,
    total: proposal.hunks.length,
  });
  const review = await parts.review(proposal, placeOf, signal);
  if (signal.aborted) return [];
  for (const uri of uris) await client.buffers.follow(uri);
  const { proposalId } = proposal;
  const failures: string[] = [];
  const { mismatched, ...carried } = await carryOut(
    { ...decisionPorts(client, (failure) => void failures.push(failure)), notMerged: "not merged here" },
    { proposalId, hunks: review.decisions, then: review.then },
  );
  const conflicts = [...carried.conflicts];
  const lost = mismatched === undefined ? [] : accepted(review).filter((id) => !conflicts.includes(id));
  if (lost.length > 0) {
    // What was verified is decided, and what was not waits again: the model is told, and the turn goes on.
    const { hunks, state: now } = await client.request("agentq/openProposal", { proposalId });
    const waiting = hunks.filter(({ id, state }) => lost.includes(id) && (state === "pending" || state === "conflict"));
    const refused = waiting.map(({ id }) => refusal(id, [NOT_THERE, ...new Set(failures)].join(": ")));
    // A turn that was cancelled meanwhile has withdrawn it.
    if (now === "pending") await client.request("agentq/decide", { proposalId, hunks: refused, then: review.then });
    conflicts.push(...refused.map(({ id }) => id));
  }
  return review.decisions.flatMap((decision) => {
    const hunk = proposal.hunks.find(({ id }) => id === decision.id);
    if (hunk === undefined) return [];
    const place = `${pathOf(hunk)}:${hunk.range.start.line + 1}`;
    const applied = decision.decision !== "reject" && !conflicts.includes(hunk.id);
    return [{ hunk, place, decision, applied }];
  });
}
