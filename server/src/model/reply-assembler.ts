/** Puts streamed pieces of one reply together. Pure over the stream's events; knows no network. */
import type Anthropic from "@anthropic-ai/sdk";
import { given } from "../base/given.ts";
import { isBlank } from "../base/blank-text.ts";
import { cutText } from "../base/cut-text.ts";
import { whyTooLarge } from "../base/json-limits.ts";
import type {
  AssistantBlock,
  ModelEvent,
  ModelReply,
  ModelStopReason,
  ModelUsage,
  ToolUseBlock,
} from "./model-port.ts";
import type { StreamEvent } from "./reply-events.ts";
import { isObject } from "../base/is-object.ts";

const MAX_DETAILS = 500;

interface OpenBlock {
  readonly block: Record<string, unknown> & { type: string };
  json: string;
}

export class ReplyAssembler {
  readonly #open = new Map<number, OpenBlock>();
  readonly #content: AssistantBlock[] = [];
  #usage: ModelUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  #stopReason: ModelStopReason | undefined;
  #stopped = false;
  /** Ids of the calls that the conversation knows already. */
  readonly #ids: Set<string>;
  /** Who replies, as `OpaqueBlock.by` has it. */
  readonly #by: string;
  #stopDetails: string | undefined;

  constructor(ids: Iterable<string> = [], by = "") {
    this.#ids = new Set(ids);
    this.#by = by;
  }

  /** Whether the server has said that the reply is over. What comes after that does not belong to the reply. */
  get isOver(): boolean {
    return this.#stopped;
  }

