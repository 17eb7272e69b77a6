/** Why the person said no, for the model: ACP's questions have no place for words, so a form asks for them. */
import { methods, type AgentContext, type ClientCapabilities } from "@agentclientprotocol/sdk";

const SCHEMA = {
  type: "object",
  properties: { reason: { type: "string", title: "Reason", description: "The agent reads it. It may stay empty." } },
} as const;

/** Contract of what comes back: never rejects; empty where there are no words, or the client has no forms. */
export type AskReason = (toolCallId: string, message: string, signal: AbortSignal) => Promise<string>;

export function reasonAsker(client: AgentContext, sessionId: string, capabilities: ClientCapabilities): AskReason {
  if (capabilities.elicitation?.form === undefined || capabilities.elicitation.form === null) return async () => "";
  return async (toolCallId, message, signal) => {
    const form = { mode: "form", sessionId, toolCallId, message, requestedSchema: SCHEMA } as const;
    const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
    const answer: unknown = await client
      .request(methods.client.elicitation.create, form, options)
      .catch(() => undefined);
    const { action, content } = (answer ?? {}) as {
      readonly action?: unknown;
      readonly content?: Readonly<Record<string, unknown>> | null;
    };
    const reason = action === "accept" ? content?.["reason"] : undefined;
    return typeof reason === "string" ? reason.trim() : "";
  };
}
