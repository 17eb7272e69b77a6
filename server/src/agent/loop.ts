/** One turn: model reply, tool calls, results, and again, until the model ends. Pure over its ports. */
import type {
  AssistantBlock,
  Manner,
  ModelMessage,
  ModelPort,
  ModelReply,
  ModelToolSchema,
  ToolUseBlock,
  UserBlock,
} from "../model/model-port.ts";
import { ModelFailure, OverBudget } from "../model/model-port.ts";
import { cutText } from "../protocol/cut-text.ts";
import type { SafetyLevel, ToolCall, ToolResult, TurnEndReason, TurnEvent } from "../protocol/shapes.ts";
import type { CallContext } from "../tools/executor.ts";
import type { Answered, CurrentResult, RunAgain } from "../tools/up-to-date.ts";
import { resultText } from "./result-text.ts";
import {
  answerUnanswered,
  callsIn,
  resultBlocks,
  type CallAnswer,
  type StartedCalls,
  type ToTexts,
} from "./unanswered-calls.ts";
import { given } from "../given.ts";

/**
 * The tools as the loop sees them; `ToolExecutor` is one. Contract: `execute` never rejects; a failed call is a result
 * with `success: false`.
 */
export interface ToolRunner {
  schemas(sessionId: string): ModelToolSchema[] | Promise<ModelToolSchema[]>;
  safetyOf(name: string): SafetyLevel | undefined;
  execute(call: ToolCall, context: CallContext): Promise<ToolResult>;
  /** What may be shown, in the order of the answers: no answer from before a change that is shown before it. */
  upToDate(answers: readonly Answered[], again: RunAgain): Promise<CurrentResult[]>;
}

/** What the person said, and the same with the attachments, as the model reads it. */
export interface Said {
  readonly text: string;
  readonly forModel: string;
  /** They stand before the text. */
  readonly pictures?: readonly UserBlock[];
  /** What went along, by names for people. */
  readonly attached?: readonly string[];
  readonly promptId?: string;
}

export interface LoopPorts {
  readonly model: Pick<ModelPort, "stream">;
  readonly tools: ToolRunner;
  /** Events of one moment. */
  readonly emit: (...events: readonly TurnEvent[]) => void;
  /** What the person said since the last boundary; it joins the next message to the model. */
  readonly takeQueued: () => readonly Said[];
  /** What else the model is to hear with the results of its calls. Contract: never rejects. */
  readonly takeNews?: () => Promise<readonly string[]>;
  /** True once the person asked to end the turn after the running tool calls. */
  readonly stopRequested: () => boolean;
  /** Whether the person lets the turn go on after so many requests. Contract: never rejects; false once the signal aborts. */
  readonly mayGoOn: (requests: number, signal: AbortSignal) => Promise<boolean>;
}

export interface TurnInput {
  readonly sessionId: string;
  readonly modelName: string;
  readonly system: string;
  /** The conversation so far; the loop appends to it and leaves it valid however the turn ends. */
  readonly messages: ModelMessage[];
  /** Notes of results that the conversation holds already; the loop adds to them. */
  readonly toldNotes: Set<string>;
  /** How long a reply may be; undefined for as long as the model has it. */
  readonly maxTokens?: number | undefined;
  readonly manner?: Manner | undefined;
  readonly maxRounds: number;
}

export interface TurnEnd {
  readonly reason: TurnEndReason;
  readonly message?: string;
}

interface Reply extends Pick<ModelReply, "content" | "stopReason" | "stopDetails"> {
  readonly started: StartedCalls;
}

/** A reply while it streams: the part that has arrived when the reply is cut. */
interface Heard {
  readonly content: AssistantBlock[];
  readonly started: Map<string, Promise<ToolResult>>;
  /** Whether a safe call may still start at once: a call behind a change must see the change. */
  mayStart: boolean;
}

const MAX_QUOTED = 500;
/** More calls of one reply are not run. */
const MAX_CALLS = 100;

