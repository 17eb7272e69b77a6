/** The part of the composition that tells the client of proposals, and has those checked that no tool makes. */
import { untilAborted } from "./abort.ts";
import type { ClientPort } from "./handlers/services.ts";
import { lazy, type Lazy } from "./lazy.ts";
import { ProposalStore, type ProposalPorts } from "./proposals/proposal-store.ts";
import type { ProposalChecks, ProposedDocument } from "./proposals/proposal.ts";
import { errorText } from "./protocol/errors.ts";
import type { Check } from "./protocol/shapes.ts";
import type { TypeScriptService } from "./typescript/typescript-service.ts";

interface ProposalParts extends Omit<ProposalPorts, "onProposal" | "onChanged" | "onLost"> {
  readonly client: ClientPort;
  readonly onDecided: (proposalId: string) => void;
}

export function composeProposals({ client, onDecided, ...ports }: ProposalParts): ProposalStore {
  return new ProposalStore({
    ...ports,
    onProposal: (proposal) => client.notify("agentq/proposal", proposal),
    onChanged: (proposal) => {
      if (proposal.state !== "pending") onDecided(proposal.proposalId);
      client.notify("agentq/proposalChanged", proposal);
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

/** The compiler's word on a proposal that no tool of this server makes. */
export function checksOf(
  typescript: Lazy<TypeScriptService>,
  documents: readonly ProposedDocument[],
  signal: AbortSignal,
): ProposalChecks {
  const loading = Promise.all([typescript(), import("./tools/edit/compiler-check.ts")]);
  const edit = loading.then(([service, { EditCheck }]) => {
    return new EditCheck({ typescript: service, documents, related: [] }, signal);
  });
  const unavailable = (error: unknown): Check => {
    return { state: "unavailable", introduced: [], resolved: [], reason: errorText(error) };
  };
  return {
    check: edit.then(({ proposed }) => proposed).catch(unavailable),
    checkTexts: async (texts, until) =>
      untilAborted(edit, until).then(
        (check) => check.texts(texts, until),
        (error: unknown) => {
          until.throwIfAborted();
          return unavailable(error);
        },
      ),
  };
}
