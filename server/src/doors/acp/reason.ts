/**
 * What the person says with a no. ACP's questions have no place for words, so a form asks for them; for a call the form also
 * takes other arguments, with which the call then runs.
 */
import { isDeepStrictEqual } from "node:util";
import { methods, type AgentContext, type ClientCapabilities, type ElicitationSchema } from "@agentclientprotocol/sdk";
import { isObject } from "../../base/is-object.ts";

type Arguments = Readonly<Record<string, unknown>>;

export interface Refusal {
  /** Empty where there are no words. */
  readonly reason: string;
  /** There only where the person changed the arguments and ticked that the call runs with them. */
  readonly changed?: Arguments;
}

interface Asked {
  readonly toolCallId: string;
  readonly message: string;
  /** Of a call, which may run with others. */
  readonly args?: Arguments;
}

/** Contract of what comes back: never rejects; there are no words where the client has no forms. */
export type AskReason = (asked: Asked, signal: AbortSignal) => Promise<Refusal>;

const REASON = { type: "string", title: "Reason", description: "The agent reads it. It may stay empty." } as const;
const RUN = { type: "boolean", title: "Run the call with the changed arguments", default: false } as const;

function schemaFor(args: Arguments | undefined): ElicitationSchema {
  if (args === undefined) return { type: "object", properties: { reason: REASON } };
  const shown = { type: "string" as const, title: "Arguments, as JSON", default: JSON.stringify(args, undefined, 2) };
  return { type: "object", properties: { reason: REASON, arguments: shown, run: RUN } };
}

export function reasonAsker(client: AgentContext, sessionId: string, capabilities: ClientCapabilities): AskReason {
  if (capabilities.elicitation?.form === undefined || capabilities.elicitation.form === null)
    return async () => ({ reason: "" });
  return async ({ toolCallId, message, args }, signal) => {
    const requestedSchema = schemaFor(args);
    const form = { mode: "form", sessionId, toolCallId, message, requestedSchema } as const;
    const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
    const answer: unknown = await client
      .request(methods.client.elicitation.create, form, options)
      .catch(() => undefined);
    const { action, content } = (answer ?? {}) as { readonly action?: unknown; readonly content?: Arguments | null };
    return action === "accept" ? refusalIn(content ?? {}, args) : { reason: "" };
  };
}

/** Whatever is not clearly another call stays a no. */
function refusalIn({ reason, arguments: written, run }: Arguments, args: Arguments | undefined): Refusal {
  const words = typeof reason === "string" ? reason.trim() : "";
  if (args === undefined || run !== true || typeof written !== "string") return { reason: words };
  try {
    const changed: unknown = JSON.parse(written);
    if (isObject(changed) && !isDeepStrictEqual(changed, args)) return { reason: words, changed };
    return { reason: words };
  } catch {
    return { reason: `${words} (The changed arguments are no JSON, so nothing was run.)`.trim() };
  }
}
