/** The proposals that wait for the person, oldest first, and which of their hunks are open. */
import type { Hunk, HunkDecision, Proposal } from "../../server/src/protocol/proposal-shapes.ts";

/** Names a hunk among those of all proposals. */
export interface HunkName {
  readonly proposalId: string;
  readonly hunkId: string;
}

export class Waiting {
  readonly #byId = new Map<string, Proposal>();
  /** Known from a server that is gone, and not yet told of by the one that came. */
  readonly #doubtful = new Set<string>();

  get all(): readonly Proposal[] {
    return [...this.#byId.values()];
  }

  get(proposalId: string): Proposal | undefined {
    return this.#byId.get(proposalId);
  }

  find({ proposalId, hunkId }: HunkName): Hunk | undefined {
    return this.get(proposalId)?.hunks.find(({ id }) => id === hunkId);
  }

  /** A proposal that is settled waits no more. */
  put(proposal: Proposal): void {
    this.#doubtful.delete(proposal.proposalId);
    if (proposal.state === "pending" && openHunks(proposal).length > 0) this.#byId.set(proposal.proposalId, proposal);
    else this.#byId.delete(proposal.proposalId);
  }

  /** The server is gone: its successor says which of the proposals it has. */
  doubt(): void {
    for (const id of this.#byId.keys()) this.#doubtful.add(id);
  }

  /** What a server that has just started answers. Returns the proposals that did not come back. */
  take(listed: readonly Proposal[]): readonly Proposal[] {
    for (const proposal of listed) this.put(proposal);
    const lost = this.all.filter(({ proposalId }) => this.#doubtful.has(proposalId));
    for (const { proposalId } of lost) this.#byId.delete(proposalId);
    this.#doubtful.clear();
    return lost;
  }

  get count(): number {
    return this.all.reduce((sum, proposal) => sum + openHunks(proposal).length, 0);
  }
}

/** Does the person still have to decide? A conflict is no end. */
export function isOpen({ state }: Hunk): boolean {
  return state === "pending" || state === "conflict";
}

export function openHunks({ hunks }: Proposal): readonly Hunk[] {
  return hunks.filter(isOpen);
}

/** The hunks that wait, by the file that they are about, in the order of the proposal. */
export function byFile(proposal: Proposal): ReadonlyMap<string, readonly Hunk[]> {
  const files = new Map<string, Hunk[]>();
  for (const hunk of openHunks(proposal)) {
    const known = files.get(hunk.uri);
    if (known === undefined) files.set(hunk.uri, [hunk]);
    else known.push(hunk);
  }
  return files;
}

/** The decisions, and acceptances of the hunks without which the accepted ones bring errors in. */
export function withRequired(proposal: Proposal, chosen: readonly HunkDecision[]): readonly HunkDecision[] {
  const all = [...chosen];
  // Appending while iterating is wanted: what a required hunk requires comes along too.
  for (const { id, decision } of all) {
    if (decision === "reject") continue;
    for (const required of proposal.hunks.find((hunk) => hunk.id === id)?.requires ?? []) {
      const hunk = proposal.hunks.find((other) => other.id === required);
      if (hunk?.state === "pending" && !all.some((other) => other.id === required))
        all.push({ id: required, decision: "accept" });
    }
  }
  return all;
}
