/** The part of the composition that gives a conversation its sight of the project. */
import type { SeenDocument } from "../conversation/last-seen.ts";
import type { SightPorts } from "../conversation/sight.ts";
import type { KeptSessions } from "../conversation/kept-sessions.ts";
import { SessionNamer, type NamerPorts } from "../conversation/session-namer.ts";
import type { ClientPort } from "../services.ts";
import { given } from "../base/given.ts";
import type { SurroundingsPorts } from "./surroundings.ts";
import type { Lazy } from "../base/lazy.ts";
import type { Repl } from "../repl/repl.ts";
import type { Spending } from "../conversation/spending/spending.ts";
import type { ProposalStore } from "../proposals/proposal-store.ts";
import type { Approvals } from "../tools/consent/approvals.ts";
import type { Documents } from "../workspace/documents.ts";
import type { WorkspacePaths } from "../workspace/workspace-paths.ts";
import type { SessionInfo } from "../protocol/session-shapes.ts";
import { errorText } from "../base/errors.ts";
import type { Approval } from "../protocol/tool-shapes.ts";

interface ConversationParts {
  readonly documents: Documents;
  readonly paths: WorkspacePaths;
  readonly proposals: ProposalStore;
  readonly repl: Lazy<Repl>;
}

/** More than the history keeps is not counted. */
const COUNTED = 500;

export function conversationPorts(parts: ConversationParts): Omit<SightPorts, keyof SurroundingsPorts> {
  const { documents, paths, proposals, repl } = parts;
  const read = async (name: string, known?: string): Promise<SeenDocument | { reason: string }> => {
    const resolution = paths.resolve(name);
    if (!resolution.ok) return resolution;
    const { uri, relative } = resolution.path;
    if (known !== undefined && documents.get(uri) === undefined) {
      return { uri, path: relative, text: known, isUnsaved: false };
    }
    try {
      const document = await documents.read(uri, relative);
      if (document === undefined) return { reason: `${relative} does not exist.` };
      const isOpen = documents.get(document.uri) !== undefined;
      const isUnsaved = isOpen && (await documents.readDisk(document.uri)) !== document.text;
      return { uri: document.uri, path: relative, text: document.text, isUnsaved };
    } catch (error) {
      return { reason: errorText(error) };
    }
  };
  return {
    onOpened: (listener) => {
      documents.subscribe({
        didOpen: ({ uri, text }) => {
          const resolution = paths.resolve(uri);
          if (resolution.ok) listener({ uri, text, path: resolution.path.relative });
        },
      });
    },
    readSeen: async (uri, known) => {
      const document = await read(uri, known);
      return "reason" in document ? undefined : document;
    },
    resolvePath: (name) => {
      const resolution = paths.resolve(name);
      return resolution.ok ? { uri: resolution.path.uri } : undefined;
    },
    proposedBy: (toolCallId) => proposals.known.urisOf(toolCallId),
    personEvaluations: (since) => {
      const items = repl.peek()?.history({ limit: COUNTED }).items ?? [];
      return items.filter(({ by, at }) => by === "person" && at > since).length;
    },
    replState: () => {
      const { confinement, consent, confinementDetail, pid } = repl.peek()?.status() ?? {};
      const mode = confinement === undefined ? undefined : `${confinement} ${consent}`;
      return { words: confinementDetail ?? "", ...given({ mode, process: pid }) };
    },
  };
}

export function composeNamer(
  client: Pick<ClientPort, "notify" | "log">,
  models: Pick<NamerPorts, "model" | "smallModel">,
  { keptSessions, spending }: { readonly keptSessions: KeptSessions; readonly spending: Pick<Spending, "metered"> },
  mode: NamerPorts["mode"],
): SessionNamer {
  const metered: NamerPorts["metered"] = (model, turn) => spending.metered(model, { ...turn, isQuiet: true });
  const onNamed = (session: SessionInfo): void => client.notify("agentq/sessionChanged", session);
  return new SessionNamer({
    ...models,
    metered,
    keptSessions,
    mode,
    onNamed,
    log: (message) => client.log("warning", message),
  });
}

/** Whether a turn goes on after so many requests. Never rejects. */
export function askToGoOn(
  approvals: Approvals,
  { sessionId, requests }: { readonly sessionId: string; readonly requests: number },
  signal: AbortSignal,
): Promise<boolean> {
  const question = {
    sessionId,
    tool: "go_on",
    arguments: {},
    question: `The turn has used ${requests} model requests. Go on?`,
    why: "A turn asks after so many requests whether it shall go on.",
    risk: "Each further request costs what the conversation's length costs; what was done stays either way.",
    answers: { approved: "Go on", denied: "End the turn" },
  };
  return askWhether(approvals, question, signal);
}

/** What belongs to no call. Answers false where nobody can be asked. Never rejects. */
export async function askWhether(
  approvals: Approvals,
  question: Omit<Approval, "approvalId">,
  signal: AbortSignal,
): Promise<boolean> {
  if (!approvals.canAsk()) return false;
  return (await approvals.put(question, signal))?.decision === "approved";
}
