/** The part of the composition that takes what the person says: prompts with their context, and slash commands. */
import { randomUUID } from "node:crypto";
import type { Parts } from "./parts.ts";
import { given } from "../base/given.ts";
import type { CommandPorts } from "../conversation/commands/command-ports.ts";
import { promptFiles } from "../conversation/commands/own/prompt-files.ts";
import { skillFiles } from "../conversation/commands/own/skill-files.ts";
import { Skills } from "../conversation/commands/own/skills.ts";
import { PromptTrust } from "../conversation/commands/own/prompt-trust.ts";
import { ListedFiles } from "../conversation/completion/listed-files.ts";
import type { ContextPorts } from "../conversation/context/context-ports.ts";
import { SessionContexts } from "../conversation/context/session-contexts.ts";
import type { TrustPorts } from "../conversation/instruction-trust.ts";
import { Prompts } from "../conversation/prompts.ts";
import { listTurns, rewind } from "../conversation/rewind.ts";
import { StoredSessions } from "../conversation/stored-sessions.ts";
import type { Services } from "../services.ts";
import { writePage } from "../storage/written-page.ts";

const LOOK_LIMIT_MS = 30_000;

/** What looks up what a person attaches to a prompt or mentions in it. */
export function contextPorts(
  parts: Pick<Parts, "paths" | "texts" | "decisions" | "typescript"> & { readonly tools: Services["tools"] },
): ContextPorts {
  const { paths, texts, decisions, typescript, tools } = parts;
  return {
    paths,
    texts,
    decisions,
    look: (name, args) =>
      callTool(tools, name, args, { sessionId: undefined, signal: AbortSignal.timeout(LOOK_LIMIT_MS) }),
    symbolNames: async () => {
      const [service, { createSymbolNames }] = await Promise.all([
        typescript(),
        import("../tools/introspection/symbol-names.ts"),
      ]);
      return createSymbolNames(service);
    },
  };
}

/** Whether the person trusts what a file of the project says: asked in the same way for instructions and prompts. */
export function trustPorts({
  setup,
  approvals,
  remembered,
}: Pick<Parts, "setup" | "approvals" | "remembered">): TrustPorts {
  return { mode: setup.settings.instructions ?? "ask", approvals, remembered };
}

type PromptParts = Omit<Parts, "tools"> & Pick<Services, "modelChoices" | "tools"> & { readonly context: ContextPorts };

export function composePrompts(parts: PromptParts): Pick<Services, "prompts" | "storedSessions" | "contexts"> {
  const { client, variables, documents, paths, sessions, proposals, tools, context } = parts;
  const storedSessions = new StoredSessions(parts);
  const contexts = new SessionContexts(context, parts.keptSessions);
  const prompts = new Prompts(sessions, contexts, {
    context,
    completion: {
      files: new ListedFiles(documents, paths),
      symbolNames: context.symbolNames,
      repl: parts.repl,
      buffers: async (signal) => (client.announced().buffers ? (await client.buffers.list(signal)).buffers : []),
    },
    own: {
      promptFiles: async () => (await Promise.all([promptFiles(parts)(), skillFiles(parts)()])).flat(),
      promptTrust: new PromptTrust(trustPorts(parts)),
    },
    callTool: (...asked) => callTool(tools, ...asked),
    listTools: async () => {
      const { registry } = await tools();
      await registry.settled();
      return registry.listTools({});
    },
    stored: storedSessions,
    turns: (sessionId) => listTurns(sessions, proposals.known, sessionId),
    rewind: (sessionId, turnId) => rewind(sessions, proposals, { sessionId, turnId }),
    compact: (sessionId, wish, signal) => sessions.compact(sessionId, wish, signal),
    setMode: (sessionId, mode) => sessions.setMode(sessionId, mode),
    undoCompaction: (sessionId) => sessions.undoCompaction(sessionId),
    spending: (sessionId) => parts.spending.tell(sessionId),
    models: parts.modelChoices,
    proposals: () => proposals.known.list(),
    undo: (proposalId) => proposals.undo(proposalId),
    writePage: (name, text) => writePage(variables, name, text),
  });
  return { prompts, storedSessions, contexts };
}

/** What a model may read by itself. */
export function composeSkills(parts: Parameters<typeof trustPorts>[0] & Parameters<typeof skillFiles>[0]): Skills {
  return new Skills({ files: skillFiles(parts), trust: new PromptTrust(trustPorts(parts)) });
}

async function callTool(
  tools: Services["tools"],
  ...[name, args, { sessionId, signal }]: Parameters<CommandPorts["callTool"]>
): ReturnType<CommandPorts["callTool"]> {
  const { executor } = await tools();
  const call = { id: randomUUID(), name, arguments: args };
  return executor.execute(call, { caller: "person", signal, ...given({ sessionId }) });
}
