/** What a tool answers, and whether that is a failure: the executor tells the model both. */
import { ToolFailure, type Tool, type ToolAnswer } from "../../server/src/tools/tool.ts";

export interface Said extends ToolAnswer {
  readonly success: boolean;
}

export async function answerOf(
  tool: Tool,
  args: Readonly<Record<string, unknown>> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Said> {
  try {
    const answer = await tool.run(args, { callId: "c", caller: "model", signal });
    return {
      ...(typeof answer === "object" && answer !== null ? answer : { content: answer ?? "nil" }),
      success: true,
    };
  } catch (error) {
    if (error instanceof ToolFailure) return { content: error.message, success: false };
    throw error;
  }
}
