/** A stage is one concern around every evaluation. `Repl` lists the stages, the outermost first. */
import type { HistoryItem, ReplStatus } from "../../protocol/repl-shapes.ts";
import type { Evaluated, EvaluateRequest } from "../image.ts";

/** The author of an evaluation. `startup`: the script that the person chose for every start of the process. */
export type Author = HistoryItem["by"];

/** One evaluation on its way through the stages. */
export interface Run {
  readonly request: EvaluateRequest;
  readonly by: Author;
  readonly number: number;
  /** The number as the wire names it. */
  readonly evalId: string;
  /** The evaluation that is run again, with the handle of its value. */
  readonly replayOf?: { readonly evalId: string; readonly valueId?: string };
}

/**
 * The methods of a stage, in the order of an evaluation's life.
 *
 * Contract: nothing here rejects for what a form does. A stage may add notes to a result, and removes nothing.
 */
export interface Stage {
  /**
   * Holds the evaluation back before it has a number. Answers the signal that stops the evaluation from then on. The
   * start-up script and replays are not held back.
   */
  admit?(signal: AbortSignal): Promise<AbortSignal>;
  /**
   * Called when the evaluation has its number. `next` runs the inner stages and then the form; it must be called
   * exactly once.
   */
  around?(run: Run, next: () => Promise<Evaluated>): Promise<Evaluated>;
  /**
   * Called last, with the result for the caller. The start-up script and replays have no caller, so it is not called
   * for them.
   */
  answered?(request: EvaluateRequest, result: Evaluated): Evaluated;
  /** Adds to the status what this stage knows. */
  seen?(status: ReplStatus): ReplStatus;
  /** Called before a fresh process replaces the present one. */
  restarting?(): void;
}
