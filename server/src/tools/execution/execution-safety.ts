/** How dangerous the tools are that run code, which depends on how the image may run. */
import type { Admitting } from "../../repl/stages/consent/consenting-image.ts";
import type { Locking } from "../../repl/stages/consent/lockable-image.ts";
import type { Image } from "../../repl/image.ts";
import type { SafetyLevel } from "../../protocol/shapes.ts";
import type { NeedsApproval, ToolContext } from "../tool.ts";

export interface ExecutionSafety {
  /** `cautious` in the confined image; `dangerous`, so that the person is asked, in the open one. */
  readonly safety: SafetyLevel | (() => SafetyLevel);
  readonly needsApproval?: NeedsApproval<unknown>;
}

/** Of what runs beside the image: the person is first asked for the open mode, where there is no other, and then about every call. */
export function executionSafety(image: Pick<Image, "status"> & Admitting): Required<ExecutionSafety> {
  return {
    safety: () => (image.status().confinement === "open" ? "dangerous" : "cautious"),
    needsApproval: async (_, { signal, onWaiting }) => {
      const admission = await image.admit(signal, onWaiting);
      return "refusal" in admission ? { refused: admission.refusal } : { ask: admission.confinement === "open" };
    },
  };
}

/** Of what runs in the image itself, which the person may have locked. */
export function imageSafety(image: Pick<Image, "status"> & Admitting & Locking): Required<ExecutionSafety> {
  const { safety, needsApproval } = executionSafety(image);
  return {
    safety,
    needsApproval: async (args, context) => {
      const refused = context.caller === "model" ? image.whyLocked() : undefined;
      return refused === undefined ? needsApproval(args, context) : { refused };
    },
  };
}

/** Of a getter, which a tool that only looks calls when it is told to: it asks nobody. */
export function whyNotInvoke(
  image: Pick<Image, "status"> & Locking,
): (code: string, caller: ToolContext["caller"]) => string | undefined {
  return (code, caller) => {
    const locked = caller === "model" ? image.whyLocked() : undefined;
    if (locked !== undefined) return `NOT RUN: ${locked}`;
    if (image.status().confinement === "confined") return undefined;
    return `The REPL is open: call it with eval_form, which asks first: ${code}`;
  };
}
