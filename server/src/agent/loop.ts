/** One turn: model reply, tool calls, results, and again, until the model ends. Pure over its ports. */
import type {
  AssistantBlock,
  ModelMessage,
  ModelPort,
  ModelStopReason,
  ToolUseBlock,
  UserBlock,
} from "../model/model-port.ts";
import { ModelFailure } from "../model/model-port.ts";
import type { SafetyLevel, ToolCall, ToolResult, TurnEndReason, TurnEvent } from "../protocol/shapes.ts";
import type { CallContext } from "../tools/executor.ts";
import type { ToolSchema } from "../tools/registry.ts";

/** Contract: never rejects; a failed call is a result with `success: false`. */
export interface ToolRunner {
  schemas(): ToolSchema[];
  safetyOf(name: string): SafetyLevel | undefined;
  execute(call: ToolCall, context: CallContext): Promise<ToolResult>;
}

export interface LoopPorts {
  readonly model: ModelPort;
  readonly tools: ToolRunner;
  readonly emit: (event: TurnEvent) => void;
  /** What the person said since the last boundary; it joins the next message to the model. */
  readonly takeQueued: () => readonly string[];
  /** True once the person asked to end the turn after the running tool calls. */
  readonly stopRequested: () => boolean;
}

export interface TurnInput {
  readonly sessionId: string;
  readonly modelName: string;
  readonly system: string;
  /** The conversation so far; the loop appends to it and leaves it valid however the turn ends. */
  readonly messages: ModelMessage[];
  readonly maxTokens: number;
  readonly maxRounds: number;
}

export interface TurnEnd {
  readonly reason: TurnEndReason;
  readonly message?: string;
}

interface Reply {
  readonly content: readonly AssistantBlock[];
  readonly stopReason: ModelStopReason;
  /** Safe calls that were started while the reply still streamed. */
  readonly started: ReadonlyMap<string, Promise<ToolResult>>;
}

/** Runs the turn to its end. Never rejects: a failure is an end reason with its sentence. */
export async function runTurn(input: TurnInput, ports: LoopPorts, signal: AbortSignal): Promise<TurnEnd> {
  for (let round = 0; round < input.maxRounds; round += 1) {
    const heard: AssistantBlock[] = [];
    let reply: Reply;
    try {
      reply = await readReply(input, ports, heard, signal);
    } catch (error) {
      keepWhatWasSaid(input.messages, heard);
      if (signal.aborted) return { reason: "cancelled" };
      if (error instanceof ModelFailure) return { reason: "error", message: error.message };
      throw error;
    }
    if (reply.content.length > 0) input.messages.push({ role: "assistant", content: reply.content });
    const calls = reply.content.filter((block): block is ToolUseBlock => block.kind === "toolUse");
    const ended = endOf(reply.stopReason);
    if (ended !== undefined && (calls.length === 0 || reply.stopReason !== "endTurn")) {
      await answerCutReply(input.messages, calls, reply.started, ended);
      return ended;
    }
    if (reply.stopReason === "pauseTurn" && calls.length === 0) continue;
    if (calls.length === 0) return { reason: "endTurn" };
    const results = await runCalls(input, ports, calls, reply.started, signal);
    const queued: UserBlock[] = signal.aborted ? [] : ports.takeQueued().map((text) => ({ kind: "text", text }));
    input.messages.push({ role: "user", content: [...results, ...queued] });
    if (signal.aborted) return { reason: "cancelled" };
    if (ports.stopRequested()) return { reason: "stopped" };
  }
  return {
    reason: "maxRounds",
    message: `The turn used ${input.maxRounds} model requests and was ended. Say "go on" to continue.`,
  };
}

async function readReply(
  input: TurnInput,
  ports: LoopPorts,
  heard: AssistantBlock[],
  signal: AbortSignal,
): Promise<Reply> {
  const started = new Map<string, Promise<ToolResult>>();
  const request = {
    model: input.modelName,
    system: input.system,
    messages: input.messages,
    tools: ports.tools.schemas(),
    maxTokens: input.maxTokens,
  };
  let text = "";
  const noteText = (): void => {
    if (text !== "") heard.push({ kind: "text", text });
    text = "";
  };
  for await (const event of ports.model.stream(request, signal)) {
    switch (event.kind) {
      case "text":
        text += event.text;
        ports.emit(event);
        break;
      case "thinking":
        ports.emit(event);
        break;
      case "toolCallStarted":
        noteText();
        ports.emit({ kind: "toolCall", toolCallId: event.id, name: event.name, state: "preparing" });
        break;
      case "toolCallReady":
        heard.push(event.call);
        if (event.call.invalidJson === undefined && ports.tools.safetyOf(event.call.name) === "safe") {
          started.set(event.call.id, runCall(input, ports, event.call, signal));
        }
        break;
      case "retrying":
        text = "";
        heard.length = 0;
        started.clear();
        ports.emit(event);
        break;
      case "done":
        ports.emit({ kind: "usage", ...event.usage });
        return { content: event.content, stopReason: event.stopReason, started };
    }
    if (signal.aborted) {
      noteText();
      signal.throwIfAborted();
    }
  }
  noteText();
  signal.throwIfAborted();
  throw new ModelFailure("The model's reply ended without a reason.");
}

