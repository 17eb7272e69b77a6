/** A stage wraps every evaluation and has one concern. `Repl` lists the stages, the outermost first. */
import type { HistoryItem, ReplStatus } from "../../protocol/repl-shapes.ts";
import type { Evaluated, EvaluateRequest } from "../image.ts";

/** Whose evaluation it is. `startup`: the script that the person chose for every start of the process. */
export type Author = HistoryItem["by"];

/** What one evaluation is while it lives. */
export interface Run {
  readonly request: EvaluateRequest;
  readonly by: Author;
  readonly number: number;
  /** The number as the wire names the evaluation. */
  readonly evalId: string;
  /** The evaluation whose form runs again, with the handle that its value had. */
  readonly replayOf?: { readonly evalId: string; readonly valueId?: string };
}

/**
 * What a stage may do, in the order of an evaluation's life.
 *
 * Contract: nothing here rejects for what a form does. A result gains notes on its way out and loses nothing.
 */
export interface Stage {
  /**
   * Holds the evaluation back before it has a number. Answers the signal that stops it from then on. The start-up
   * script and replays are not held back.
   */
  admit?(signal: AbortSignal): Promise<AbortSignal>;
  /** The evaluation has its number. `next` hands it to the inner stages and then to the process; call it exactly once. */
  around?(run: Run, next: () => Promise<Evaluated>): Promise<Evaluated>;
  /** Last words to whoever asked; the start-up script and replays have nobody. */
  answered?(request: EvaluateRequest, result: Evaluated): Evaluated;
  /** The status, with what this stage knows. */
  seen?(status: ReplStatus): ReplStatus;
  /** A fresh process is about to take the place of the present one. */
  restarting?(): void;
}
