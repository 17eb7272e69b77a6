/** What the person said while a turn runs, until the model hears it: the requests about it, and its shapes. */
import type { ContextRef } from "./shapes.ts";

const sessionId = { type: "string" } as const;
const promptId = { type: "string" } as const;

export const queueRequestParams = {
  "agentq/listQueue": {
    type: "object",
    properties: { sessionId },
    required: ["sessionId"],
    additionalProperties: false,
  },
  "agentq/editQueued": {
    type: "object",
    properties: { sessionId, promptId, text: { type: "string", minLength: 1 } },
    required: ["sessionId", "promptId", "text"],
    additionalProperties: false,
  },
  "agentq/takeBackQueued": {
    type: "object",
    properties: {
      sessionId,
      promptIds: { type: "array", items: promptId, description: "All when absent." },
    },
    required: ["sessionId"],
    additionalProperties: false,
  },
} as const;

export interface QueuedPrompt {
  readonly promptId: string;
  readonly text: string;
  readonly at: string;
  readonly context?: readonly ContextRef[];
  /** It is not sent by itself any more, because its turn was cancelled or its server ended: somebody takes it back. */
  readonly held?: true;
}
