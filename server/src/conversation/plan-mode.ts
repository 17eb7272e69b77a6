/** Plan mode: until the person has agreed to the plan, the model looks at everything and changes and runs nothing. */
import type { ToolRunner } from "../agent/run-calls.ts";
import { given } from "../base/given.ts";
import type { Mode } from "../protocol/turn-shapes.ts";

export type { Mode };

/** What the model reads with each prompt in plan mode. */
export const PLAN_WORDS =
  "[Plan mode: look at what you need, by the safe tools alone; calls that change or run anything are refused. Then end your turn with a plan in steps: what changes where, how each step is proved, and what you want to ask. The person will agree or answer.]";
/** What the person reads when a turn in plan mode has ended. */
export const PLAN_NOTICE = "Plan mode: nothing was changed or run. /go carries the plan out, /plan off ends the mode.";

/** The tools of a conversation of which `isPlanning` is asked at each call: the person may agree while a turn runs. */
export function heldToPlan(tools: ToolRunner, isPlanning: () => boolean): ToolRunner {
  return {
    // The list stays the same: the model's provider keeps the beginning of requests.
    schemas: (sessionId) => tools.schemas(sessionId),
    safetyOf: (name) => tools.safetyOf(name),
    filesOf: (call) => tools.filesOf(call),
    upToDate: (...asked) => tools.upToDate(...asked),
    execute: (call, context) => {
      const isHeld = isPlanning() && (tools.safetyOf(call.name) ?? "safe") !== "safe";
      const refusal = `NOT RUN: ${call.name} changes or runs something, and the person has not agreed to a plan yet. Put the call into the plan.`;
      const { unusable = isHeld ? refusal : undefined } = context;
      return tools.execute(call, { ...context, ...given({ unusable }) });
    },
  };
}
