/** How dangerous the tools that run code are, which depends on how the REPL may run. */
import type { Repl } from "../../repl/repl.ts";
import type { SafetyLevel } from "../../protocol/shapes.ts";
import type { NeedsApproval, ToolContext } from "../tool.ts";

export interface ExecutionSafety {
  /** `cautious` in the confined REPL; `dangerous`, so that the person is asked, in the open one. */
  readonly safety: SafetyLevel | (() => SafetyLevel);
  readonly needsApproval?: NeedsApproval<unknown>;
}

export const CAUTIOUS: ExecutionSafety = { safety: "cautious" };

/**
 * For what runs beside the REPL: the person is first asked for the open mode, where no other mode is possible, and then
 * about every call.
 */
export function executionSafety(repl: Pick<Repl, "status" | "admit">): Required<ExecutionSafety> {
  return {
    safety: () => (repl.status().confinement === "open" ? "dangerous" : "cautious"),
    needsApproval: async (_, { signal, onWaiting }) => {
      const admission = await repl.admit(signal, onWaiting);
      return "refusal" in admission ? { refused: admission.refusal } : { ask: admission.confinement === "open" };
    },
  };
}

/** For runs of tests: `whyNot` is why no wall holds them, known when the tools are judged. */
export function testSafety(
  repl: Pick<Repl, "whyNotTest">,
  whyNot: () => string | undefined,
): Required<ExecutionSafety> {
  return {
    safety: () => (whyNot() === undefined ? "cautious" : "dangerous"),
    needsApproval: async (_, { signal, onWaiting }) => {
      const why = whyNot();
      if (why === undefined) return { ask: false };
      const refused = await repl.whyNotTest(why, signal, onWaiting);
      return refused === undefined ? { ask: true, because: `${why} ${UNWALLED}` } : { refused };
    },
  };
}

const UNWALLED = "Without a wall the tests run in the project itself, with all of your rights";

/** For what runs in the REPL itself, which the person may have locked. */
export function replSafety(repl: Pick<Repl, "status" | "admit" | "whyLocked">): Required<ExecutionSafety> {
  const { safety, needsApproval } = executionSafety(repl);
  return {
    safety,
    needsApproval: async (args, context) => {
      const refused = context.caller === "model" ? repl.whyLocked() : undefined;
      return refused === undefined ? needsApproval(args, context) : { refused };
    },
  };
}

/** Why a tool that only looks does not call this getter: nobody would be asked. */
export function whyNotInvoke(
  repl: Pick<Repl, "status" | "whyLocked">,
  code: string,
  caller: ToolContext["caller"],
): string | undefined {
  const locked = caller === "model" ? repl.whyLocked() : undefined;
  if (locked !== undefined) return `NOT RUN: ${locked}`;
  if (repl.status().confinement === "confined") return undefined;
  return `The REPL is open: call it with eval_form, which asks first: ${code}`;
}