  /** Takes one event of the wire and answers what it means to the loop. */
  take(event: StreamEvent): ModelEvent[] {
    switch (event.type) {
      case "message_start":
        this.#takeUsage((event.message as Anthropic.Message | undefined)?.usage);
        return [{ kind: "counted", usage: this.#usage }];
      case "content_block_start":
        return this.#start(event.index, event.content_block);
      case "content_block_delta":
        return this.#delta(event.index, event.delta);
      case "content_block_stop":
        return this.#stop(event.index);
      case "message_delta":
        this.#takeUsage(event.usage);
        this.#takeEnd(event.delta);
        return [{ kind: "counted", usage: this.#usage }];
      case "message_stop":
        this.#stopped = true;
        return [...this.#open.keys()].flatMap((index) => this.#stop(index));
      default:
        return []; // `ping`, and events younger than this code.
    }
  }

  /**
   * The whole reply, or undefined when the stream ended before its end: such a reply is never used. Some servers end with the
   * reason alone, others give none.
   */
  finish(): ModelReply | undefined {
    if (!this.#stopped && (this.#stopReason === undefined || this.#open.size > 0)) return undefined;
    const hasCall = this.#content.some(({ kind }) => kind === "toolUse");
    const stopReason = this.#stopReason ?? (hasCall ? "toolUse" : "endTurn");
    const details = given({ stopDetails: this.#stopDetails });
    return { kind: "done", content: this.#content, stopReason, ...details, usage: this.#usage };
  }

  /** Some servers begin a block anew for each of its pieces, and end none. */
  #start(index: number, block: unknown): ModelEvent[] {
    // What it is, its first piece says.
    if (!isBlock(block)) return this.#stop(index);
    const old = this.#open.get(index)?.block;
    if (old?.type === block.type && (block.type === "text" || block.type === "thinking"))
      return this.#delta(index, { ...block, type: `${block.type}_delta` });
    return [...this.#stop(index), ...this.#begin(index, block)];
  }

  #begin(index: number, block: OpenBlock["block"]): ModelEvent[] {
    const isCall = block.type === "tool_use";
    const own = isCall ? { ...block, id: this.#newId(block["id"]) } : { ...block };
    this.#open.set(index, { block: own, json: "" });
    if (isCall) return [{ kind: "toolCallStarted", id: String(own.id), name: String(block["name"]) }];
    const text = pieceOf(block["text"]);
    return block.type === "text" && text !== "" ? [{ kind: "text", text }] : [];
  }

  /** Servers that number the calls of each reply anew give an id twice: its second call would get the first one's result. */
  #newId(sent: unknown): string {
    const id = typeof sent === "string" && /^[\w-]+$/.test(sent) ? sent : "call";
    let own = id;
    for (let next = 2; this.#ids.has(own); next += 1) own = `${id}_${next}`;
    this.#ids.add(own);
    return own;
  }

  #delta(index: number, delta: unknown): ModelEvent[] {
    if (!isBlock(delta)) return [];
    const { type } = delta;
    // Some servers begin no block before its first piece; of a call they would not have said which one it is.
    const kind = /^(text|thinking)_delta$/.exec(type)?.[1];
    if (kind !== undefined && !this.#open.has(index)) this.#begin(index, { type: kind });
    const open = this.#open.get(index);
    if (open === undefined) return [];
    switch (type) {
      case "text_delta":
        append(open.block, "text", delta["text"]);
        return [{ kind: "text", text: pieceOf(delta["text"]) }];
      case "thinking_delta":
        append(open.block, "thinking", delta["thinking"]);
        return [{ kind: "thinking", text: pieceOf(delta["thinking"]) }];
      case "signature_delta":
        append(open.block, "signature", delta["signature"]);
        return [];
      case "input_json_delta":
        open.json += pieceOf(delta["partial_json"]);
        return [];
      default:
        return [];
    }
  }

  #stop(index: number): ModelEvent[] {
    const open = this.#open.get(index);
    if (open === undefined) return [];
    this.#open.delete(index);
    if (open.block.type === "text") {
      const text = pieceOf(open.block["text"]);
      if (!isBlank(text)) this.#content.push({ kind: "text", text });
      return [];
    }
    if (open.block.type === "tool_use") {
      const call = toToolUse(open);
      this.#content.push(call);
      return [{ kind: "toolCallReady", call }];
    }
    const block = { kind: "opaque", value: open.block, by: this.#by } as const;
    this.#content.push(block);
    return [{ kind: "opaqueReady", block }];
  }

  #takeEnd(delta: Anthropic.RawMessageDeltaEvent["delta"] | undefined): void {
    if (typeof delta?.stop_reason === "string") this.#stopReason = toStopReason(delta.stop_reason);
    this.#stopDetails = detailsOf(delta?.stop_details) ?? this.#stopDetails;
  }

  /** Some servers send a 0 for what they have counted before, and null for what they do not count. */
  #takeUsage(usage: Partial<Record<keyof Anthropic.Usage, unknown>> | null | undefined): void {
    const count = (value: unknown, old: number): number => (typeof value === "number" && value > 0 ? value : old);
    const anHour = (usage?.cache_creation as { ephemeral_1h_input_tokens?: unknown } | null | undefined)
      ?.ephemeral_1h_input_tokens;
    this.#usage = {
      inputTokens: count(usage?.input_tokens, this.#usage.inputTokens),
      outputTokens: count(usage?.output_tokens, this.#usage.outputTokens),
      cacheReadTokens: count(usage?.cache_read_input_tokens, this.#usage.cacheReadTokens),
      cacheWriteTokens: count(usage?.cache_creation_input_tokens, this.#usage.cacheWriteTokens),
      ...given({ cacheWrite1hTokens: typeof anHour === "number" ? anHour : this.#usage.cacheWrite1hTokens }),
    };
  }
}

function append(block: Record<string, unknown>, key: string, piece: unknown): void {
  block[key] = pieceOf(block[key]) + pieceOf(piece);
}

function pieceOf(piece: unknown): string {
  return typeof piece === "string" ? piece : "";
}

function toToolUse(open: OpenBlock): ToolUseBlock {
  const id = String(open.block["id"]);
  const name = String(open.block["name"]);
  const begun = open.block["input"] ?? {};
  const sent = open.json.trim() === "" && typeof begun === "string" ? begun : open.json;
  const input = sent.trim() === "" ? begun : parsed(sent);
  const reason = isObject(input) ? whyTooLarge(input) : "not a JSON object";
  if (reason === undefined && isObject(input)) return { kind: "toolUse", id, name, arguments: input };
  // Refused arguments are not sent back either: a history with them could not be sent at all.
  return { kind: "toolUse", id, name, arguments: {}, invalid: { reason: reason ?? "", sent } };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

function isBlock(value: unknown): value is OpenBlock["block"] {
  return isObject(value) && typeof value["type"] === "string";
}

/** As in "cyber: …"; servers that are not Anthropic's send anything here, or nothing. */
function detailsOf(details: unknown): string | undefined {
  if (!isObject(details)) return undefined;
  const words = [details["category"], details["explanation"]].filter((each) => typeof each === "string" && each !== "");
  return words.length === 0 ? undefined : cutText(words.join(": "), MAX_DETAILS);
}

function toStopReason(reason: string): ModelStopReason {
  switch (reason) {
    case "tool_use":
      return "toolUse";
    case "max_tokens":
      return "maxTokens";
    case "refusal":
      return "refusal";
    case "pause_turn":
      return "pauseTurn";
    case "model_context_window_exceeded":
      return "contextFull";
    default:
      return "endTurn"; // `end_turn`, `stop_sequence`, and reasons younger than this code.
  }
}
