/** How dangerous the tools are that run code, which depends on how the image may run. */
import type { Admitting } from "../../repl/consent/consenting-image.ts";
import type { Image } from "../../repl/image.ts";
import type { SafetyLevel } from "../../protocol/shapes.ts";
import type { NeedsApproval } from "../tool.ts";

export interface ExecutionSafety {
  /** `cautious` in the confined image; `dangerous`, so that the person is asked, in the open one. */
  readonly safety: SafetyLevel | (() => SafetyLevel);
  readonly needsApproval?: NeedsApproval<unknown>;
}

/** The person is first asked for the open mode, where there is no other, and then about every call. */
export function executionSafety(image: Pick<Image, "status"> & Admitting): Required<ExecutionSafety> {
  return {
    safety: () => (image.status().confinement === "open" ? "dangerous" : "cautious"),
    needsApproval: async (_, { signal, onWaiting }) => {
      const admission = await image.admit(signal, onWaiting);
      return "refusal" in admission ? { refused: admission.refusal } : { ask: admission.confinement === "open" };
    },
  };
}
