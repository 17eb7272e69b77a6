/** Calls of an MCP client: each goes to the executor as a model's call does, and may wait for a person in between. */
import { randomUUID } from "node:crypto";
import {
  inputRequired,
  inputResponse,
  type CallToolRequestParams,
  type CallToolResult,
  type InputRequiredResult,
  type InputResponseView,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { resultText } from "../../agent/result-text.ts";
import { showHidden } from "../../workspace/hidden-characters.ts";
import type { Services } from "../../services.ts";
import { given } from "../../base/given.ts";
import { errorText } from "../../base/errors.ts";
import type { Approval, ToolCall, ToolResult } from "../../protocol/tool-shapes.ts";
import { existingRealPath } from "../../workspace/real-path.ts";
import type { ReviewRequest } from "../review/review-request.ts";
import { decisionIn, questionForm } from "./approval-form.ts";
import { showProgress } from "./progress.ts";

/** Whether a server may ask by a request of its own, as until 2025, or only by an answer that asks. */
export type Era = "legacy" | "modern";

export type AskEditor = (request: ReviewRequest, signal: AbortSignal) => Promise<ToolResult | undefined>;

type Answer = CallToolResult | InputRequiredResult;

interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly stop: AbortController;
  /** What the person is to be asked, one after the other. */
  readonly questions: Approval[];
  readonly answer: Promise<CallToolResult>;
  /** Tells whoever waits for the call that there is a question. */
  wake: () => void;
}

const MAX_CALLS = 32;
/** A client may leave a question lying for good, and a call must not wait for good. */
const ANSWER_LIMIT_MS = 600_000;
const ASK = "approval";

export class ToolCalls {
  /** What takes its time just now, whichever call waits for it. */
  work: string | undefined;
  readonly #services: () => Promise<Services>;
  readonly #askEditor: AskEditor;
  readonly #open = new Map<string, OpenCall>();
  /** Notes that this client has read before. */
  readonly #told = new Set<string>();

  /** `askEditor` has an edit reviewed in an editor of the same person; undefined where none is there. */
  constructor(services: () => Promise<Services>, askEditor: AskEditor) {
    [this.#services, this.#askEditor] = [services, askEditor];
  }

  async call(params: CallToolRequestParams, context: ServerContext, era: Era): Promise<Answer> {
    const { mcpReq } = context;
    const state = mcpReq.requestState<string>();
    if (state === undefined && this.#open.size >= MAX_CALLS) {
      return failure(`NOT RUN: ${MAX_CALLS} calls run already. Wait for an answer, then call again.`);
    }
    const call = state === undefined ? this.#begin(params) : this.#open.get(state);
    if (call === undefined) return failure("No call waits for this answer. Call the tool anew, without requestState.");
    const stop = (): void => call.stop.abort();
    mcpReq.signal.addEventListener("abort", stop, { once: true });
    if (mcpReq.signal.aborted) stop();
    const progress = showProgress(context, () => this.work ?? call.name);
    try {
      const [question] = call.questions;
      if (state !== undefined && question !== undefined) {
        await this.#decide(question, inputResponse(mcpReq.inputResponses, ASK));
      }
      return await this.#follow(call, context, era);
    } finally {
      progress.end();
      mcpReq.signal.removeEventListener("abort", stop);
    }
  }

  /** Puts a question to the client, with the call that it is about. */
  ask(approval: Approval): void {
    const call = this.#open.get(approval.toolCallId ?? "") ?? [...this.#open.values()].at(-1);
    if (call === undefined) return void this.#decide(approval, "no call is open with which the person could be asked.");
    call.questions.push(approval);
    call.wake();
    const late = setTimeout(() => void this.#decide(approval, "nobody answered in time."), ANSWER_LIMIT_MS);
    void call.answer.finally(() => clearTimeout(late));
  }

  /** The question was answered or taken back. */
  settled(approvalId: string): void {
    for (const { questions } of this.#open.values()) {
      const index = questions.findIndex((question) => question.approvalId === approvalId);
      if (index >= 0) questions.splice(index, 1);
    }
  }

  /** The client is gone. */
  end(): void {
    for (const { stop } of this.#open.values()) stop.abort();
  }

  #begin({ name, arguments: args = {} }: CallToolRequestParams): OpenCall {
    const [id, stop] = [randomUUID(), new AbortController()];
    const answer = this.#run({ id, name, arguments: args }, stop.signal).finally(() => this.#open.delete(id));
    const call: OpenCall = { id, name, stop, questions: [], answer, wake: () => undefined };
    this.#open.set(id, call);
    return call;
  }

  /** Never rejects. */
  async #run(call: ToolCall, signal: AbortSignal): Promise<CallToolResult> {
    try {
      return await this.#execute(call, signal);
    } catch (error) {
      return failure(`${call.name} failed: ${errorText(error)}`);
    }
  }

  async #execute(call: ToolCall, signal: AbortSignal): Promise<CallToolResult> {
    const services = await this.#services();
    const { executor, registry, policy } = await services.tools();
    const tool = registry.getTool(call.name);
    if (tool?.asksItself === true && policy.denied(tool, call.arguments) === undefined) {
      const folders = services.paths.folders().map((folder) => existingRealPath(folder) ?? folder);
      const reviewed = await this.#askEditor({ folders, call }, signal);
      if (reviewed !== undefined) return answerOf(reviewed);
    }
    const execute = async (): Promise<ToolResult> => executor.execute(call, { caller: "model", signal });
    const [result] = await executor.upToDate([{ call, result: await execute() }], execute);
    if (result === undefined) return failure(`${call.name} gave no answer.`);
    const text = showHidden(resultText(result, this.#told));
    return { content: [{ type: "text", text }], isError: !result.success };
  }

  /** Until the call has its answer, or asks something that this protocol cannot ask in between. */
  async #follow(call: OpenCall, { mcpReq }: ServerContext, era: Era): Promise<Answer> {
    for (;;) {
      const asked = new Promise<undefined>((resolve) => (call.wake = () => resolve(undefined)));
      const answer = call.questions.length > 0 ? undefined : await Promise.race([call.answer, asked]);
      const [question] = call.questions;
      if (answer !== undefined) return answer;
      if (question === undefined) continue;
      const form = questionForm(question);
      if (era === "modern") {
        return inputRequired({ inputRequests: { [ASK]: inputRequired.elicit(form) }, requestState: call.id });
      }
      try {
        const options = { timeout: ANSWER_LIMIT_MS, signal: call.stop.signal };
        const params = { mode: "form", ...form };
        const { action, content } = await mcpReq.send({ method: "elicitation/create", params }, options);
        await this.#decide(question, { kind: "elicit", action, ...given({ content }) });
      } catch (error) {
        await this.#decide(question, `the client failed to ask the person: ${errorText(error)}.`);
      }
    }
  }

  async #decide({ approvalId }: Approval, answer: InputResponseView | string): Promise<void> {
    const { decision, options } = decisionIn(answer);
    const { approvals } = await this.#services();
    approvals.answer(approvalId, decision, options);
    this.settled(approvalId);
  }
}

function answerOf({ success, content, error = "failed" }: ToolResult): CallToolResult {
  return { content: [{ type: "text", text: showHidden(success ? content : error) }], isError: !success };
}

export function failure(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
