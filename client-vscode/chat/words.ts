/** Numbers of a conversation as words. */
import type { TurnEndReason, TurnEvent } from "../../server/src/protocol/turn-shapes.ts";

const END_WORDS: Readonly<Record<TurnEndReason, string>> = {
  endTurn: "done",
  cancelled: "cancelled",
  stopped: "stopped by you",
  maxTokens: "stopped: the answer reached its length limit",
  maxRounds: "stopped: too many rounds of tool calls",
  refusal: "the model refused",
  budget: "stopped by the budget",
  error: "failed",
  cut: "cut off",
};

/** How a turn ended, how long it took and how much it was. */
export function endWords(
  reason: TurnEndReason,
  milliseconds: number | undefined,
  { input, output }: { readonly input: number; readonly output: number },
): string {
  return [
    END_WORDS[reason] ?? reason,
    ...(milliseconds === undefined ? [] : [duration(milliseconds)]),
    ...(input + output === 0 ? [] : [`${input.toLocaleString("en")} tokens in, ${output.toLocaleString("en")} out`]),
  ].join(" · ");
}

/** `ctx 43 %`, `ctx ~43 %` for an estimate, `ctx 86k` where nobody knows the window. */
export function contextWords(tokens: number, window: number | undefined, isEstimate: boolean): string {
  const size = window === undefined ? `${Math.ceil(tokens / 1000)}k` : `${Math.round((tokens / window) * 100)} %`;
  return `ctx ${isEstimate ? "~" : ""}${size}`;
}

/** What a conversation does that answers a call; undefined where the event does not tell. */
export function progressWords(event: TurnEvent): string | undefined {
  if (event.kind === "toolCall") return event.name;
  return event.kind === "text" ? "writes …" : event.kind === "thinking" ? "thinks …" : undefined;
}

/** Of thoughts that were kept nobody knows how long they took. */
export function thoughtWords(milliseconds: number): string {
  return milliseconds < 100 ? "Thoughts" : `Thought for ${(milliseconds / 1000).toFixed(1)} s`;
}

export function duration(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

export const MODE_WORDS = {
  plan: "Plan mode: nothing is changed or run before you say /go.",
  default: "Plan mode has ended.",
} as const;
