/** What requests to models took and cost, as it travels in `agentq/*` messages. */

import type { Times } from "./shapes.ts";

export interface Spend {
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Of the tokens written to the cache, those that are kept for an hour, as far as servers tell. */
  readonly cacheWrite1hTokens: number;
  /** In dollars, of the requests that have a price. */
  readonly cost: number;
  /** The models whose price nobody knows, where there are any. */
  readonly unpriced?: readonly string[];
}

export interface Spending {
  /** Of the conversation's newest turn; with what conversations took that answered the conversation. */
  readonly turn?: Spend;
  readonly session?: Spend;
  /** Since midnight, of all conversations of the workspace. */
  readonly day: Spend;
  /** In dollars, as the settings have it. */
  readonly budget: { readonly turn?: number; readonly session?: number; readonly day?: number };
  /** The day on which the published prices were looked up, as `2026-10-24`. */
  readonly pricesAsOf: string;
}

/** How requests to models went since the server began. */
export interface ModelMetrics {
  /** Those that were sent, also again after a failure. */
  readonly requests: number;
  readonly retries: number;
  /** Those without a reply in the end, but for what somebody cancelled. */
  readonly failures: number;
  /** The same by kind, such as `rateLimit`, `overloaded`, `network`, `key` or `tooLong`. Absent when there was none. */
  readonly failuresByKind?: Readonly<Record<string, number>>;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** In dollars, of the requests that have a price. */
  readonly cost: number;
  /** To the first piece of the reply, in milliseconds. Absent when there was none. */
  readonly firstPieceMs?: Times;
  /** Of whole replies, in milliseconds. */
  readonly replyMs?: Times;
}
