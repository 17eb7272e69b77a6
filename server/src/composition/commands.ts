/** The part of the composition that gives slash commands what they ask. */
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { CompletionPorts } from "../conversation/completion/complete-prompt.ts";
import type { OwnCommandPorts } from "../conversation/commands/own/own-commands.ts";
import type { ModelChoices } from "../conversation/model-choices.ts";
import type { Spending } from "../conversation/spending/spending.ts";
import type { ContextPorts } from "../conversation/context/context-ports.ts";
import { SessionContexts } from "../conversation/context/session-contexts.ts";
import { Prompts } from "../conversation/prompts.ts";
import { listTurns, rewind } from "../conversation/rewind.ts";
import type { Sessions } from "../conversation/sessions.ts";
import { StoredSessions } from "../conversation/stored-sessions.ts";
import type { Services } from "../services.ts";
import { given } from "../base/given.ts";
import type { ProposalStore } from "../proposals/proposal-store.ts";
import { ownPlace } from "../process/own-place.ts";
import { stateFolder } from "../storage/state-folder.ts";
import type { ToolExecutor } from "../tools/run/executor.ts";
import type { ToolRegistry } from "../tools/run/registry.ts";
import { realPathOf } from "../workspace/real-path.ts";

interface CommandParts {
  readonly context: ContextPorts;
  readonly completion: Omit<CompletionPorts, "commands">;
  readonly sessions: Sessions;
  readonly kept: ConstructorParameters<typeof StoredSessions>[0];
  readonly proposals: ProposalStore;
  readonly spending: Pick<Spending, "tell">;
  readonly modelChoices: ModelChoices;
  readonly tools: () => Promise<{ readonly executor: ToolExecutor; readonly registry: ToolRegistry }>;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly own: OwnCommandPorts;
}

export function composePrompts(parts: CommandParts): Pick<Services, "prompts" | "storedSessions" | "contexts"> {
  const { context, sessions, kept, proposals, tools } = parts;
  const storedSessions = new StoredSessions(kept);
  const contexts = new SessionContexts(context, kept.keptSessions);
  const prompts = new Prompts(sessions, contexts, {
    context,
    completion: parts.completion,
    own: parts.own,
    callTool: async (name, args, { sessionId, signal }) => {
      const { executor } = await tools();
      const call = { id: randomUUID(), name, arguments: args };
      return executor.execute(call, { caller: "person", signal, ...given({ sessionId }) });
    },
    listTools: async () => {
      const { registry } = await tools();
      await registry.settled();
      return registry.listTools({});
    },
    stored: storedSessions,
    turns: (sessionId) => listTurns(sessions, proposals.known, sessionId),
    rewind: (sessionId, turnId) => rewind(sessions, proposals, { sessionId, turnId }),
    compact: (sessionId, wish, signal) => sessions.compact(sessionId, wish, signal),
    undoCompaction: (sessionId) => sessions.undoCompaction(sessionId),
    spending: (sessionId) => parts.spending.tell(sessionId),
    models: parts.modelChoices,
    proposals: () => proposals.known.list(),
    undo: (proposalId) => proposals.undo(proposalId),
    writePage: (name, text) => writePage(parts, name, text),
  });
  return { prompts, storedSessions, contexts };
}

/** Only the person can read it. */
async function writePage({ variables }: CommandParts, name: string, text: string): Promise<string> {
  const realPath = (path: string): string => realPathOf(path)?.path ?? path;
  const state = stateFolder({ platform: process.platform, home: homedir(), variables, realPath });
  const exports = ownPlace(join(state, "exports"));
  if ("problem" in exports) throw new Error(exports.problem);
  const file = join(exports.folder, name);
  await writeFile(file, text, { mode: 0o600 });
  return file;
}
