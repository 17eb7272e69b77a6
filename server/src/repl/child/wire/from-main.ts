/**
 * The main thread's messages to the control worker. The worker itself answers heap queries and requests to enter a
 * scope.
 */
import type { StoppedReport } from "./stopped-reports.ts";
import type { FromImage } from "./wire.ts";

export type FromMain =
  | Extract<FromImage, { t: "out" | "dropped" | "end" | "event" | "need" | "loaded" }>
  /** Send the output so far: the process may end now. */
  | { readonly t: "flush" }
  /**
   * The main thread waits for a program. `before` lists the processes that existed before it; undefined ends the wait.
   */
  | { readonly t: "awaits"; readonly before: readonly string[] | undefined }
  /** Forked processes will connect to this socket with their questions. */
  | { readonly t: "forks"; readonly socket: string }
  /** The open things of an interrupted evaluation that were ended. */
  | ({ readonly t: "ended"; readonly id: number } & StoppedReport)
  /** The evaluation opened something that may outlast it. */
  | { readonly t: "opened"; readonly id: number }
  | { readonly t: "query"; readonly question: number }
  | { readonly t: "enter"; readonly question: number; readonly url: string }
  /** Records the expression each time the line of the file runs; `line` is counted from 1. */
  | {
      readonly t: "point";
      readonly id: number;
      readonly url: string;
      readonly line: number;
      readonly expression: string;
    }
  | { readonly t: "unpoint"; readonly id: number };
