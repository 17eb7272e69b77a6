/** Requests about proposals: to see them, to decide them, and what can be made of them later. */
import { listTurns, rewind } from "../conversation/rewind.ts";
import type { ProposalStore } from "../proposals/proposal-store.ts";
import type { Review } from "../proposals/review.ts";
import { toProposal } from "../proposals/tracked-proposal.ts";
import type { RequestHandlers } from "./requests.ts";
import type { ClientPort, Services } from "../services.ts";

type ProposalMethod =
  | "agentq/listProposals"
  | "agentq/openProposal"
  | "agentq/checkSubset"
  | "agentq/undoProposal"
  | "agentq/reopenProposal"
  | "agentq/exportProposal"
  | "agentq/listTurns"
  | "agentq/rewind"
  | "agentq/decide"
  | "agentq/splitHunk"
  | "agentq/testSubset"
  | "agentq/didApply";

const CHANGED = "The text at its place changed.";
const NOT_VERIFIED = "What was approved does not stand in the documents, or nothing waited to be applied.";

export function proposalHandlers(services: Services, client: ClientPort): Pick<RequestHandlers, ProposalMethod> {
  /** Once what earlier servers left is there too. */
  const proposals = async (): Promise<ProposalStore> => {
    await services.keptReviews();
    return services.proposals;
  };
  const reviewOf = async (proposalId: string): Promise<Review> => (await proposals()).review(proposalId);
  return {
    "agentq/listProposals": async ({ state }) => {
      const items = await (await proposals()).known.list(state);
      return { items, total: items.length };
    },
    "agentq/openProposal": async ({ proposalId }) => (await reviewOf(proposalId)).openNewest(),
    "agentq/checkSubset": async ({ proposalId, hunks }, signal) =>
      (await reviewOf(proposalId)).checkSubset(hunks, signal),
    "agentq/undoProposal": async ({ proposalId, hunkIds }) => (await proposals()).undo(proposalId, hunkIds),
    "agentq/reopenProposal": async ({ proposalId, hunkIds }) => (await proposals()).reopen(proposalId, hunkIds),
    "agentq/exportProposal": async ({ proposalId, hunkIds }) => (await proposals()).patch(proposalId, hunkIds),
    "agentq/listTurns": async ({ sessionId }) => {
      const items = await listTurns(services.sessions, (await proposals()).known, sessionId);
      return { items, total: items.length };
    },
    "agentq/rewind": async (params) => rewind(services.sessions, await proposals(), params),
    "agentq/decide": async (params) => {
      const review = await reviewOf(params.proposalId);
      const decided = await review.decide(params);
      const { hunks } = toProposal(review.tracked);
      const stopped = hunks.filter(({ id }) => decided.conflicts.includes(id));
      const detail = stopped.map(({ id, conflict = CHANGED }) => `${id} cannot be applied: ${conflict}`).join(" ");
      if (detail !== "") services.decisions.note("agentq/decide", params, { outcome: "failed", detail });
      return decided;
    },
    "agentq/splitHunk": async ({ proposalId, hunkId }) => ({
      hunkIds: (await reviewOf(proposalId)).split(hunkId),
    }),
    "agentq/testSubset": async ({ proposalId, hunks, workDoneToken }, signal) => {
      const { tests } = await services.tools();
      return client.showLong("Testing the proposal", workDoneToken, tests.run({ proposalId, hunks }, signal));
    },
    "agentq/didApply": async (params) => {
      const told = await (await reviewOf(params.proposalId)).didApply(params.documents);
      if (!told.verified)
        services.decisions.note("agentq/didApply", params, { outcome: "failed", detail: NOT_VERIFIED });
      return told;
    },
  };
}