/** Safe calls run together; the others one after the other, in the model's order. Every call gets its result. */
async function runCalls(
  input: TurnInput,
  ports: LoopPorts,
  calls: readonly ToolUseBlock[],
  started: ReadonlyMap<string, Promise<ToolResult>>,
  signal: AbortSignal,
): Promise<UserBlock[]> {
  const blocks: UserBlock[] = [];
  for (const call of calls) {
    if (ports.stopRequested() && !started.has(call.id)) {
      blocks.push(toResultBlock(call.id, "NOT RUN: the person stopped the turn before this call.", true));
      continue;
    }
    const result = await (started.get(call.id) ?? runCall(input, ports, call, signal));
    blocks.push(toResultBlock(call.id, resultText(result), !result.success));
  }
  return blocks;
}

async function runCall(
  input: TurnInput,
  ports: LoopPorts,
  call: ToolUseBlock,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { id, name } = call;
  const card = { kind: "toolCall", toolCallId: id, name, arguments: call.arguments } as const;
  ports.emit({ ...card, state: "running" });
  const result =
    call.invalidJson === undefined
      ? await ports.tools.execute(
          { id, name, arguments: call.arguments },
          {
            sessionId: input.sessionId,
            caller: "model",
            signal,
            onWaiting: () => ports.emit({ ...card, state: "waitingApproval" }),
          },
        )
      : invalidJsonResult(call);
  ports.emit({ ...card, state: "done" });
  ports.emit({ kind: "toolResult", toolCallId: id, name, result });
  return result;
}

function invalidJsonResult(call: ToolUseBlock): ToolResult {
  const sent = (call.invalidJson ?? "").slice(0, 500);
  return {
    id: call.id,
    success: false,
    content: "",
    error: `The arguments of ${call.name} were not a JSON object; nothing was run. You sent: ${sent}`,
    metadata: { executionTimeMs: 0, safetyLevel: "safe", complete: false },
  };
}

function resultText(result: ToolResult): string {
  const notes = result.metadata.notes ?? [];
  const body = result.success ? result.content : (result.error ?? "failed");
  const extra = notes.length === 0 ? "" : `\nNotes:\n${notes.map((note) => `- ${note}`).join("\n")}`;
  const cursor = result.metadata.nextCursor === undefined ? "" : `\nMore with cursor: "${result.metadata.nextCursor}"`;
  // The API refuses empty results marked as errors, and models misread empty ones.
  return `${body}${extra}${cursor}` || "(empty)";
}

function toResultBlock(toolCallId: string, content: string, isError: boolean): UserBlock {
  return { kind: "toolResult", toolCallId, content, isError };
}

function endOf(reason: ModelStopReason): TurnEnd | undefined {
  switch (reason) {
    case "endTurn":
      return { reason: "endTurn" };
    case "maxTokens":
      return { reason: "maxTokens", message: 'The reply reached its token limit. Say "go on" to continue.' };
    case "contextFull":
      return {
        reason: "maxTokens",
        message: "The conversation no longer fits the model's context. Start a new session.",
      };
    case "refusal":
      return { reason: "refusal", message: "The model refused to answer this." };
    case "toolUse":
    case "pauseTurn":
      return undefined;
  }
}

/** A call without a result makes the history unusable: what was started is answered as it ended, the rest as not run. */
async function answerCutReply(
  messages: ModelMessage[],
  calls: readonly ToolUseBlock[],
  started: ReadonlyMap<string, Promise<ToolResult>>,
  end: TurnEnd,
): Promise<void> {
  if (calls.length === 0) return;
  const content: UserBlock[] = [];
  for (const call of calls) {
    const result = await started.get(call.id);
    content.push(
      result === undefined
        ? toResultBlock(call.id, notRun(end), true)
        : toResultBlock(call.id, resultText(result), !result.success),
    );
  }
  messages.push({ role: "user", content });
}

function notRun(end: TurnEnd): string {
  return `NOT RUN: the reply ended early (${end.reason}).`;
}

/** After a cancel or failure: what the person saw stays in the history, calls in it are answered. */
function keepWhatWasSaid(messages: ModelMessage[], heard: readonly AssistantBlock[]): void {
  if (heard.length === 0) return;
  messages.push({ role: "assistant", content: heard });
  const calls = heard.filter((block): block is ToolUseBlock => block.kind === "toolUse");
  if (calls.length === 0) return;
  const words = notRun({ reason: "cancelled" });
  messages.push({ role: "user", content: calls.map((call) => toResultBlock(call.id, words, true)) });
}
