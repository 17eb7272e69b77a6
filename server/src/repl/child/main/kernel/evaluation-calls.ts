/**
 * The kernel's part in an evaluation: how an evaluation begins, what it keeps, how it is stopped, what it leaves open.
 */
import { types } from "node:util";
import { captured } from "../../shared/captured.ts";
import { reviveImmediates, soon } from "../../shared/immediates.ts";
import { describeError } from "../../shared/print/describe-error.ts";
import { AWAITED_VALUE } from "../../wire/wire.ts";
import { createTrialValues, printTrial } from "../look/trial-values.ts";
import type { ModuleWaits } from "../modules/module-waits.ts";
import type { LeftOpen } from "../open/stop-left-open.ts";
import type { Output } from "../output.ts";
import { leaveAsyncContext, leaveAsyncResources } from "../upkeep/async-context.ts";
import type { Awaited } from "../upkeep/awaited.ts";
import { collectBuffers } from "../upkeep/collect-garbage.ts";
import type { CurrentEvaluation } from "./current-evaluation.ts";
import type { KeptValues } from "./kept-values.ts";
import type { MainCells } from "./main-cells.ts";

export interface EvaluationCalls {
  /** Waits for a turn of the event loop: code that runs before it cannot be interrupted. */
  readonly tick: () => Promise<void>;
  /** Waits for what a form left for the next tick, for instance a warning, which belongs to the form's output. */
  readonly ticked: () => Promise<void>;
  /** Gives Node the next immediate again, when a termination lost it. */
  readonly revive: () => void;
  /** The evaluation whose code runs; 0 for none. */
  readonly owner: () => number;
  /** Prepares the running code for its termination. */
  readonly leave: () => void;
  /** The first call of an evaluation; throws when the evaluation was interrupted before it began. */
  readonly enter: (id: number) => void;
  /** Keeps the value of an evaluation, and answers its preview as text. A promise is awaited, and its value is kept. */
  readonly keep: (id: number, value: unknown) => Promise<string>;
  readonly come: Awaited["come"];
  /** The module has run to its end. */
  readonly ran: ModuleWaits["ran"];
  /**
   * Holds the value of a trial for the evaluation that follows, and answers the token by which that evaluation asks for
   * the value.
   */
  readonly holdTrial: (value: unknown) => string | undefined;
  /** The same as `keep`, for the value of a trial: none of the user's code runs. */
  readonly keepTrial: (id: number, token: string) => string;
  /** Cancels the evaluation, and answers the evaluation whose code is running. */
  readonly cancel: (id: number) => number;
  /** For an evaluation that is over: sends the end of its output, and answers what it has open. */
  readonly left: () => string;
  /** The place where the evaluation waits; empty when the place is not known. */
  readonly waits: () => string;
  /**
   * Collects garbage. Answers as text: the size of the buffers that are left, the evaluation whose code is held up
   * meanwhile, and one whose code may run again.
   */
  readonly collect: () => string;
  /** Wakes the memory watch when anything runs after this call. Resolves once the event loop turns. */
  readonly lull: () => Promise<void>;
  /** The `RawError` of a thrown value, as text. */
  readonly error: (thrown: unknown) => string;
}

export interface EvaluationParts {
  readonly current: CurrentEvaluation;
  readonly cells: MainCells;
  /** The evaluations that were interrupted. */
  readonly cancelled: Set<number>;
  readonly kept: KeptValues;
  readonly awaited: Awaited;
  readonly waits: ModuleWaits;
  readonly leftOpen: LeftOpen;
  readonly output: Output;
}

export function evaluationCalls(parts: EvaluationParts): EvaluationCalls {
  const { current, cells, cancelled, kept, awaited, waits, leftOpen, output } = parts;
  const trials = createTrialValues();
  return {
    tick: () => new captured.Promise<void>(soon),
    ticked,
    revive: reviveImmediates,
    owner: () => current.id(),
    leave: leaveAsyncResources,
    enter: (id) => {
      if (cancelled.has(id)) throw new captured.Error("The evaluation was interrupted before it began.");
      output.renew();
      leaveAsyncContext();
      current.enter(id);
      cells.begun(id);
    },
    keep: async (id, value) => {
      const text = types.isPromise(value)
        ? kept.keep(id, await awaited.come(value, id, AWAITED_VALUE), true)
        : kept.keep(id, value, false);
      await ticked();
      return text;
    },
    come: awaited.come,
    ran: waits.ran,
    holdTrial: trials.hold,
    keepTrial: (id, token) => kept.keep(id, trials.take(token), false, printTrial),
    cancel: (id) => {
      cancelled.add(id);
      leftOpen.begin(id);
      return current.id();
    },
    left: () => {
      output.finish(cells.asked());
      return leftOpen.left(cells.asked());
    },
    waits: () => `${awaited.of(cells.asked()) ?? ""}`,
    collect: () => captured.stringify([collectBuffers(), current.id(), leftOpen.suspect(cells.owner())]),
    lull: () =>
      new captured.Promise<void>(
        (resolve) =>
          void captured
            .setImmediate(() => {
              // Neither immediate keeps the event loop from waiting.
              captured.setImmediate(() => cells.stir()).unref();
              resolve();
            })
            .unref(),
      ),
    error: (thrown) => captured.stringify(describeError(thrown)),
  };
}

const ticked = (): Promise<void> => new captured.Promise<void>((resolve) => captured.nextTick(resolve));
