/** A conversation as a client lives it: shows the events, asks about proposals, applies what was accepted and confirms it. */
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { given } from "../given.ts";
import type { RequestParams } from "../protocol/methods.ts";
import type { Approval, Hunk, HunkDecision, Proposal, TurnEvent } from "../protocol/shapes.ts";
import type { AgentqClient } from "./agentq-client.ts";
import type { HunkPlace } from "./hunk-diff.ts";
import type { Reviewer } from "./review.ts";

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

export interface ConversationParts {
  readonly client: AgentqClient;
  readonly folder: string;
  readonly show: (event: TurnEvent) => void;
  readonly review: Reviewer;
  readonly approve: (approval: Approval) => Promise<ApprovalAnswer>;
  /** Something begins to happen, whether anybody has said something or not. */
  readonly onActivity?: () => void;
}

export class Conversation {
  readonly #parts: ConversationParts;
  /** Notifications are taken one after another, also while a person thinks about a hunk. */
  #last: Promise<void> = Promise.resolve();
  #hunks: DecidedHunk[] = [];
  #ended = Promise.withResolvers<TurnEnd>();
  #running = false;
  sessionId: string | undefined;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
    const { client } = parts;
    this.#ended.promise.catch(() => undefined);
    client.on("agentq/event", ({ sessionId, event }) => this.#inOrder(() => this.#event(sessionId, event)));
    client.on("agentq/proposal", (proposal) => {
      parts.onActivity?.();
      this.#inOrder(async () => void this.#hunks.push(...(await decide(parts, proposal))));
    });
    client.on("agentq/approval", (approval) => {
      parts.onActivity?.();
      this.#inOrder(async () => {
        const { approvalId } = approval;
        await client.request("agentq/answerApproval", { ...(await parts.approve(approval)), approvalId });
      });
    });
    void client.gone.then((reason) =>
      this.#ended.reject(new Error(`The server has stopped in the middle of the turn: ${reason}`)),
    );
  }

  /** Resolves at the end of the turn. Rejects where the prompt is refused, the server stops, or a question fails. */
  async say(text: string): Promise<TurnReport> {
    this.#begin();
    const answered = Promise.withResolvers<void>();
    // Whose events these are is known from the answer, which comes before them.
    this.#last = this.#last.then(() => answered.promise);
    try {
      const { sessionId } = await this.#parts.client.request("agentq/prompt", {
        text,
        ...given({ sessionId: this.sessionId }),
      });
      this.sessionId = sessionId;
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

  async cancel(): Promise<void> {
    if (this.sessionId !== undefined) await this.#parts.client.request("agentq/cancel", { sessionId: this.sessionId });
  }

  #begin(): void {
    this.#hunks = [];
    this.#running = true;
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
    this.#ended.resolve(event);
  }

  #inOrder(work: () => void | Promise<void>): void {
    this.#last = this.#last.then(work).catch((error: unknown) => this.#ended.reject(error));
  }
}

async function decide(parts: ConversationParts, proposal: Proposal): Promise<DecidedHunk[]> {
  const { client } = parts;
  const uris = new Set(proposal.hunks.filter(({ kind }) => kind === "edit").map(({ uri }) => uri));
  const texts = new Map<string, string>();
  for (const uri of uris) texts.set(uri, await client.buffers.textOf(uri));
  const pathOf = (hunk: Hunk): string => relative(parts.folder, fileURLToPath(hunk.uri)).replaceAll("\\", "/");
  const review = await parts.review(proposal, (hunk): HunkPlace => ({
    path: pathOf(hunk),
    text: texts.get(hunk.uri) ?? "",
    index: proposal.hunks.indexOf(hunk) + 1,
    total: proposal.hunks.length,
  }));
  const { proposalId } = proposal;
  const answer = await client.request("agentq/decide", {
    proposalId,
    hunks: [...review.decisions],
    then: review.then,
  });
  if (answer.edit !== null) {
    const documents = await client.buffers.apply(answer.edit);
    const { verified, mismatched } = await client.request("agentq/didApply", { proposalId, documents });
    if (!verified) throw new Error(`the server sees another text than was approved in ${mismatched.join(", ")}`);
  }
  if (answer.conflicts.length > 0) {
    // This client does not merge: what the file has become since stays.
    const rest = answer.conflicts.map((id) => ({ id, decision: "reject" as const, reason: "not merged here" }));
    await client.request("agentq/decide", { proposalId, hunks: rest, then: review.then });
  }
  return review.decisions.flatMap((decision) => {
    const hunk = proposal.hunks.find(({ id }) => id === decision.id);
    if (hunk === undefined) return [];
    const place = `${pathOf(hunk)}:${hunk.range.start.line + 1}`;
    const applied = decision.decision !== "reject" && !answer.conflicts.includes(hunk.id);
    return [{ hunk, place, decision, applied }];
  });
}
