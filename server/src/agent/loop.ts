/** One turn: model reply, tool calls, results, and again, until the model ends. Pure over its ports. */
import type {
  AssistantBlock,
  Manner,
  ModelMessage,
  ModelPort,
  ModelReply,
  ToolChoice,
  UserBlock,
} from "../model/model-port.ts";
import { ModelFailure, OverBudget } from "../model/model-port.ts";
import type { ToolResult } from "../protocol/tool-shapes.ts";
import type { TurnEndReason } from "../protocol/turn-shapes.ts";
import { isSafe, MAX_CALLS, runCall, runCalls, toTexts, type CallInput, type CallPorts } from "./run-calls.ts";
import { answerUnanswered, callsIn, type StartedCalls } from "./unanswered-calls.ts";
import { given } from "../base/given.ts";

/** What the person said, and the same with the attachments, as the model reads it. */
export interface Said {
  readonly text: string;
  readonly forModel: string;
  /** They come before the text. */
  readonly pictures?: readonly UserBlock[];
  /** What went along, by names for people. */
  readonly attached?: readonly string[];
  /** Where the person was, in words for people. */
  readonly place?: string;
  readonly promptId?: string;
  readonly toolChoice?: ToolChoice;
}

export interface LoopPorts extends CallPorts {
  readonly model: Pick<ModelPort, "stream">;
  /** What the person said since the last boundary; it joins the next message to the model. */
  readonly takeQueued: () => readonly Said[];
  /** What else the model is to hear with the results of its calls. Contract: never rejects. */
  readonly takeNews?: () => Promise<readonly string[]>;
  /** Whether the person lets the turn go on after so many requests. Contract: never rejects; false once the signal aborts. */
  readonly mayGoOn: (requests: number, signal: AbortSignal) => Promise<boolean>;
}

export interface TurnInput extends CallInput {
  readonly modelName: string;
  readonly system: string;
  /** The conversation so far; the loop appends to it and leaves it valid however the turn ends. */
  readonly messages: ModelMessage[];
  /** How long a reply may be; undefined for as long as the model has it. */
  readonly maxTokens?: number | undefined;
  readonly manner?: Manner | undefined;
  /** Of the first request; "none" is of all. Whoever speaks meanwhile may choose again. */
  toolChoice?: ToolChoice | undefined;
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

const LOST_CALL = 'The reply was to end with a call of a tool, and none came. Say "go on" to ask again.';

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
    if (calls.length === 0 && reply.stopReason === "toolUse")
      ports.emit({ kind: "notice", level: "warning", message: LOST_CALL });
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
  const isOver = (): boolean => signal.aborted || ports.stopped.aborted;
  const mayGoOn = isOver() || requests % input.maxRounds !== 0 || (await ports.mayGoOn(requests, signal));
  if (results.length > 0) {
    // A turn that ends here leaves the queue to the next one.
    const more = mayGoOn && !isOver() ? await blocksBetween(input, ports) : [];
    input.messages.push({ role: "user", content: [...results, ...more] });
  }
  if (signal.aborted) return { reason: "cancelled" };
  if (ports.stopped.aborted) return { reason: "stopped" };
  if (mayGoOn) return undefined;
  const message = `The turn used ${requests} model requests and was ended. Say "go on" to continue.`;
  return { reason: "maxRounds", message };
}

/** What the model hears besides the results: news, and what the person said meanwhile. */
async function blocksBetween(input: TurnInput, ports: LoopPorts): Promise<UserBlock[]> {
  const news = (await ports.takeNews?.()) ?? [];
  const said = ports.takeQueued().flatMap((prompt): UserBlock[] => {
    const { text, forModel, pictures = [], attached, place, promptId, toolChoice } = prompt;
    if (toolChoice !== undefined) input.toolChoice = toolChoice;
    ports.emit({ kind: "queuedPrompt", text, ...given({ attached, place, promptId }) });
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
    toolChoice: input.toolChoice,
  };
  // A model that has to call a tool each time would never end the turn.
  if (input.toolChoice !== "none") input.toolChoice = "auto";
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
          heard.started.set(event.call.id, runCall(input, ports, event.call, { signal }));
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
