/** The person's decisions by ACP's `session/request_permission`: about hunks one by one, and about calls. */
import { fileURLToPath } from "node:url";
import {
  methods,
  type AgentContext,
  type ClientCapabilities,
  type PermissionOption,
  type RequestPermissionRequest,
  type ToolCallContent,
  type ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { TextDocument } from "vscode-languageserver-textdocument";
import { acceptance, rejection } from "../../client/carry-out.ts";
import type { ApprovalAnswer, Review, Reviewer } from "../../client/conversation.ts";
import { approvalText } from "../../client/questions.ts";
import { errorText } from "../../base/errors.ts";
import type { Hunk, HunkDecision, Proposal } from "../../protocol/proposal-shapes.ts";
import type { Approval } from "../../protocol/tool-shapes.ts";
import { showHidden } from "../../workspace/hidden-characters.ts";
import { reasonAsker, type AskReason } from "./reason.ts";
import { textBlock, titleOf } from "./updates.ts";

interface Option<Value> {
  readonly id: string;
  readonly name: string;
  readonly kind: PermissionOption["kind"];
  readonly value: Value;
}

/** A text says why there is no choice; `isOver` when the turn is over for the client. */
type Chosen<Value> = { readonly value: Value } | { readonly because: string; readonly isOver: boolean };

/** Above this a hunk is shown by itself, without the rest of its file. */
const WHOLE_FILE = 200_000;

export class Permissions {
  readonly #client: AgentContext;
  readonly #sessionId: string;
  readonly #keepDiff: (toolCallId: string, diff: readonly ToolCallContent[]) => void;
  readonly #why: AskReason;

  /** `keepDiff` hears what was accepted in which call. */
  constructor(
    client: AgentContext,
    sessionId: string,
    capabilities: ClientCapabilities,
    keepDiff: (toolCallId: string, diff: readonly ToolCallContent[]) => void,
  ) {
    [this.#client, this.#sessionId, this.#keepDiff] = [client, sessionId, keepDiff];
    this.#why = reasonAsker(client, sessionId, capabilities);
  }

  readonly review: Reviewer = async (proposal, placeOf, signal): Promise<Review> => {
    const decisions: HunkDecision[] = [];
    const toolCallId = proposal.toolCallId ?? proposal.proposalId;
    for (const [index, hunk] of proposal.hunks.entries()) {
      const diff = diffOf(hunk, placeOf(hunk).text);
      const following = proposal.hunks.slice(index);
      const many = proposal.hunks.length > 1;
      const toolCall: ToolCallUpdate = {
        toolCallId,
        title: showHidden(many ? `${proposal.title} (${index + 1} of ${proposal.hunks.length})` : proposal.title),
        kind: "edit",
        status: "pending",
        // Clients look at the beginning for a diff.
        content: [...diff, { type: "content", content: textBlock(wordsOf(proposal, hunk)) }],
        locations: [{ path: fileURLToPath(hunk.uri), line: hunk.range.start.line + 1 }],
      };
      const options = following.length > 1 ? [...ONE, ...REST] : ONE;
      const chosen = await this.#ask<HunkChoice>(toolCall, options, signal);
      if ("because" in chosen) {
        decisions.push(...following.map(({ id }) => rejection(id, chosen.because)));
        return { decisions, then: chosen.isOver ? "stop" : "continue" };
      }
      if (chosen.value === "accept" || chosen.value === "acceptAll") this.#keepDiff(toolCallId, diff);
      if (chosen.value === "acceptAll") {
        return { decisions: [...decisions, ...following.map(acceptance)], then: "continue" };
      }
      if (chosen.value === "accept") {
        decisions.push({ id: hunk.id, decision: "accept" });
        continue;
      }
      const rejected = chosen.value === "rejectAll" ? following : [hunk];
      const { reason } = await this.#why({ toolCallId, message: `Why not? ${toolCall.title}` }, signal);
      decisions.push(...rejected.map(({ id }) => rejection(id, reason)));
      if (chosen.value === "rejectAll") return { decisions, then: "continue" };
    }
    return { decisions, then: "continue" };
  };

  async approve(approval: Approval, signal: AbortSignal): Promise<ApprovalAnswer> {
    const { tool, answers, toolCallId } = approval;
    const toolCall = questionOf(approval);
    const denied: ApprovalAnswer = { decision: "denied" };
    const deny = { id: "deny", name: answers?.denied ?? "Deny", kind: "reject_once", value: denied } as const;
    const once = { id: "once", name: answers?.approved ?? "Allow once", kind: "allow_once" } as const;
    const options: Option<ApprovalAnswer | "always">[] = [deny, { ...once, value: { decision: "approved" } }];
    if (toolCallId !== undefined) {
      options.push({ id: "always", name: "Allow from now on", kind: "allow_always", value: "always" });
    } else if (answers?.always !== undefined) options.push(remembered("workspace", answers.always, "allow_always"));
    const first = await this.#ask(toolCall, options, signal);
    const isAlways = "value" in first && first.value === "always";
    const howLong = { ...toolCall, title: showHidden(`For how long? ${toolCall.title ?? tool}`) };
    const chosen = isAlways
      ? await this.#ask(
          howLong,
          [
            deny,
            remembered("session", "Allow for this conversation", "allow_once"),
            remembered("workspace", answers?.always ?? "Always allow in this project", "allow_always"),
          ],
          signal,
        )
      : (first as Chosen<ApprovalAnswer>);
    if ("value" in chosen) return chosen.value === denied ? this.#denied(toolCall, approval, signal) : chosen.value;
    return { decision: "denied", message: chosen.because, ...(chosen.isOver ? { then: "stop" } : {}) };
  }

  async #denied(
    { toolCallId, title }: ToolCallUpdate,
    approval: Approval,
    signal: AbortSignal,
  ): Promise<ApprovalAnswer> {
    const isCall = approval.toolCallId !== undefined && approval.question === undefined;
    const asked = { toolCallId, message: `Why not? ${title ?? ""}`, ...(isCall ? { args: approval.arguments } : {}) };
    const { reason, changed } = await this.#why(asked, signal);
    const message = reason === "" ? {} : { message: reason };
    return changed === undefined
      ? { decision: "denied", ...message }
      : { decision: "modified", arguments: changed, ...message };
  }

  /** What is not a clear choice of one of the options is no choice. Never rejects. */
  async #ask<Value>(
    toolCall: ToolCallUpdate,
    options: readonly Option<Value>[],
    signal: AbortSignal,
  ): Promise<Chosen<Value>> {
    const offered = options.map(({ id, name, kind }) => ({ optionId: id, name, kind }));
    const params: RequestPermissionRequest = { sessionId: this.#sessionId, toolCall, options: offered };
    try {
      const answer = await this.#client.request(methods.client.session.requestPermission, params, {
        cancellationSignal: signal,
        stopWaitingOnCancel: true,
      });
      const { outcome } = answer;
      if (outcome.outcome === "cancelled") return { because: "The client closed the question.", isOver: true };
      const found = options.find(({ id }) => id === outcome.optionId);
      if (found !== undefined) return { value: found.value };
      return { because: "The client gave an answer that was not offered.", isOver: false };
    } catch (error) {
      return { because: `The client could not ask the person: ${errorText(error)}`, isOver: false };
    }
  }
}

