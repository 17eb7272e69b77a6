/**
 * The questions of the project's threads about modules, which the control worker passes on. Every thread of the process
 * hears this channel.
 */
import type { BridgeAnswer, BridgeNeed } from "./wire.ts";

export const THREAD_CHANNEL = "agentq-thread-modules";

export type ThreadNeed = Extract<BridgeNeed, { op: "threadResolve" | "threadLoad" }>;

export interface ThreadQuestion {
  readonly thread: number;
  readonly number: number;
  readonly need: ThreadNeed;
  /** One shared number. It changes when the answer has come. */
  readonly bell: Int32Array;
}

/** The question of a forked process, sent over its socket. */
export interface ForkQuestion {
  readonly request: number;
  readonly need: ThreadNeed;
}

export interface ForkAnswer {
  readonly request: number;
  readonly answer: BridgeAnswer;
}

export interface ThreadAnswer {
  readonly thread: number;
  readonly number: number;
  readonly answer: BridgeAnswer;
}
