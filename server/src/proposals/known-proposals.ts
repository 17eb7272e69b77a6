/** What a server can say of all proposals: those of its own, and the decided ones of others that are kept. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Proposal } from "../protocol/proposal-shapes.ts";
import type { KeptProposals } from "./kept/kept-proposals.ts";
import { wasApplied } from "./hunk-state.ts";
import type { ProposalTurn } from "./proposal.ts";
import { isPending, proposalState } from "./proposal-state.ts";
import { toProposal, type Tracked } from "./tracked-proposal.ts";

/** A turn with one of its proposals, and how many hunks of that one were applied. */
export interface ProposedIn {
  readonly sessionId: string;
  readonly turn: ProposalTurn;
  readonly applied: number;
}

export class KnownProposals {
  readonly #own: ReadonlyMap<string, { readonly tracked: Tracked }>;
  readonly #kept: Pick<KeptProposals, "decided" | "read">;

  /** `own` has the proposals of this server by their ids, whatever their state. */
  constructor(own: ReadonlyMap<string, { readonly tracked: Tracked }>, kept: Pick<KeptProposals, "decided" | "read">) {
    this.#own = own;
    this.#kept = kept;
  }

  /** Oldest first. */
  async list(state?: Proposal["state"]): Promise<Proposal[]> {
    const all = state === "pending" ? inOrder(this.ownOf()) : await this.#all();
    return all.filter((tracked) => state === undefined || proposalState(tracked) === state).map(toProposal);
  }

  pendingCount(): number {
    return this.ownOf().filter(isPending).length;
  }

  /** The documents that a tool call proposed to change. */
  urisOf(toolCallId: string): string[] {
    const own = this.ownOf().filter(({ request }) => request.toolCallId === toolCallId);
    return own.flatMap(urisOf);
  }

  /** The calls of a conversation whose proposals wait for decisions. */
  openCalls(sessionId: string): string[] {
    const open = this.ownOf(sessionId).filter(isPending);
    return open.flatMap(({ request }) => request.toolCallId ?? []);
  }

  /** The call whose edit of the document the editor is applying. */
  applying(uri: string): string | undefined {
    const found = this.ownOf().find(({ now }) => now.awaited.some(({ at }) => at.uri === uri));
    return found?.request.toolCallId;
  }

  /** What a session proposed since a turn began, or from the beginning, oldest first. */
  async ofSession(sessionId: string, since?: ProposalTurn): Promise<readonly Tracked[]> {
    const all = await this.#all(sessionId);
    if (since === undefined) return all;
    const first = all.findIndex(({ request }) => request.turn?.id === since.id);
    return first === -1 ? all.filter(({ madeAt }) => madeAt >= Date.parse(since.at)) : all.slice(first);
  }

  /** The turns in which something was proposed, as they are known by their proposals. */
  async turns(sessionId?: string): Promise<readonly ProposedIn[]> {
    const all = await this.#all(sessionId);
    return all.flatMap(({ request: { turn, sessionId: of }, hunks }) => {
      if (turn === undefined || of === undefined) return [];
      return [{ sessionId: of, turn, applied: hunks.filter(wasApplied).length }];
    });
  }

  /** Those of this server, of one session or of all. */
  ownOf(sessionId?: string): Tracked[] {
    const own = [...this.#own.values()].map(({ tracked }) => tracked);
    return sessionId === undefined ? own : own.filter(({ request }) => request.sessionId === sessionId);
  }

  /** Of one session or of all, oldest first. */
  async #all(sessionId?: string): Promise<Tracked[]> {
    const others: Tracked[] = [];
    for (const id of this.#kept.decided(sessionId)) {
      if (this.#own.has(id)) continue;
      // Some are long, and others want to be answered meanwhile.
      await nextTurn();
      others.push(...[this.#kept.read(id) ?? []].flat());
    }
    return inOrder([...others, ...this.ownOf(sessionId)]);
  }
}

function inOrder(all: readonly Tracked[]): Tracked[] {
  return all.toSorted((a, b) => a.madeAt - b.madeAt);
}

export function urisOf({ documents }: Tracked): string[] {
  return documents.flatMap(({ at, from }) => [at.uri, from.uri]);
}
