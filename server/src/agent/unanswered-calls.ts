/** A call without a result makes the history unusable: each call of a reply that ended early is answered all the same. */
import type { AssistantBlock, ModelMessage, ToolUseBlock, UserBlock } from "../model/model-port.ts";
import type { ToolResult, TurnEndReason } from "../protocol/shapes.ts";
import { showHidden } from "../workspace/hidden-characters.ts";

/** Safe calls that were started while the reply still streamed, by the id of the call. */
export type StartedCalls = ReadonlyMap<string, Promise<ToolResult>>;

export interface EarlyEnd {
  readonly calls: readonly ToolUseBlock[];
  readonly started: StartedCalls;
  readonly reason: TurnEndReason;
  readonly toText: (result: ToolResult) => string;
}

/** Calls that were started are answered with their result, the rest as not run. */
export async function answerUnanswered(
  messages: ModelMessage[],
  { calls, started, reason, toText }: EarlyEnd,
): Promise<void> {
  if (calls.length === 0) return;
  const content: UserBlock[] = [];
  for (const call of calls) {
    const result = await started.get(call.id);
    content.push(
      result === undefined
        ? toResultBlock(call.id, `NOT RUN: the reply ended early (${reason}).`, true)
        : toResultBlock(call.id, toText(result), !result.success),
    );
  }
  messages.push({ role: "user", content });
}

export function toResultBlock(toolCallId: string, content: string, isError: boolean): UserBlock {
  return { kind: "toolResult", toolCallId, content: withoutHidden(content), isError };
}

/** What a reader does not see, or sees as the end of a line, is written out: it could say something to the model alone. */
function withoutHidden(content: string): string {
  return showHidden(content).replace(/\r(?!\n)/g, "<U+000D>");
}

export function callsIn(content: readonly AssistantBlock[]): ToolUseBlock[] {
  return content.filter((block): block is ToolUseBlock => block.kind === "toolUse");
}
