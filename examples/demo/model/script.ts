/** What a script says: the replies of a model that does not think, and the accidents on the way to them. */
import type { Turn } from "./turn.ts";

export type StopReason =
  | "end_turn"
  | "tool_use"
  | "max_tokens"
  | "refusal"
  | "pause_turn"
  | "stop_sequence"
  | "model_context_window_exceeded";

export type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string }
  /** What the provider does not show. */
  | { readonly type: "redacted_thinking"; readonly data: string }
  /** What relays and other providers send, as it is. */
  | { readonly type: "other"; readonly content: Readonly<Record<string, unknown>> }
  /** A string as input is sent as it is, so that it may be broken JSON. */
  | { readonly type: "tool_use"; readonly name: string; readonly input: Readonly<Record<string, unknown>> | string };

export interface Reply {
  readonly blocks: readonly Block[];
  /** Default: `tool_use` when a block is a tool call, `end_turn` otherwise. */
  readonly stopReason?: StopReason;
  readonly stopDetails?: { readonly type: "refusal"; readonly category: string; readonly explanation: string };
  /** Characters in one streamed piece. Default 12. */
  readonly chunkSize?: number;
  /** Pause before the first event, in milliseconds. */
  readonly delayMs?: number;
  /** Pause between two events. Default: what the server was started with. */
  readonly paceMs?: number;
  /** Sends the stream in pieces of this many bytes, cutting through events and characters. */
  readonly bytePieces?: number;
  readonly fault?: StreamFault;
}

/** What goes wrong inside a stream after so many of its events. */
export type StreamFault =
  /** The connection breaks in the middle of the next event; `clean` ends the stream properly, but too early. */
  | { readonly kind: "cut"; readonly afterEvents: number; readonly clean?: boolean }
  | { readonly kind: "errorEvent"; readonly afterEvents: number; readonly type?: string; readonly message?: string }
  /** Nothing more comes until the client gives up. */
  | { readonly kind: "hang"; readonly afterEvents: number };

/** What goes wrong with a request: instead of the reply, or in the middle of it. */
export type Fault =
  | StreamFault
  /** The connection breaks before an answer begins. */
  | { readonly kind: "reset" }
  | {
      readonly kind: "status";
      readonly status: number;
      readonly retryAfterSeconds?: number;
      readonly message?: string;
    };

/** Contract: `reply` depends on the turn alone, so that a request sent again gets the same reply. */
export interface Script {
  readonly name: string;
  readonly description: string;
  readonly reply: (turn: Turn) => Reply;
  /** The fault of the first, second, … request, counted over the life of the server; null is none. */
  readonly faults?: readonly (Fault | null)[];
  /** In tokens, as the server counts them: longer requests are refused. */
  readonly contextWindow?: number;
  /** What the server lists as its models; without them the server has no such list. */
  readonly models?: readonly object[];
}

export type Step = Reply | ((turn: Turn) => Reply);

/** A script that answers every new prompt with these replies, one after each round of tool results. */
export function scriptOf(
  name: string,
  description: string,
  steps: readonly Step[],
  faults: readonly (Fault | null)[] = [],
): Script {
  return {
    name,
    description,
    faults,
    reply(turn) {
      const step = steps[turn.step];
      if (step === undefined) return turn.fail(`script "${name}" ends after ${steps.length} replies`);
      return typeof step === "function" ? step(turn) : step;
    },
  };
}

export function reply(...blocks: readonly (Block | string)[]): Reply {
  return { blocks: blocks.map((block) => (typeof block === "string" ? { type: "text", text: block } : block)) };
}

export function think(thinking: string): Block {
  return { type: "thinking", thinking };
}

export function call(name: string, input: Readonly<Record<string, unknown>> | string): Block {
  return { type: "tool_use", name, input };
}
