/** Why a call did not run or did not succeed, in the words that its caller reads. */
import { cutText } from "../../base/cut-text.ts";
import { errorText } from "../../base/errors.ts";
import type { Ruling } from "../policy/policy.ts";
import { ToolFailure, type Tool } from "../tool.ts";

const MAX_ERROR_TEXT = 2_000;

export function refusalWords({ because }: Ruling): string {
  return `NOT RUN: ${because}. Nothing happened; do not try it in another way.`;
}

interface Ended {
  /** The caller's signal. */
  readonly cancelled: AbortSignal;
  /** The one of the tool. */
  readonly deadline: AbortSignal | undefined;
  /** The call may have changed something before it ended. */
  readonly isChange: boolean;
}

export function explain(error: unknown, tool: Tool, { cancelled, deadline, isChange }: Ended): string {
  if (cancelled.aborted) {
    return `${tool.name} was cancelled${isChange ? " while it ran: what it had done by then stays" : ""}.`;
  }
  if (deadline?.aborted === true)
    return `${tool.name} did not finish within ${(tool.timeoutMs ?? 0) / 1000} s and was stopped.`;
  if (error instanceof ToolFailure && error.message !== "") return error.message;
  return `${tool.name} failed: ${messageOf(error)}`;
}

export function messageOf(error: unknown): string {
  const text = errorText(error);
  return text === "" ? "it did not say why." : cutText(text, MAX_ERROR_TEXT);
}
