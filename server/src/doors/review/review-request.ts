/** What one server asks another one of the same person: an edit that is to be reviewed in that one's editor. */
import type { JsonSchema } from "../../protocol/shapes.ts";
import type { ToolCall, ToolResult } from "../../protocol/tool-shapes.ts";

export const REVIEW = "agentq/review";

export interface ReviewRequest {
  /** The workspace folders of the server that asks, by their real paths. */
  readonly folders: readonly string[];
  readonly call: ToolCall;
}

/** Null where the other server has other folders, or nobody who reviews. */
export type ReviewAnswer = ToolResult | null;

const text = { type: "string" } as const;

export const reviewRequest: JsonSchema = {
  type: "object",
  properties: {
    folders: { type: "array", minItems: 1, items: text },
    call: {
      type: "object",
      properties: { id: text, name: text, arguments: { type: "object" } },
      required: ["id", "name", "arguments"],
      additionalProperties: false,
    },
  },
  required: ["folders", "call"],
  additionalProperties: false,
};

export const reviewAnswer: JsonSchema = {
  type: ["object", "null"],
  properties: { id: text, success: { type: "boolean" }, content: text, error: text, metadata: { type: "object" } },
  required: ["id", "success", "content"],
};
