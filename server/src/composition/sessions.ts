/** The part of the composition that holds conversations, with all that they need of everybody else. */
import { systemPrompt } from "../agent/system-prompt.ts";
import { askToGoOn, conversationPorts } from "./conversation.ts";
import { instructionPorts, surroundingsPorts } from "./surroundings.ts";
import type { ComposedModels } from "./models.ts";
import type { ComposedTools, ToolParts } from "./tools.ts";
import type { ContextPorts } from "../conversation/context/context-ports.ts";
import type { Delegations } from "../conversation/delegate.ts";
import type { SessionPorts } from "../conversation/session.ts";
import type { SessionNamer } from "../conversation/session-namer.ts";
import { Sessions } from "../conversation/sessions.ts";
import type { Lazy } from "../base/lazy.ts";
import type { Repl } from "../repl/repl.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { RememberedCalls } from "../tools/consent/remembered-calls.ts";

interface SessionParts
  extends
    Pick<ToolParts, "client" | "setup" | "documents" | "paths" | "approvals" | "proposals" | "telemetry" | "logBug">,
    Pick<SessionPorts, "spending" | "keptSessions" | "storage">,
    Pick<ComposedModels, "modelPorts"> {
  readonly context: ContextPorts;
  readonly namer: Pick<SessionNamer, "turnEnded">;
  readonly remembered: RememberedCalls;
  readonly delegations: Pick<Delegations, "runner" | "send" | "asks" | "has">;
  readonly repl: Lazy<Repl>;
  readonly sandbox: Lazy<Sandbox>;
  readonly tools: Lazy<ComposedTools>;
}

export function composeSessions(parts: SessionParts): Sessions {
  const { client, setup, approvals, delegations, tools, logBug, spending, keptSessions, storage } = parts;
  return new Sessions({
    ...parts.modelPorts,
    spending,
    tools: async () => delegations.runner((await tools()).executor),
    keptSessions,
    storage,
    system: (sessionId) =>
      systemPrompt({ canPropose: client.announced().proposals, onlyLooks: delegations.has(sessionId) }),
    ...surroundingsPorts(parts),
    ...instructionPorts({ ...parts, mode: setup.settings.instructions ?? "ask" }),
    ...conversationPorts(parts),
    ...parts.context,
    onTurnEnded: (...ended) => parts.namer.turnEnded(...ended),
    compactAt: (setup.settings.sessions.compactAt ?? 80) / 100,
    proposalNews: (sessionId) => parts.proposals.takeNews(sessionId),
    openCalls: (sessionId) => parts.proposals.known.openCalls(sessionId),
    onTurn: (sessionId) => void tools().then(({ baselines }) => baselines.begin(sessionId), logBug),
    watchTurn: (sessionId, model) => parts.telemetry.turn({ sessionId, parent: delegations.asks(sessionId), model }),
    mayGoOn: (sessionId, requests, signal) => askToGoOn(approvals, { sessionId, requests }, signal),
    send: (method, params) => delegations.send(method, params),
    logBug,
  });
}
