/** The part of the composition that tells the client of proposals, and has those checked that no tool makes. */
import { untilAborted } from "../base/abort.ts";
import type { ClientPort, Services } from "../services.ts";
import { lazy } from "../base/lazy.ts";
import { ProposalStore } from "../proposals/proposal-store.ts";
import { watchDecisions } from "../proposals/watch-decisions.ts";
import type { ProposalChecks, ProposedDocument } from "../proposals/proposal.ts";
import { errorText } from "../base/errors.ts";
import type { Check, Proposal } from "../protocol/proposal-shapes.ts";
import type { TypeScriptService } from "../typescript/typescript-service.ts";
import type { Documents } from "../workspace/documents.ts";
import { fileOfUri } from "../workspace/file-uri.ts";
import { whyNotLinked } from "../workspace/link-target.ts";
import type { WorkspacePaths } from "../workspace/workspace-paths.ts";

interface ProposalParts {
  readonly client: ClientPort;
  readonly documents: Documents;
  readonly paths: WorkspacePaths;
  readonly typescript: () => Promise<TypeScriptService>;
  readonly onDecided: (proposal: Proposal) => void;
  /** The server itself changed files. */
  readonly onFiles: Services["didChangeWatchedFiles"];
}

export function composeProposals({
  client,
  documents,
  paths,
  typescript,
  onDecided,
  onFiles,
}: ProposalParts): ProposalStore {
  const isDecidedAnew = watchDecisions();
  return new ProposalStore({
    documents,
    whyMoved: (uri) => paths.whyMoved(uri),
    placeOf: (uri) => paths.placeOf(fileOfUri(uri) ?? uri),
    whyNotLinked: ({ root, names }, entry) =>
      entry?.kind === "link" ? whyNotLinked(root, names, entry.target) : undefined,
    onPut: onFiles,
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
function checksOf(
  typescript: () => Promise<TypeScriptService>,
  documents: readonly ProposedDocument[],
  signal: AbortSignal,
): ProposalChecks {
  const loading = Promise.all([typescript(), import("../tools/edit/compiler-check.ts")]);
  const edit = loading.then(([service, { EditCheck }]) => {
    return new EditCheck({ typescript: service, documents, related: [] }, signal);
  });
  const unavailable = (error: unknown): Check => {
    return { state: "unavailable", introduced: [], resolved: [], reason: errorText(error) };
  };
  return {
    judgeAgain: () => checksOf(typescript, documents, signal),
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
