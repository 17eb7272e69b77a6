/** What the agent loop needs of a model, in words of our own. Adapters translate; nothing else knows a vendor. */
import type { JsonSchema } from "../protocol/shapes.ts";

export interface ModelToolSchema {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

export type UserBlock =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "toolResult"; readonly toolCallId: string; readonly content: string; readonly isError: boolean };

export type AssistantBlock =
  | { readonly kind: "text"; readonly text: string }
  /** Opaque to us: sent back as it came, because the model's own continuity depends on it. */
  | { readonly kind: "opaque"; readonly value: unknown }
  | ToolUseBlock;

export interface ToolUseBlock {
  readonly kind: "toolUse";
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /**
   * Why what the model sent are no arguments, as in "were …", and its text; the call must be answered with an error, not
   * run.
   */
  readonly invalid?: { readonly reason: string; readonly sent: string };
}

export type ModelMessage =
  | { readonly role: "user"; readonly content: readonly UserBlock[] }
  | { readonly role: "assistant"; readonly content: readonly AssistantBlock[] };

export interface ModelRequest {
  readonly model: string;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelToolSchema[];
  readonly maxTokens: number;
}

export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

export type ModelStopReason = "endTurn" | "toolUse" | "maxTokens" | "refusal" | "pauseTurn" | "contextFull";

export type ModelEvent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string }
  /** The model began a call; its arguments are still streaming. */
  | { readonly kind: "toolCallStarted"; readonly id: string; readonly name: string }
  | { readonly kind: "toolCallReady"; readonly call: ToolUseBlock }
  /** The reply so far is void: it was cut or refused, and is asked for again after the wait. */
  | { readonly kind: "retrying"; readonly attempt: number; readonly waitMs: number; readonly reason: string }
  | {
      readonly kind: "done";
      readonly content: readonly AssistantBlock[];
      readonly stopReason: ModelStopReason;
      readonly usage: ModelUsage;
    };

/**
 * Contract: yields events in the order they happen, the last one `done`. Retries what is worth retrying by itself and
 * says so. Throws `ModelFailure` when there is no reply to be had; rejects with the signal's reason when it aborts.
 */
export interface ModelPort {
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** No reply: the message says why and what the person can do. */
export class ModelFailure extends Error {
  override readonly name = "ModelFailure";
}
