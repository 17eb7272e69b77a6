/**
 * What one server asks another one of the same person: to carry out a call where the person sees it, in the editor that has
 * the same folders open. Edits are reviewed there, and code runs in the REPL that the person works in.
 */
import type { JsonSchema } from "../../protocol/shapes.ts";
import type { ToolCall, ToolResult } from "../../protocol/tool-shapes.ts";
import type { Tool } from "../../tools/tool.ts";

/** Whether the other server has these folders open: `Offer` to `Taker | null`, null where the two have nothing in common. */
export const TAKES = "agentq/takes";
/** `Handover` to a `ToolResult`; null for a call that is nothing for an editor. */
export const HAND_OVER = "agentq/handOver";
/** What the other server tells while it carries out a call: `Waiting`. */
export const WAITS = "agentq/waits";

export interface Offer {
  /** The workspace folders of the server that asks, by their real paths. */
  readonly folders: readonly string[];
}

export interface Taker {
  /** As the editor calls itself. */
  readonly editor: string;
  /** A folder that the editor has open, around one of these or within: nothing is taken over. */
  readonly instead?: string;
}

export interface Handover {
  readonly folders: readonly string[];
  readonly call: ToolCall;
  /** The answer is wanted as data too. */
  readonly asData: boolean;
  /** The program whose model calls, as it calls itself. */
  readonly host: string;
}

export interface Waiting {
  /** The call waits for the person. */
  readonly waits: boolean;
}

/** Processes of their own, which load the same texts as the REPL. */
const BESIDE_THE_REPL: ReadonlySet<string> = new Set(["try_edit", "run_tests"]);

/** Reviews, and whatever runs the project's code: all of that has the texts of the editor. */
export function isForEditor(tool: Pick<Tool, "name" | "asksItself" | "categories">): boolean {
  return tool.asksItself || runsCode(tool);
}

export function runsCode(tool: Pick<Tool, "name" | "categories">): boolean {
  return isOfRepl(tool) || BESIDE_THE_REPL.has(tool.name);
}

export function isOfRepl({ categories }: Pick<Tool, "categories">): boolean {
  return categories.includes("repl");
}

export function withNote<Result extends ToolResult>(result: Result, note: string): Result {
  const { metadata } = result;
  return { ...result, metadata: { ...metadata, notes: [...(metadata.notes ?? []), note] } };
}

const text = { type: "string" } as const;
const folders = { type: "array", minItems: 1, items: text } as const;

export const offer: JsonSchema = {
  type: "object",
  properties: { folders },
  required: ["folders"],
  additionalProperties: false,
};

export const taker: JsonSchema = {
  type: ["object", "null"],
  properties: { editor: { type: "string", maxLength: 100 }, instead: { type: "string", maxLength: 5_000 } },
  required: ["editor"],
};

export const handover: JsonSchema = {
  type: "object",
  properties: {
    folders,
    call: {
      type: "object",
      properties: { id: text, name: text, arguments: { type: "object" } },
      required: ["id", "name", "arguments"],
      additionalProperties: false,
    },
    asData: { type: "boolean" },
    host: text,
  },
  required: ["folders", "call", "asData", "host"],
  additionalProperties: false,
};

export const carriedOut: JsonSchema = {
  type: ["object", "null"],
  properties: {
    id: text,
    success: { type: "boolean" },
    content: text,
    error: text,
    evaluation: { type: "object" },
    tests: { type: "object" },
    metadata: {
      type: "object",
      properties: { complete: { type: "boolean" }, notes: { type: "array", items: text } },
      required: ["complete"],
    },
  },
  required: ["id", "success", "content", "metadata"],
};

export const waiting: JsonSchema = {
  type: "object",
  properties: { waits: { type: "boolean" } },
  required: ["waits"],
};
