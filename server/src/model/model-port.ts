/** What the agent loop needs of a model, in words of our own. Adapters translate; nothing else knows a vendor. */
import type { Thinking } from "../protocol/model-settings.ts";
import type { JsonSchema } from "../protocol/shapes.ts";

export interface ModelToolSchema {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

export type UserBlock =
  | { readonly kind: "text"; readonly text: string }
  /** Base64 of a picture of type `image/png` and the like. */
  | { readonly kind: "image"; readonly mediaType: string; readonly data: string }
  | { readonly kind: "toolResult"; readonly toolCallId: string; readonly content: string; readonly isError: boolean };

export type AssistantBlock = { readonly kind: "text"; readonly text: string } | OpaqueBlock | ToolUseBlock;

/**
 * A block of the provider's own kind. A thought is sent back, because the model's own continuity depends on it;
 * nothing else is.
 */
export interface OpaqueBlock {
  readonly kind: "opaque";
  readonly value: unknown;
  /** Who made it, in the adapter's words: what a model thought is valid for that model alone. */
  readonly by?: string;
}

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
  /** How long the reply may be. Absent: as long as the model has it. */
  readonly maxTokens?: number | undefined;
  readonly manner?: Manner | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  /** No later request begins like this one: the provider need not keep its beginning. */
  readonly isOnly?: true;
}

/** Which tools the model may call: as it likes, one at least, none, or the one of that name. */
export type ToolChoice = "auto" | "required" | "none" | { readonly name: string };

/** How the model is to answer; each has the model's own default. */
export interface Manner {
  readonly thinking?: Thinking;
  /** In tokens, for models that do not measure their thinking themselves. */
  readonly thinkingBudget?: number;
  readonly temperature?: number;
}

/** A model as its server describes it; what the server does not say is absent. */
export interface ModelEntry {
  readonly id: string;
  readonly name: string;
  /** The longest reply, in tokens. */
  readonly maxTokens?: number;
  /** The context window, in tokens. */
  readonly maxInputTokens?: number;
  /** The forms of thinking that requests may ask for; none for a model that does not think. */
  readonly thinking?: readonly ThinkingForm[];
  readonly efforts?: readonly Effort[];
}

export type ThinkingForm = "adaptive" | "budget" | "off";
export type Effort = Exclude<Thinking, "auto" | "off">;

export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Those of them that are kept for an hour; absent where the server does not tell them apart. */
  readonly cacheWrite1hTokens?: number;
  /** The server counted nothing: these are by characters. */
  readonly isEstimate?: true;
}

export type ModelStopReason = "endTurn" | "toolUse" | "maxTokens" | "refusal" | "pauseTurn" | "contextFull";

export type ModelEvent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string }
  /** The model began a call; its arguments are still streaming. */
  | { readonly kind: "toolCallStarted"; readonly id: string; readonly name: string }
  | { readonly kind: "toolCallReady"; readonly call: ToolUseBlock }
  /** A block of the provider's own is complete. */
  | { readonly kind: "opaqueReady"; readonly block: OpaqueBlock }
  /** What the server has counted of the reply so far, which is paid for whatever becomes of the reply. */
  | { readonly kind: "counted"; readonly usage: ModelUsage }
  /** Something that the person set is not sent, as the server refused it. */
  | { readonly kind: "leftOut"; readonly message: string }
  /** The reply so far is void: it was cut or refused, and is asked for again after the wait. */
  | { readonly kind: "retrying"; readonly attempt: number; readonly waitMs: number; readonly reason: string }
  | ModelReply;

export interface ModelReply {
  readonly kind: "done";
  readonly content: readonly AssistantBlock[];
  readonly stopReason: ModelStopReason;
  /** Why it stopped there, in the provider's words. */
  readonly stopDetails?: string;
  readonly usage: ModelUsage;
}

/**
 * Contract: yields events in the order they happen, the last one `done`. Retries what is worth retrying by itself and
 * says so. Throws `ModelFailure` when there is no reply to be had; rejects with the signal's reason when it aborts.
 */
export interface ModelPort {
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** The server's models, asked for anew. Throws `ModelFailure` where the server has no such list. */
  models(signal: AbortSignal): Promise<readonly ModelEntry[]>;
  /** What the server says of a model; undefined where it says nothing. Asked for once in a while. Never rejects. */
  about(model: string, signal: AbortSignal): Promise<ModelEntry | undefined>;
}

/** Why there is no reply, in one word, for metrics. */
export type FailureKind =
  /** The server did not accept the key, or no key could be had. */
  | "key"
  | "rateLimit"
  | "overloaded"
  /** Something went wrong in the server. */
  | "server"
  /** The server does not take such a request. */
  | "refused"
  | "network"
  | "proxy"
  | "redirect"
  | "stalled"
  /** The reply ended before its end. */
  | "cut"
  | "tooLong"
  | "budget"
  | "other";

/** No reply: the message says why and what the person can do. */
export class ModelFailure extends Error {
  override readonly name: string = "ModelFailure";
  readonly kind: FailureKind;

  constructor(message: string, kind: FailureKind = "other") {
    super(message);
    this.kind = kind;
  }
}

/** The request does not fit the model's context. */
export class TooLong extends ModelFailure {
  override readonly name = "TooLong";
  /** The context window, in tokens, where the server's words tell it. */
  readonly window: number | undefined;

  constructor(message: string, window: number | undefined) {
    super(message, "tooLong");
    this.window = window;
  }
}

/** The request was not sent: it might cost more than the person's budget allows. */
export class OverBudget extends ModelFailure {
  override readonly name = "OverBudget";

  constructor(message: string) {
    super(message, "budget");
  }
}
