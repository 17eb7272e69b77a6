/** How a request asks the model to think: adaptive where the model has it, with a budget where it has only that. */
import type Anthropic from "@anthropic-ai/sdk";
import type { Effort, Manner, ModelEntry, ThinkingForm } from "./model-port.ts";
import type { Refusals } from "./refusals.ts";

export type ThinkingFields = Pick<Anthropic.MessageCreateParams, "thinking" | "output_config">;

interface Asked {
  readonly model: string;
  readonly manner: Manner;
  readonly entry: ModelEntry | undefined;
  readonly maxTokens: number;
  /** A call is forced, and the API takes no thinking beside that. */
  readonly isForced?: boolean;
}

const BUDGETS: Readonly<Record<Effort, number>> = {
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_000,
};
const LEAST_BUDGET = 1_024;
/** The part of the longest reply that is left for what the model says. */
const LEFT_TO_SAY = 1_024;

export function thinkingFields(asked: Asked, refused: Refusals): ThinkingFields {
  if (asked.isForced === true) {
    const { thinking } = thinkingFields({ ...asked, manner: { thinking: "off" }, isForced: false }, refused);
    return thinking?.type === "disabled" ? { thinking } : {};
  }
  const { thinking: wish = "auto" } = asked.manner;
  const form = formOf(asked, refused);
  const display = refused.has("display") ? {} : ({ display: "summarized" } as const);
  switch (form) {
    case undefined:
      return {};
    case "off":
      return { thinking: { type: "disabled" } };
    case "budget": {
      const wanted = asked.manner.thinkingBudget ?? BUDGETS[wish === "auto" || wish === "off" ? "medium" : wish];
      const budget = Math.min(wanted, asked.maxTokens - LEFT_TO_SAY);
      return budget < LEAST_BUDGET ? {} : { thinking: { type: "enabled", budget_tokens: budget, ...display } };
    }
    case "adaptive": {
      const effort = refused.has("effort") ? undefined : effortOf(wish, asked.entry);
      return {
        thinking: { type: "adaptive", ...display },
        ...(effort === undefined ? {} : { output_config: { effort } }),
      };
    }
  }
}

function formOf({ manner, entry, model }: Asked, refused: Refusals): ThinkingForm | undefined {
  const { thinking: wish = "auto" } = manner;
  const isOpen = (form: ThinkingForm): boolean => (entry?.thinking?.includes(form) ?? true) && !refused.has(form);
  const known = entry?.thinking;
  if (known?.length === 0) return undefined;
  if (wish === "off" && known === undefined) return undefined;
  if (wish === "off" && isOpen("off")) return "off";
  // A server that does not say what its models can, is asked for what the person set, and for what all of a name can.
  if (known === undefined && wish === "auto" && !/claude/i.test(model)) return undefined;
  if (isOpen("adaptive")) return "adaptive";
  return wish !== "off" && isOpen("budget") ? "budget" : undefined;
}

/** The effort that was asked for, or the highest below it that the model has. A model that cannot be stopped thinks little. */
function effortOf(wish: NonNullable<Manner["thinking"]>, entry: ModelEntry | undefined): Effort | undefined {
  if (wish === "auto") return undefined;
  const order: readonly Effort[] = ["low", "medium", "high", "xhigh", "max"];
  const most = order.indexOf(wish === "off" ? "low" : wish);
  return order.findLast((each, index) => index <= most && (entry?.efforts?.includes(each) ?? true));
}
