/** A call without a result makes the history unusable: each call of a reply that ended early is answered all the same. */
import type { AssistantBlock, ModelMessage, ToolUseBlock, UserBlock } from "../model/model-port.ts";
import type { ToolResult } from "../protocol/tool-shapes.ts";
import type { TurnEndReason } from "../protocol/turn-shapes.ts";
import { showHidden } from "../workspace/hidden-characters.ts";

/** Safe calls that were started while the reply still streamed, by the id of the call. */
export type StartedCalls = ReadonlyMap<string, Promise<ToolResult>>;

/** A call of a reply with its result, or why it has none. */
export type CallAnswer = { readonly call: ToolUseBlock } & (
  | { readonly result: ToolResult; readonly notRun?: undefined }
  | { readonly notRun: string; readonly result?: undefined }
);

/** Contract: all results of a reply at once, in the order of their calls; each gets its text. */
export type ToTexts = (
  answers: readonly { readonly call: ToolUseBlock; readonly result: ToolResult }[],
) => Promise<readonly { readonly text: string; readonly isError: boolean }[]>;

export interface EarlyEnd {
  readonly calls: readonly ToolUseBlock[];
  readonly started: StartedCalls;
  readonly reason: TurnEndReason;
  readonly toTexts: ToTexts;
}

/** Calls that were started are answered with their result, the rest as not run. */
export async function answerUnanswered(
  messages: ModelMessage[],
  { calls, started, reason, toTexts }: EarlyEnd,
): Promise<void> {
  if (calls.length === 0) return;
  const answers: CallAnswer[] = [];
  for (const call of calls) {
    const result = await started.get(call.id);
    const notRun = `NOT RUN: the reply ended early (${reason}).`;
    answers.push(result === undefined ? { call, notRun } : { call, result });
  }
  messages.push({ role: "user", content: await resultBlocks(answers, toTexts) });
}

/** What the model reads of the calls of one reply. */
export async function resultBlocks(answers: readonly CallAnswer[], toTexts: ToTexts): Promise<UserBlock[]> {
  const run = answers.filter((each) => each.result !== undefined);
  const texts = await toTexts(run);
  return answers.map((answer): UserBlock => {
    const toolCallId = answer.call.id;
    if (answer.result === undefined) return { kind: "toolResult", toolCallId, content: answer.notRun, isError: true };
    // What a reader does not see could say something to the model alone.
    const { text = "", isError = true } = texts[run.indexOf(answer)] ?? {};
    return { kind: "toolResult", toolCallId, content: showHidden(text), isError };
  });
}

export function callsIn(content: readonly AssistantBlock[]): ToolUseBlock[] {
  return content.filter((block): block is ToolUseBlock => block.kind === "toolUse");
}