/** Runs the turn to its end. Never rejects: a failure is an end reason with its sentence. */
export async function runTurn(input: TurnInput, ports: LoopPorts, signal: AbortSignal): Promise<TurnEnd> {
  for (let round = 1; ; round += 1) {
    const heard: Heard = { content: [], started: new Map(), mayStart: true };
    let reply: Reply;
    try {
      reply = await readReply(input, ports, heard, signal);
    } catch (error) {
      const reason = signal.aborted ? "cancelled" : error instanceof OverBudget ? "budget" : "error";
      await keepWhatWasSaid(input, ports, heard, reason);
      if (signal.aborted) return { reason };
      if (error instanceof ModelFailure) return { reason, message: error.message };
      throw error;
    }
    if (reply.content.length > 0) input.messages.push({ role: "assistant", content: reply.content });
    const calls = callsIn(reply.content);
    const ended = endOf(reply);
    if (ended !== undefined && (calls.length === 0 || reply.stopReason !== "endTurn")) {
      const { reason } = ended;
      await answerUnanswered(input.messages, { calls, started: reply.started, reason, toTexts: toTexts(input, ports) });
      return ended;
    }
    if (calls.length === 0 && reply.stopReason !== "pauseTurn") return { reason: "endTurn" };
    const results = await runCalls(input, ports, { calls, started: reply.started }, signal);
    const end = await answerCalls(input, ports, { results, requests: round }, signal);
    if (end !== undefined) return end;
  }
}

/** Puts the results into the conversation. Answers how the turn ends here, or undefined where the turn goes on. */
async function answerCalls(
  input: TurnInput,
  ports: LoopPorts,
  { results, requests }: { readonly results: readonly UserBlock[]; readonly requests: number },
  signal: AbortSignal,
): Promise<TurnEnd | undefined> {
  const isOver = (): boolean => signal.aborted || ports.stopRequested();
  const mayGoOn = isOver() || requests % input.maxRounds !== 0 || (await ports.mayGoOn(requests, signal));
  if (results.length > 0) {
    // A turn that ends here leaves the queue to the next one.
    const more = mayGoOn && !isOver() ? await blocksBetween(ports) : [];
    input.messages.push({ role: "user", content: [...results, ...more] });
  }
  if (signal.aborted) return { reason: "cancelled" };
  if (ports.stopRequested()) return { reason: "stopped" };
  if (mayGoOn) return undefined;
  const message = `The turn used ${requests} model requests and was ended. Say "go on" to continue.`;
  return { reason: "maxRounds", message };
}

/** What the model hears besides the results: news, and what the person said meanwhile. */
async function blocksBetween(ports: LoopPorts): Promise<UserBlock[]> {
  const news = (await ports.takeNews?.()) ?? [];
  const said = ports.takeQueued().flatMap(({ text, forModel, pictures = [], attached, promptId }): UserBlock[] => {
    ports.emit({ kind: "queuedPrompt", text, ...given({ attached, promptId }) });
    return [...pictures, { kind: "text", text: forModel }];
  });
  return [...news.map((text): UserBlock => ({ kind: "text", text })), ...said];
}

async function readReply(input: TurnInput, ports: LoopPorts, heard: Heard, signal: AbortSignal): Promise<Reply> {
  const request = {
    model: input.modelName,
    system: input.system,
    messages: input.messages,
    tools: await ports.tools.schemas(input.sessionId),
    maxTokens: input.maxTokens,
    manner: input.manner,
  };
  for await (const event of ports.model.stream(request, signal)) {
    switch (event.kind) {
      case "text":
        hearText(heard, event.text);
        ports.emit(event);
        break;
      case "thinking":
        ports.emit(event);
        break;
      case "toolCallStarted":
        ports.emit({ kind: "toolCall", toolCallId: event.id, name: event.name, state: "preparing" });
        break;
      case "toolCallReady":
        heard.content.push(event.call);
        if (!isSafe(ports, event.call)) heard.mayStart = false;
        else if (heard.mayStart && heard.started.size < MAX_CALLS)
          heard.started.set(event.call.id, runCall(input, ports, event.call, signal));
        break;
      case "counted":
        break;
      case "opaqueReady":
        heard.content.push(event.block);
        break;
      case "leftOut":
        ports.emit({ kind: "notice", level: "warning", message: event.message });
        break;
      case "retrying":
        heard.content.length = 0;
        heard.started.clear();
        heard.mayStart = true;
        ports.emit(event);
        break;
      case "done":
        ports.emit({ kind: "usage", model: input.modelName, ...event.usage });
        return { ...event, started: heard.started };
    }
    signal.throwIfAborted();
  }
  signal.throwIfAborted();
  throw new ModelFailure("The model's reply ended without a reason.", "cut");
}