function questionOf(approval: Approval): ToolCallUpdate {
  const { tool, arguments: args, why, risk, question, toolCallId, approvalId } = approval;
  const words = [question ?? "", why, risk].filter((each) => each !== "").join("\n\n");
  const raw = question === undefined ? `\n\n\`\`\`\`json\n${JSON.stringify(args, undefined, 2)}\n\`\`\`\`` : "";
  return {
    toolCallId: toolCallId ?? approvalId,
    title: question === undefined ? wholeTitleOf(approval) : showHidden(question),
    kind: tool.startsWith("mcp__") ? "other" : "execute",
    status: "pending",
    rawInput: args,
    content: [{ type: "content", content: textBlock(showHidden(words + raw)) }],
  };
}

/** Some clients show the title alone: nothing that a yes allows is left out there. */
function wholeTitleOf(approval: Approval): string {
  const { tool, arguments: args } = approval;
  const title = titleOf(tool, args);
  const isWhole = Object.values(args).every((value) => typeof value === "string" && title.includes(value));
  return isWhole ? title : approvalText(approval);
}

type HunkChoice = (typeof ONE)[number]["value"] | (typeof REST)[number]["value"];

// Clients have a key for each kind, so no question has two options of one kind; and the first one is what a key pressed by
// mistake may choose, so that one changes nothing.
const ONE = [
  { id: "reject", name: "Reject", kind: "reject_once", value: "reject" },
  { id: "accept", name: "Accept", kind: "allow_once", value: "accept" },
] as const;
const REST = [
  { id: "accept-all", name: "Accept this and all that follow", kind: "allow_always", value: "acceptAll" },
  { id: "reject-all", name: "Reject this and all that follow", kind: "reject_always", value: "rejectAll" },
] as const;

function remembered(
  remember: "session" | "workspace",
  name: string,
  kind: PermissionOption["kind"],
): Option<ApprovalAnswer> {
  return { id: remember, name, kind, value: { decision: "approved", remember } };
}

function wordsOf({ why, check }: Proposal, hunk: Hunk): string {
  const whole = {
    edit: "",
    create: "The file is new.",
    delete: "The whole file is deleted.",
    rename: `The file moves to ${hunk.newUri === undefined ? "another place" : fileURLToPath(hunk.newUri)}.`,
    entry: "What no text shows changes.",
  }[hunk.kind];
  const errors = check.introduced.slice(0, 3).map(({ message }) => `The compiler finds with all hunks: ${message}`);
  return showHidden([hunk.title, why, whole, ...errors].filter((each) => each !== "").join("\n\n"));
}

/** The file as it is, and as it is with this hunk alone: clients show what differs with the lines around it. */
function diffOf(hunk: Hunk, text: string): ToolCallContent[] {
  if (hunk.kind === "rename" || hunk.kind === "entry") return [];
  const path = fileURLToPath(hunk.uri);
  const { oldText, newText, range } = hunk;
  if (hunk.kind === "create") return [{ type: "diff", path, oldText: null, newText: showHidden(newText) }];
  const document = TextDocument.create(hunk.uri, "", 0, text);
  const isThere = text.length <= WHOLE_FILE && document.getText(range) === oldText;
  const after = isThere ? TextDocument.applyEdits(document, [{ range, newText }]) : newText;
  return [{ type: "diff", path, oldText: showHidden(isThere ? text : oldText), newText: showHidden(after) }];
}
