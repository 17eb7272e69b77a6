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
import type { CurrentResult } from "../../tools/run/up-to-date.ts";
import { resultText } from "../../agent/result-text.ts";
import { showHidden } from "../../workspace/hidden-characters.ts";
import type { Services } from "../../services.ts";
import { given } from "../../base/given.ts";
import { errorText } from "../../base/errors.ts";
import type { Approval, ToolCall, ToolResult } from "../../protocol/tool-shapes.ts";
import { existingRealPath } from "../../workspace/real-path.ts";
import type { Editor, Found } from "../handover/find-editor.ts";
import { isForEditor, isOfRepl, withNote, type Offer, type Taker } from "../handover/handover.ts";
import { ToolFailure, type Tool, type ToolAnswer } from "../../tools/tool.ts";
import { asData } from "./as-data.ts";
import { noProject } from "./folder.ts";
import { decisionIn, questionForm } from "./approval-form.ts";
import { showProgress } from "./progress.ts";

/** Whether a server may ask by a request of its own, as until 2025, or only by an answer that asks. */
export type Era = "legacy" | "modern";

export type FindEditor = (offered: Offer) => Promise<Found>;

interface CallOptions {
  /** Finds an editor of the same person that has the same folders open. */
  readonly findEditor: FindEditor;
  /** Answers are told as data too. */
  readonly isStructured: boolean;
}

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
  /** What the call waits for. */
  waits: string | undefined;
}

const MAX_CALLS = 32;
/** A client may leave a question lying for good, and a call must not wait for good. */
const ANSWER_LIMIT_MS = 600_000;
const ASK = "approval";

export class ToolCalls {
  /** What takes its time just now, whichever call waits for it. */
  work: string | undefined;
  /** As the client calls itself. */
  host = "agent";
  /** What the client calls its workspace. */
  folders: readonly string[] = [];
  readonly #services: () => Promise<Services>;
  readonly #options: CallOptions;
  readonly #open = new Map<string, OpenCall>();
  /** Notes that this client has read before. */
  readonly #told = new Set<string>();
  /** The editor in whose REPL the last call ran; undefined for the REPL of this server's own. */
  #shared: Editor | undefined;

  constructor(services: () => Promise<Services>, options: CallOptions) {
    [this.#services, this.#options] = [services, options];
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
    const progress = showProgress(context, () => call.waits ?? this.work ?? call.name);
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
    const open = { id, name, stop, questions: [], wake: () => undefined, waits: undefined };
    const answer = this.#run({ id, name, arguments: args }, stop.signal).finally(() => this.#open.delete(id));
    const call: OpenCall = { ...open, answer };
    this.#open.set(id, call);
    return call;
  }

  /** Never rejects. */
  async #run(call: ToolCall, signal: AbortSignal): Promise<CallToolResult> {
    try {
      const result = await this.execute(call, signal);
      const text = showHidden(resultText(result, this.#told));
      const { paths } = await this.#services();
      const mayTell = (uri: string): boolean => paths.resolve(uri).ok;
      const data = this.#options.isStructured ? asData(call.name, result, mayTell) : undefined;
      return { content: [{ type: "text", text }], isError: !result.success, ...given({ structuredContent: data }) };
    } catch (error) {
      return failure(error instanceof ToolFailure ? error.message : `${call.name} failed: ${errorText(error)}`);
    }
  }

  /** Here, or where an editor has the project open: edits are reviewed there, and code runs in the REPL that is there. */
  async execute(call: ToolCall, signal: AbortSignal): Promise<CurrentResult> {
    const { isStructured } = this.#options;
    const services = await this.#services();
    const { executor, registry } = await services.tools();
    const tool = registry.getTool(call.name);
    const folders = services.paths.folders().map((folder) => existingRealPath(folder) ?? folder);
    if (folders.length === 0) throw new ToolFailure(noProject(this.folders));
    const found: Found = tool !== undefined && isForEditor(tool) ? await this.#options.findEditor({ folders }) : {};
    const { editor } = found;
    const note = tool !== undefined && isOfRepl(tool) ? this.#whereNow(found, folders) : undefined;
    try {
      const elsewhere = editor === undefined ? undefined : this.#runIn(editor, call, tool, folders);
      const execute = async (): Promise<ToolResult> =>
        executor.execute(call, { caller: "model", signal, asData: isStructured, ...given({ elsewhere }) });
      const [result] = await executor.upToDate([{ call, result: await execute() }], execute);
      if (result === undefined) throw new Error("it gave no answer.");
      return note === undefined ? result : withNote(result, note);
    } finally {
      editor?.leave();
    }
  }

  /** What the client has to know about the REPL that its calls go to from now on. */
  #whereNow({ editor, near }: Found, folders: readonly string[]): string | undefined {
    const before = this.#shared;
    this.#shared = editor;
    if (editor?.id === before?.id) return near === undefined ? undefined : notShared(near, folders);
    const note =
      editor === undefined
        ? "No editor has the project open any more: the REPL is one of this server's own, without what was evaluated in the editor's."
        : `The REPL is that of ${editor.name}, which the person shares and sees. Values of another REPL are not there.`;
    // Each change is news, also the second one to the same place.
    this.#told.delete(note);
    return note;
  }

  #runIn(editor: Editor, { id, name }: ToolCall, tool: Tool | undefined, folders: readonly string[]): Tool["run"] {
    const words = `waits for your ${tool?.asksItself === true ? "review" : "answer"} in ${editor.name}`;
    return async (args, { signal, onWaiting }): Promise<ToolAnswer> => {
      const handover = {
        folders,
        call: { id, name, arguments: args },
        asData: this.#options.isStructured,
        host: this.host,
      };
      const onWaits = (waits: boolean): void => {
        const open = this.#open.get(id);
        if (open !== undefined) open.waits = waits ? words : undefined;
        if (waits) onWaiting?.();
      };
      const result = await editor.call(handover, signal, onWaits).catch((error: unknown) => {
        throw signal.aborted ? error : new ToolFailure(`${name} failed: ${errorText(error)}`);
      });
      if (result === null) throw new ToolFailure(`NOT RUN: ${editor.name} takes no ${name}.`);
      const { content, error, success, metadata } = result;
      if (!success) throw new ToolFailure(error ?? "failed");
      const { complete, truncated, nextCursor, notes } = metadata;
      const lists = (): Pick<ToolResult, "tests" | "evaluation"> =>
        given({ tests: result.tests, evaluation: result.evaluation });
      return { content, complete, ...given({ truncated, nextCursor, notes }), lists };
    };
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

export function failure(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** Said once: notes that were told are not told again. */
function notShared({ editor, instead }: Required<Taker>, folders: readonly string[]): string {
  return `${editor} has ${instead} open and this server ${folders.join(", ")}: their REPLs and reviews are apart. With --root ${instead} this server shares those of the editor.`;
}
