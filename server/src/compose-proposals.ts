/** The part of the composition that tells the client of proposals, and has those of earlier servers checked anew. */
import type { ComposedTools } from "./compose-tools.ts";
import type { ClientPort } from "./handlers/services.ts";
import { lazy, type Lazy } from "./lazy.ts";
import { ProposalStore } from "./proposals/proposal-store.ts";
import { errorText } from "./protocol/errors.ts";
import type { Check } from "./protocol/shapes.ts";
import type { Documents } from "./workspace/documents.ts";
import type { WorkspacePaths } from "./workspace/workspace-paths.ts";

interface ProposalParts {
  readonly client: ClientPort;
  readonly documents: Documents;
  readonly paths: WorkspacePaths;
  readonly tools: () => Lazy<Pick<ComposedTools, "checksOf" | "tests">>;
}

export function composeProposals({ client, documents, paths, tools }: ProposalParts): ProposalStore {
  return new ProposalStore({
    documents,
    whyMoved: (uri) => paths.whyMoved(uri),
    onProposal: (proposal) => client.notify("agentq/proposal", proposal),
    onChanged: (proposal) => {
      if (proposal.state !== "pending") tools().peek()?.tests.end(proposal.proposalId);
      client.notify("agentq/proposalChanged", proposal);
    },
    checksOf: (request) => {
      const checks = tools()().then((loaded) => loaded.checksOf(request));
      return {
        check: checks.then(async ({ proposed }) => proposed).catch(unavailable),
        checkTexts: async (texts, signal) => {
          const found = await checks.catch(unavailable);
          return "texts" in found ? found.texts(texts, signal) : found;
        },
      };
    },
    onLost: (reason) =>
      client.warn(`Open reviews cannot be kept on the disk any more, and end with the server: ${reason}`),
  });
}

/** Announces, once, what earlier servers left. Somebody who cannot review a proposal leaves it to the next one. */
export function keptReviews(
  client: ClientPort,
  proposals: ProposalStore,
  storage: () => Promise<unknown>,
  logBug: (error: unknown) => void,
): () => Promise<void> {
  return lazy(async () => {
    await storage();
    if (client.announced().proposals) await proposals.takeUp().catch(logBug);
  });
}

function unavailable(error: unknown): Check {
  return { state: "unavailable", introduced: [], resolved: [], reason: errorText(error) };
}
