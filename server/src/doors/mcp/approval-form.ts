/** A question about a dangerous call as a form of MCP's elicitation, and the person's decision in what comes back. */
import type { ElicitInputParams, InputResponseView } from "@modelcontextprotocol/server";
import type { Approval } from "../../protocol/tool-shapes.ts";
import { showHidden } from "../../workspace/hidden-characters.ts";
import type { ApprovalDecision } from "../../tools/consent/approval-decision.ts";
import type { AnswerOptions } from "../../tools/consent/approvals.ts";

/** What to do where nobody can approve a call. */
export const ELSEWHERE =
  "A person can run the call in an editor with Agent-Q, or allow it in the settings that `agentq mcp --settings` reads " +
  "(docs/mcp.md).";

const [DENY, ONCE, PROJECT] = ["deny", "approve once", "approve for this project"] as const;

/** The arguments are shown whole: nobody can approve what they cannot read. The harmless answer is first. */
export function questionForm({ tool, arguments: args, why, risk, question, toolCallId }: Approval): ElicitInputParams {
  const shown = toolCallId === undefined ? [] : [JSON.stringify(args, undefined, 2)];
  const message = [question ?? `Run ${tool}?`, why, risk, ...shown].join("\n\n");
  return {
    message: showHidden(message),
    requestedSchema: {
      type: "object",
      properties: {
        decision: {
          type: "string",
          title: "Decision",
          enum: [DENY, ONCE, ...(toolCallId === undefined ? [] : [PROJECT])],
        },
        message: { type: "string", title: "Words for the model", description: "May stay empty." },
      },
      required: ["decision"],
    },
  };
}

/**
 * What came back, or why nothing did, as the end of a sentence. Anything that is no clear yes is a no: a client may fill a
 * form in by itself, or send nonsense.
 */
export function decisionIn(view: InputResponseView | string): { decision: ApprovalDecision; options: AnswerOptions } {
  if (typeof view === "string") return { decision: { decision: "denied", because: view }, options: {} };
  if (view.kind !== "elicit" || view.action === "cancel")
    return decisionIn(`nobody answered the question. ${ELSEWHERE}`);
  const { decision, message } = view.content ?? {};
  const said = typeof message === "string" && message !== "" ? { message } : {};
  const isYes = view.action === "accept" && (decision === ONCE || decision === PROJECT);
  return {
    decision: { decision: isYes ? "approved" : "denied", ...said },
    options: isYes && decision === PROJECT ? { remember: "workspace" } : {},
  };
}
