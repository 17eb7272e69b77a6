/** The tool that has a question answered in a conversation of its own, so that what was read for it stays out of this one. */
import { defineTool, ToolFailure, type Tool } from "./tool.ts";

export interface DelegatedTask {
  readonly task: string;
  /** The conversation and the call that ask; a person or a program may ask from none. */
  readonly sessionId: string | undefined;
  readonly toolCallId: string;
}

/** What became of a task: the answer, or why there is none, with the last words. */
export type DelegatedAnswer = { readonly answer: string } | { readonly failure: string; readonly lastWords: string };

/** Contract: does not reject for an expected end; stops once the signal aborts. */
export type Delegate = (task: DelegatedTask, signal: AbortSignal) => Promise<DelegatedAnswer>;

const LIMIT_MS = 900_000;

export function createDelegate(delegate: Delegate): Tool {
  return defineTool({
    name: "delegate",
    description: "Gives a question to a helper that only looks and sees only `task`; its last message is the answer.",
    input: {
      type: "object",
      properties: { task: { type: "string", minLength: 1, maxLength: 20_000 } },
      required: ["task"],
      additionalProperties: false,
    },
    categories: ["introspection"],
    timeoutMs: LIMIT_MS,
    run: async ({ task }, { sessionId, callId, signal }) => {
      const end = await delegate({ task, sessionId, toolCallId: callId }, signal);
      if ("answer" in end) return end.answer;
      throw new ToolFailure(end.lastWords === "" ? end.failure : `${end.failure} Its last words:\n${end.lastWords}`);
    },
  });
}
