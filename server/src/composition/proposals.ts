/** The part of the composition that tells the client of proposals, and has those checked that no tool makes. */
import type { Parts } from "./parts.ts";
import type { Services } from "../services.ts";
import { lazy } from "../base/lazy.ts";
import { ProposalStore } from "../proposals/proposal-store.ts";
import { watchDecisions } from "../proposals/watch-decisions.ts";
import type { Proposal } from "../protocol/proposal-shapes.ts";
import { checksOf } from "../tools/edit/later-checks.ts";
import type { TypeScriptService } from "../typescript/typescript-service.ts";
import { fileOfUri } from "../workspace/file-uri.ts";
import { whyNotLinked } from "../workspace/link-target.ts";

interface ProposalParts extends Pick<Parts, "client" | "documents" | "paths"> {
  readonly typescript: () => Promise<TypeScriptService>;
  readonly onDecided: (proposal: Proposal) => void;
  /** The server itself changed files. */
  readonly onPut: Services["didChangeWatchedFiles"];
}

export function composeProposals(parts: ProposalParts): ProposalStore {
  const { client, documents, paths, typescript, onDecided, onPut } = parts;
  const isDecidedAnew = watchDecisions();
  return new ProposalStore({
    documents,
    whyMoved: (uri) => paths.whyMoved(uri),
    placeOf: (uri) => paths.placeOf(fileOfUri(uri) ?? uri),
    whyNotLinked: ({ root, names }, entry) =>
      entry?.kind === "link" ? whyNotLinked(root, names, entry.target) : undefined,
    onPut,
    check: (...asked) => checksOf(typescript, ...asked),
    onProposal: (proposal) => client.notify("agentq/proposal", proposal),
    onChanged: (proposal) => {
      if (isDecidedAnew(proposal)) onDecided(proposal);
      client.notify("agentq/proposalChanged", proposal);
    },
    onTrouble: (message) => client.warn(message),
  });
}

/** Announces, once, what earlier servers left. Somebody who cannot review a proposal leaves it to the next one. */
export function keptReviews(parts: Pick<Parts, "client" | "proposals" | "storage" | "logBug">): () => Promise<void> {
  const { client, proposals, storage, logBug } = parts;
  return lazy(async () => {
    await storage();
    if (client.announced().proposals) await proposals.takeUp().catch(logBug);
  });
}
