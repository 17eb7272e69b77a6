/** The parameters of the requests about proposals, as `methods.ts` has those of all. */
const someHunks = {
  type: "object",
  properties: { proposalId: { type: "string" }, hunkIds: { type: "array", items: { type: "string" } } },
  required: ["proposalId"],
  additionalProperties: false,
} as const;

const lineIndexes = { type: "array", items: { type: "integer", minimum: 0 } } as const;

const chosenLines = {
  type: "object",
  properties: { old: lineIndexes, new: lineIndexes },
  additionalProperties: false,
} as const;

/** What may be said of a hunk when it is decided, or asked about. */
const decided = {
  id: { type: "string" },
  decision: { enum: ["accept", "edit", "reject"] },
  newText: { type: "string" },
  currentText: { type: "string" },
  lines: chosenLines,
} as const;

const decidedHunks = {
  type: "array",
  items: { type: "object", properties: decided, required: ["id", "decision"], additionalProperties: false },
} as const;

export const proposalRequestParams = {
  "agentq/listProposals": {
    type: "object",
    properties: { state: { enum: ["pending", "applied", "partiallyApplied", "rejected", "withdrawn"] } },
    additionalProperties: false,
  },
  "agentq/openProposal": {
    type: "object",
    properties: { proposalId: { type: "string" } },
    required: ["proposalId"],
    additionalProperties: false,
  },
  "agentq/checkSubset": {
    type: "object",
    properties: {
      proposalId: { type: "string" },
      hunks: decidedHunks,
    },
    required: ["proposalId", "hunks"],
    additionalProperties: false,
  },
  "agentq/undoProposal": someHunks,
  "agentq/reopenProposal": someHunks,
  "agentq/exportProposal": someHunks,
  "agentq/listTurns": {
    type: "object",
    properties: { sessionId: { type: "string" } },
    additionalProperties: false,
  },
  "agentq/rewind": {
    type: "object",
    properties: { sessionId: { type: "string" }, turnId: { type: "string" } },
    required: ["sessionId"],
    additionalProperties: false,
  },
  "agentq/decide": {
    type: "object",
    properties: {
      proposalId: { type: "string" },
      hunks: {
        type: "array",
        items: {
          type: "object",
          properties: { ...decided, reason: { type: "string" }, by: { enum: ["program"] } },
          required: ["id", "decision"],
          additionalProperties: false,
        },
      },
      message: { type: "string" },
      then: { enum: ["continue", "stop"] },
    },
    required: ["proposalId", "hunks"],
    additionalProperties: false,
  },
  "agentq/splitHunk": {
    type: "object",
    properties: { proposalId: { type: "string" }, hunkId: { type: "string" } },
    required: ["proposalId", "hunkId"],
    additionalProperties: false,
  },
  "agentq/testSubset": {
    type: "object",
    properties: {
      proposalId: { type: "string" },
      hunks: decidedHunks,
      workDoneToken: { type: ["string", "integer"] },
    },
    required: ["proposalId", "hunks"],
    additionalProperties: false,
  },
  "agentq/didApply": {
    type: "object",
    properties: {
      proposalId: { type: "string" },
      documents: {
        type: "array",
        items: {
          type: "object",
          properties: {
            uri: { type: "string" },
            version: { type: ["integer", "null"] },
            sha256: { type: ["string", "null"] },
          },
          required: ["uri"],
          additionalProperties: false,
        },
      },
    },
    required: ["proposalId", "documents"],
    additionalProperties: false,
  },
} as const;
