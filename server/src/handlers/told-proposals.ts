/** What a client was told of the proposals that wait, so that news of them leave out what the client knows. */
import { isDeepStrictEqual } from "node:util";
import { given } from "../base/given.ts";
import type { SomeNotification } from "../protocol/methods.ts";
import type { Proposal } from "../protocol/proposal-shapes.ts";

export class ToldProposals {
  readonly #told = new Map<string, Proposal>();

  /** The shortest notification that tells the same to whoever got all the ones before. */
  shortened(notification: SomeNotification): SomeNotification {
    if (notification.method === "agentq/proposal") this.#tell(notification.params);
    if (notification.method !== "agentq/proposalChanged") return notification;
    const { proposalId, hunks, documents, check, tests, state } = notification.params;
    const before = this.#told.get(proposalId)?.hunks;
    this.#tell(notification.params);
    const isSameList = before?.length === hunks.length && hunks.every(({ id }, index) => id === before[index]?.id);
    // A hunk that was cut, and a proposal of which the client may not know: all of it is news.
    if (!isSameList) return notification;
    const changed = hunks.filter((hunk, index) => !isDeepStrictEqual(hunk, before[index]));
    const params = { proposalId, hunks: changed, documents, check, ...given({ tests }), state };
    return { method: "agentq/hunksChanged", params };
  }

  #tell(proposal: Proposal): void {
    if (proposal.state === "pending") this.#told.set(proposal.proposalId, proposal);
    else this.#told.delete(proposal.proposalId);
  }
}
