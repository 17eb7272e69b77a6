/** The parameters of the requests about tools, their calls, what is asked before a call and what is kept of calls, as `methods.ts` has those of all. */
import { nothing } from "./no-parameters.ts";
export const toolRequestParams = {
  "agentq/listTools": {
    type: "object",
    properties: {
      maxSafety: { enum: ["safe", "cautious", "dangerous"] },
      categories: { type: "array", items: { type: "string" } },
    },
    additionalProperties: false,
  },
  "agentq/callTool": {
    type: "object",
    properties: {
      name: { type: "string" },
      arguments: { type: "object", additionalProperties: true },
      sessionId: { type: "string" },
    },
    required: ["name", "arguments"],
    additionalProperties: false,
  },
  "agentq/answerApproval": {
    type: "object",
    properties: {
      approvalId: { type: "string" },
      decision: { enum: ["approved", "denied", "modified"] },
      arguments: { type: "object", additionalProperties: true },
      message: { type: "string" },
      remember: { enum: ["none", "session", "workspace"] },
      then: { enum: ["continue", "stop"] },
    },
    required: ["approvalId", "decision"],
    additionalProperties: false,
  },
  "agentq/listRemembered": nothing,
  "agentq/forgetRemembered": {
    type: "object",
    properties: { id: { type: "string" } },
    additionalProperties: false,
  },
  "agentq/explainDecision": {
    type: "object",
    properties: {
      tool: { type: "string" },
      arguments: { type: "object", additionalProperties: true },
      sessionId: { type: "string" },
    },
    required: ["tool", "arguments"],
    additionalProperties: false,
  },
  "agentq/auditLog": {
    type: "object",
    properties: { sessionId: { type: "string" }, cursor: { type: "string", pattern: "^\\d{1,9}$" } },
    additionalProperties: false,
  },
  "agentq/metrics": nothing,
} as const;
