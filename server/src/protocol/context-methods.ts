/** The parameters of what goes along with prompts, as `methods.ts` has those of all requests. */
export const range = {
  type: "object",
  properties: {
    start: {
      type: "object",
      properties: { line: { type: "integer" }, character: { type: "integer" } },
      required: ["line", "character"],
    },
    end: {
      type: "object",
      properties: { line: { type: "integer" }, character: { type: "integer" } },
      required: ["line", "character"],
    },
  },
  required: ["start", "end"],
} as const;

export const contextRef = {
  type: "object",
  properties: {
    kind: {
      enum: ["file", "folder", "selection", "symbol", "buffer", "diagnostics", "replValue", "diff", "image", "text"],
    },
    uri: { type: "string" },
    range,
    symbol: { type: "string" },
    text: { type: "string" },
    label: { type: "string" },
  },
  required: ["kind"],
  additionalProperties: false,
} as const;

/** A diagnostic as an editor shows one, with the severities of LSP. */
export const shownDiagnostic = {
  type: "object",
  properties: {
    range,
    severity: { enum: [1, 2, 3, 4] },
    message: { type: "string" },
    source: { type: "string" },
  },
  required: ["range", "message"],
  additionalProperties: false,
} as const;

/** Without it the list is that of the conversation which the next prompt begins. */
const sessionId = { type: "string" } as const;

const ofSession = { type: "object", properties: { sessionId }, additionalProperties: false } as const;

export const contextRequestParams = {
  "agentq/addContext": {
    type: "object",
    properties: { sessionId, items: { type: "array", items: contextRef, minItems: 1, maxItems: 50 } },
    required: ["items"],
    additionalProperties: false,
  },
  "agentq/listContext": ofSession,
  "agentq/removeContext": {
    type: "object",
    properties: { sessionId, ids: { type: "array", items: { type: "string" }, minItems: 1 } },
    required: ["ids"],
    additionalProperties: false,
  },
  "agentq/clearContext": ofSession,
} as const;
