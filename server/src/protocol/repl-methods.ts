/** The parameters of the requests about the REPL, as `methods.ts` has those of all. */
import { nothing } from "./no-parameters.ts";

const evaluationChanges = {
  type: "object",
  properties: {
    evalId: { type: "string" },
    uris: { type: "array", items: { type: "string" }, description: "All of the evaluation's changes when absent." },
  },
  required: ["evalId"],
  additionalProperties: false,
} as const;

const workDoneToken = {
  type: ["string", "integer"],
  description: "As in LSP: work that takes long reports its progress under this token.",
} as const;

const process = {
  type: "string",
  minLength: 1,
  description: "The id of a running program (agentq/listProcesses), in the place of the REPL.",
} as const;

const position = {
  type: "object",
  properties: { line: { type: "integer", minimum: 0 }, character: { type: "integer", minimum: 0 } },
  required: ["line", "character"],
  additionalProperties: false,
} as const;

export const replRequestParams = {
  "agentq/evaluate": {
    type: "object",
    properties: {
      process,
      code: { type: "string" },
      module: { type: "string", description: "Workspace path or URI of the module whose scope to evaluate in." },
      timeoutMs: { type: "integer", minimum: 1 },
      install: {
        type: "boolean",
        description:
          "The code is declarations: they take the place of the module's own while it runs, without a reload.",
      },
      sessionId: { type: "string" },
      workDoneToken,
    },
    required: ["code"],
    additionalProperties: false,
  },
  "agentq/formAt": {
    type: "object",
    properties: { uri: { type: "string" }, position },
    required: ["uri", "position"],
    additionalProperties: false,
  },
  "agentq/interrupt": {
    type: "object",
    properties: {
      process,
      evalId: {
        type: "string",
        description: "The evaluation to stop; when absent every one that runs, and the person's tool calls.",
      },
    },
    additionalProperties: false,
  },
  "agentq/listProcesses": nothing,
  "agentq/restartRepl": {
    type: "object",
    properties: {
      replay: {
        type: "array",
        items: { type: "string" },
        description: 'Evaluations to run again, by evalId, or ["all"] for what the present state was built from.',
      },
      workDoneToken,
    },
    additionalProperties: false,
  },
  "agentq/lockRepl": {
    type: "object",
    properties: {
      locked: { type: "boolean", description: "While the REPL is locked, the agent looks and runs nothing." },
    },
    required: ["locked"],
    additionalProperties: false,
  },
  "agentq/replHistory": {
    type: "object",
    properties: {
      process,
      limit: { type: "integer", minimum: 1, maximum: 500 },
      cursor: { type: "string", pattern: "^\\d{1,9}$", description: "The nextCursor of the previous page." },
      only: {
        enum: ["stoppable"],
        description: "Only evaluations that run or left something open; then there is no cursor.",
      },
    },
    additionalProperties: false,
  },
  "agentq/inspectValue": {
    type: "object",
    properties: {
      process,
      value: { type: "string", minLength: 1, description: "A handle, a name, or an expression without effects." },
      module: {
        type: "string",
        description: "Workspace path or URI of a loaded module in whose scope the value is read.",
      },
      path: { type: "array", items: { type: "string" }, description: "Steps inside, as members of a page name them." },
      page: { type: "integer", minimum: 1 },
      size: { type: "integer", minimum: 1, maximum: 200 },
    },
    required: ["value"],
    additionalProperties: false,
  },
  "agentq/completeInRepl": {
    type: "object",
    properties: {
      process,
      code: { type: "string" },
      position,
      module: { type: "string", description: "Workspace path or URI of the module in whose scope the code would run." },
    },
    required: ["code", "position"],
    additionalProperties: false,
  },
  "agentq/keepEvaluationChanges": evaluationChanges,
  "agentq/revertEvaluationChanges": evaluationChanges,
} as const;