function hearText({ content }: Heard, text: string): void {
  if (text === "") return;
  const last = content.at(-1);
  if (last?.kind === "text") content[content.length - 1] = { kind: "text", text: last.text + text };
  else content.push({ kind: "text", text });
}

/** A call that changes nothing: a safe one, or one that cannot run at all. */
function isSafe(ports: LoopPorts, call: ToolUseBlock): boolean {
  return call.invalid !== undefined || (ports.tools.safetyOf(call.name) ?? "safe") === "safe";
}

/**
 * Runs the calls in the model's order, so that no answer is computed before a change that precedes it. Consecutive safe
 * calls run together. Every call gets its result.
 */
async function runCalls(
  input: TurnInput,
  ports: LoopPorts,
  { calls, started: early }: { readonly calls: readonly ToolUseBlock[]; readonly started: StartedCalls },
  signal: AbortSignal,
): Promise<UserBlock[]> {
  const started = new Map(early);
  const answers: CallAnswer[] = [];
  for (const [index, call] of calls.entries()) {
    if (ports.stopRequested() && !started.has(call.id)) {
      answers.push({ call, notRun: "NOT RUN: the person stopped the turn before this call." });
      continue;
    }
    if (index >= MAX_CALLS) {
      answers.push({ call, notRun: `NOT RUN: only the first ${MAX_CALLS} calls of a reply are run.` });
      continue;
    }
    for (const next of calls.slice(index, MAX_CALLS)) {
      if (next !== call && !(isSafe(ports, call) && isSafe(ports, next))) break;
      if (!started.has(next.id)) started.set(next.id, runCall(input, ports, next, signal));
    }
    const result = await started.get(call.id);
    if (result !== undefined) answers.push({ call, result });
  }
  return resultBlocks(answers, toTexts(input, ports, signal));
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
  const result = await ports.tools.execute(
    { id, name, arguments: call.arguments },
    {
      sessionId: input.sessionId,
      caller: "model",
      signal,
      onWaiting: () => ports.emit({ ...card, state: "waitingApproval" }),
      onApproved: () => ports.emit({ ...card, state: "running" }),
      ...given({ unusable: whyUnusable(call) }),
    },
  );
  ports.emit({ ...card, state: "done" }, { kind: "toolResult", toolCallId: id, name, result });
  return result;
}

function whyUnusable({ name, invalid }: ToolUseBlock): string | undefined {
  if (invalid === undefined) return undefined;
  return `The arguments of ${name} were ${invalid.reason}; nothing was run. You sent: ${cutText(invalid.sent, MAX_QUOTED)}`;
}

/** Without a signal no call is run again: the turn is over. */
function toTexts(input: TurnInput, ports: LoopPorts, signal?: AbortSignal): ToTexts {
  return async (answers) => {
    const again: RunAgain = async (call) => {
      const own = answers.find((each) => each.call === call);
      const isOver = own === undefined || signal === undefined || signal.aborted;
      return isOver ? undefined : runCall(input, ports, own.call, signal);
    };
    const results = await ports.tools.upToDate(answers, again);
    return results.map((result) => ({ text: resultText(result, input.toldNotes), isError: !result.success }));
  };
}

function endOf({ stopReason, stopDetails }: Reply): TurnEnd | undefined {
  switch (stopReason) {
    case "endTurn":
      return { reason: "endTurn" };
    case "maxTokens":
      return { reason: "maxTokens", message: 'The reply reached its token limit. Say "go on" to continue.' };
    case "contextFull":
      return {
        reason: "maxTokens",
        message: 'The reply filled what was left of the model\'s context. Say "go on" to continue.',
      };
    case "refusal":
      return { reason: "refusal", message: refusalWords(stopDetails) };
    case "toolUse":
    case "pauseTurn":
      return undefined;
  }
}

function refusalWords(details: string | undefined): string {
  const why = details === undefined ? "" : ` (${details.replace(/\.$/, "")})`;
  return `The model refused to answer this${why}. Ask in other words, or go on from before this message.`;
}

/** After a cancel or failure: what the person saw stays in the history, calls in it are answered. */
async function keepWhatWasSaid(
  input: TurnInput,
  ports: LoopPorts,
  { content, started }: Heard,
  reason: TurnEndReason,
): Promise<void> {
  if (content.length === 0) return;
  input.messages.push({ role: "assistant", content });
  const end = { calls: callsIn(content), started, reason, toTexts: toTexts(input, ports) };
  await answerUnanswered(input.messages, end);
}
