/** Which settings there are, and what each may be. */
import { modelSettings } from "../protocol/model-settings.ts";
import type { SchemaType } from "../schema/schema-type.ts";

const text = { type: "string" } as const;

/** `restart_repl`, `*`, `mcp__files`, `edit(src/generated/**)`: docs/rules.md has the words. */
const rules = {
  type: "array",
  items: { type: "string", pattern: "^\\s*(\\*|[a-z][A-Za-z0-9_-]*)(\\([\\s\\S]+\\))?\\s*$" },
} as const;

/** `example.org`, `*.example.com`, `example.com:8080`: docs/security.md has the words. */
const HOST = "^(\\*\\.)?([A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?$";

/** In dollars. */
const amount = { type: "number", exclusiveMinimum: 0 } as const;

const texts = { type: "object", additionalProperties: text } as const;

/** The shape that other clients of MCP read too, and what is our own: `safety`, `tools`, `timeoutSeconds`. */
const mcpServer = {
  type: "object",
  properties: {
    type: { enum: ["stdio", "http", "streamable-http"] },
    command: text,
    args: { type: "array", items: text },
    env: texts,
    cwd: text,
    url: text,
    headers: texts,
    disabled: { type: "boolean" },
    safety: { enum: ["safe", "cautious", "dangerous"] },
    tools: { type: "object", additionalProperties: { enum: ["safe", "cautious", "dangerous", "off"] } },
    timeoutSeconds: { type: "number", exclusiveMinimum: 0, maximum: 86_400 },
  },
  additionalProperties: false,
} as const;

export type McpServerSetting = SchemaType<typeof mcpServer>;

export const settingsSchema = {
  type: "object",
  properties: {
    ...modelSettings,
    languageFeatures: { enum: ["off", "on"] },
    instructions: { enum: ["ask", "on", "off"] },
    offeredTools: { enum: ["core", "all"] },
    tools: { type: "array", items: { type: "string", pattern: "^[^#]+#[^#]" } },
    repl: {
      type: "object",
      properties: {
        confinement: { enum: ["confined", "open", "openWithoutAsking"] },
        command: { type: "array", items: { type: "string" }, minItems: 1 },
        node: text,
        network: { enum: ["none", "open"] },
        heapLimitMb: { type: "number", exclusiveMinimum: 0 },
        startup: text,
      },
      additionalProperties: false,
    },
    proposals: {
      type: "object",
      properties: { tests: { enum: ["off", "related"] }, keep: { enum: ["on", "off"] } },
      additionalProperties: false,
    },
    commands: {
      type: "object",
      properties: { hosts: { type: "array", items: { type: "string", pattern: HOST } } },
      additionalProperties: false,
    },
    mcpServers: { type: "object", additionalProperties: mcpServer },
    budget: {
      type: "object",
      properties: { turn: amount, session: amount, day: amount },
      additionalProperties: false,
    },
    sessions: {
      type: "object",
      properties: {
        keep: { enum: ["on", "off"] },
        nameByModel: { enum: ["on", "off"] },
        compactAt: { type: "integer", minimum: 10, maximum: 100 },
      },
      additionalProperties: false,
    },
    policy: {
      type: "object",
      properties: { deny: rules, ask: rules, allow: rules },
      additionalProperties: false,
    },
    // The compiler reads these itself, with `languageFeatures`.
    codeLensShowLocationsCommandName: {},
    userPreferences: {},
    disablePushDiagnostics: {},
  },
  additionalProperties: false,
} as const;
