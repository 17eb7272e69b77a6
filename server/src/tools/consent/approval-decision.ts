/** The person's decision about a call, and the words in which the caller hears of the decision. */
import { cutText } from "../../base/cut-text.ts";
import { isObject } from "../../base/is-object.ts";

/** `message` is the person's own words; `because` says what happened where nobody was asked, as the end of a sentence. */
export type ApprovalDecision =
  | { readonly decision: "approved"; readonly message?: string; readonly because?: string }
  | { readonly decision: "denied"; readonly message?: string; readonly because?: string }
  | { readonly decision: "modified"; readonly arguments: Readonly<Record<string, unknown>>; readonly message?: string };

const MAX_ARGUMENTS = 2_000;

/** Only a complete answer lets a call run. */
export function checkedDecision(answer: unknown): ApprovalDecision {
  const { decision, arguments: changed } = (answer ?? {}) as Record<string, unknown>;
  if (decision === "approved" || decision === "denied") return answer as ApprovalDecision;
  if (decision === "modified" && isObject(changed)) {
    return answer as ApprovalDecision;
  }
  return { decision: "denied", because: "what came back from asking the person is no answer." };
}

export function denialWords({ message, because }: Extract<ApprovalDecision, { decision: "denied" }>): string {
  if (because !== undefined) return `NOT RUN: ${because} Nothing happened.`;
  return `NOT RUN: the person did not approve this call. Nothing happened.${said(message, " ")}`;
}

/** The lines before the answer of a call that the person changed or said something about; else nothing. */
export function approvalWords(answer: Exclude<ApprovalDecision, { decision: "denied" }>): string {
  if (answer.decision === "approved") {
    return answer.message === undefined || answer.message === ""
      ? ""
      : `The person approved this call.${said(answer.message, " ")}\n\n`;
  }
  const changed = cutText(JSON.stringify(answer.arguments), MAX_ARGUMENTS);
  return `The person changed the arguments to ${changed}; what follows answers that call, not yours.${said(answer.message, "\n")}\n\n`;
}

function said(message: string | undefined, before: string): string {
  return message === undefined || message === "" ? "" : `${before}The person says: ${message}`;
}
