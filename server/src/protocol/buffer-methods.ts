/** The server's own requests, to a client that announced `buffers`, as `methods.ts` has those of clients. */
import type { BufferText, EditorBuffers } from "./buffer-shapes.ts";
import { nothing } from "./no-parameters.ts";
import type { SchemaType } from "../schema/schema-type.ts";
import type { JsonSchema } from "./shapes.ts";

const editorBuffer = {
  type: "object",
  properties: {
    id: { type: "string", maxLength: 1_000 },
    name: { type: "string", maxLength: 5_000 },
    kind: { type: "string", maxLength: 200 },
    uri: { type: "string", maxLength: 20_000 },
    lines: { type: "integer", minimum: 0, maximum: 100_000_000 },
    modified: { type: "boolean" },
    isCurrent: { type: "boolean" },
    isVisible: { type: "boolean" },
  },
  required: ["id", "name", "kind", "lines"],
} as const;

/** Parameters of the server's own requests, to a client that announced `buffers`, by method name. */
export const clientRequestParams = {
  "agentq/listBuffers": nothing,
  "agentq/readBuffer": {
    type: "object",
    properties: {
      id: { type: "string" },
      start: { type: "integer", minimum: 0, description: "Counted from 0." },
      end: { type: "integer", minimum: 0, description: "Exclusive; beyond the last line there is nothing." },
    },
    required: ["id", "start", "end"],
    additionalProperties: false,
  },
  "agentq/reloadBuffers": {
    type: "object",
    properties: {
      uris: { type: "array", items: { type: "string" }, description: "Of open documents that the disk has otherwise." },
    },
    required: ["uris"],
    additionalProperties: false,
  },
} as const;

export type ClientRequestMethod = keyof typeof clientRequestParams;
export type ClientRequestParams<Method extends ClientRequestMethod> = SchemaType<(typeof clientRequestParams)[Method]>;

export interface ClientRequestResults {
  "agentq/listBuffers": EditorBuffers;
  /** An error where there is no such buffer. */
  "agentq/readBuffer": BufferText;
  /** Comes after the changes: each buffer without edits of the person holds what its file holds. */
  "agentq/reloadBuffers": { readonly reloaded: true };
}

/** What a client may answer; anything else is no answer. */
export const clientRequestResults: Readonly<Record<ClientRequestMethod, JsonSchema>> = {
  "agentq/listBuffers": {
    type: "object",
    properties: { buffers: { type: "array", items: editorBuffer, maxItems: 10_000 } },
    required: ["buffers"],
  },
  "agentq/readBuffer": {
    type: "object",
    properties: {
      buffer: editorBuffer,
      version: { type: "integer" },
      lines: { type: "array", items: { type: "string" } },
    },
    required: ["buffer", "version", "lines"],
  },
  "agentq/reloadBuffers": { type: "object", properties: { reloaded: { const: true } }, required: ["reloaded"] },
};
