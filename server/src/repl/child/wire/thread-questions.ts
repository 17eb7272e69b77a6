/** What the project's threads ask about modules, by way of the control worker; all threads of their process hear it. */
import type { BridgeAnswer, BridgeNeed } from "./wire.ts";

export const THREAD_CHANNEL = "agentq-thread-modules";

export type ThreadNeed = Extract<BridgeNeed, { op: "threadResolve" | "threadLoad" }>;

export interface ThreadQuestion {
  readonly thread: number;
  readonly number: number;
  readonly need: ThreadNeed;
  /** One shared number, rung when the answer has come. */
  readonly bell: Int32Array;
}

/** What a forked process asks over its socket. */
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
