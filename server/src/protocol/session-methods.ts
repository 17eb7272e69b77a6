/** The parameters of the requests about conversations that are kept, as `methods.ts` has those of all. */
const cursor = { type: "string", pattern: "^\\d{1,15}$" } as const;

const session = {
  type: "object",
  properties: { sessionId: { type: "string" } },
  required: ["sessionId"],
  additionalProperties: false,
} as const;

export const sessionRequestParams = {
  "agentq/listSessions": {
    type: "object",
    properties: { limit: { type: "integer", minimum: 1, maximum: 1_000 }, cursor },
    additionalProperties: false,
  },
  "agentq/openSession": {
    type: "object",
    properties: {
      sessionId: { type: "string" },
      lastTurns: { type: "integer", minimum: 1, description: "Only so many turns; all when absent." },
      limit: { type: "integer", minimum: 1, maximum: 500 },
      cursor,
    },
    required: ["sessionId"],
    additionalProperties: false,
  },
  "agentq/renameSession": {
    type: "object",
    properties: { sessionId: { type: "string" }, name: { type: "string", maxLength: 200 } },
    required: ["sessionId", "name"],
    additionalProperties: false,
  },
  "agentq/deleteSession": session,
  "agentq/searchSessions": {
    type: "object",
    properties: {
      text: { type: "string", minLength: 1, maxLength: 1_000 },
      limit: { type: "integer", minimum: 1, maximum: 200 },
    },
    required: ["text"],
    additionalProperties: false,
  },
  "agentq/exportSession": {
    type: "object",
    properties: { sessionId: { type: "string" }, format: { enum: ["markdown", "json"] } },
    required: ["sessionId"],
    additionalProperties: false,
  },
  "agentq/forkSession": {
    type: "object",
    properties: {
      sessionId: { type: "string" },
      turnId: { type: "string", description: "The fork ends before this message of the person's." },
      itemId: { type: "string", pattern: "^\\d{1,15}$", description: "The fork ends with this event." },
    },
    required: ["sessionId"],
    additionalProperties: false,
  },
} as const;
