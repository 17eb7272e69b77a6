/** The events of a turn, as they travel in `agentq/event`. */
import type { ToolResult } from "./tool-shapes.ts";

export type ToolCallState = "preparing" | "running" | "waitingApproval" | "done";

/** `cut`: the server ended while the turn ran, or the conversation was forked within the turn. */
export type TurnEndReason =
  | "endTurn"
  | "cancelled"
  | "stopped"
  | "maxTokens"
  | "maxRounds"
  | "refusal"
  | "budget"
  | "error"
  | "cut";

/** `plan`: until the person agrees to a plan, nothing is changed or run. */
export type Mode = "default" | "plan";

export type TurnEvent =
  | {
      readonly kind: "turnStarted";
      readonly text: string;
      /** The text is a command, which the server answers by itself: the model hears of neither. */
      readonly isCommand?: true;
      /** What went along, by names such as `src/cart.ts:12-15`. */
      readonly attached?: readonly string[];
      /** Where the person was, such as `src/cart.ts:12 · lines 1-40 · 2 errors, 1 warning`. */
      readonly place?: string;
      /** Of what had waited since the turn before. */
      readonly promptIds?: readonly string[];
    }
  /** What the person said during the turn, handed to the model now. */
  | {
      readonly kind: "queuedPrompt";
      readonly text: string;
      readonly promptId?: string;
      readonly attached?: readonly string[];
      readonly place?: string;
    }
  /** The server's own answer to a command, as Markdown, in the command's own turn or in the one that runs. */
  | { readonly kind: "commandAnswer"; readonly asked: string; readonly text: string; readonly failed?: true }
  /** From now on the conversation is in that mode: by `/plan` or `/go`, or as the prompt said. */
  | { readonly kind: "modeChanged"; readonly mode: Mode }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string }
  | {
      readonly kind: "toolCall";
      readonly toolCallId: string;
      readonly name: string;
      readonly state: ToolCallState;
      readonly arguments?: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "toolResult"; readonly toolCallId: string; readonly name: string; readonly result: ToolResult }
  | {
      readonly kind: "usage";
      /** The model that replied. */
      readonly model?: string;
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly cacheReadTokens: number;
      readonly cacheWriteTokens: number;
      /**
       * The model's context window in tokens; absent where nobody knows it. The four counts together are what of it is
       * full now.
       */
      readonly contextWindow?: number;
      /** The model's server counted no tokens: these are by characters. */
      readonly isEstimate?: true;
      /** The request was not the conversation's own: it wrote a summary of it. */
      readonly purpose?: "summary";
      /** Of the request, in dollars; absent where nobody knows the price. */
      readonly cost?: number;
      /** Of the conversation so far, in dollars; absent where a request of the conversation has no price. */
      readonly sessionCost?: number;
    }
  /** From now on the model is sent less of the conversation, which itself stays as it is. */
  | {
      readonly kind: "compacted";
      /** What became of it, in a sentence for the person. */
      readonly message: string;
      /** `server`: the context was nearly full, or the model's server refused a request as too long. */
      readonly by: "person" | "server";
      /** How much of the context is full now and was before: estimates. Absent where nothing was counted yet. */
      readonly tokens?: number;
      readonly tokensBefore?: number;
      readonly contextWindow?: number;
      /** How many of the person's turns are told by the summary alone. */
      readonly turns: number;
      /** How many results of tools are shortened. */
      readonly results: number;
      /** What the model reads in the place of those turns, as Markdown. Absent where only results were shortened. */
      readonly summary?: string;
    }
  /** The last `compacted` is taken back; `tokens` is an estimate. */
  | { readonly kind: "compactionUndone"; readonly tokens?: number; readonly contextWindow?: number }
  | { readonly kind: "retrying"; readonly attempt: number; readonly waitMs: number; readonly reason: string }
  | { readonly kind: "notice"; readonly level: "info" | "warning" | "error"; readonly message: string }
  | { readonly kind: "turnEnded"; readonly reason: TurnEndReason; readonly message?: string };
