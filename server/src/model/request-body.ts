/** A request as the Messages API takes it. A message is written in the same bytes each time: the provider keeps beginnings. */
import type Anthropic from "@anthropic-ai/sdk";
import { isBlank } from "../base/blank-text.ts";
import type {
  AssistantBlock,
  ModelEntry,
  ModelMessage,
  ModelRequest,
  ModelToolSchema,
  ToolChoice,
  UserBlock,
} from "./model-port.ts";
import type { Refusals } from "./refusals.ts";
import { thinkingFields, type ThinkingFields } from "./thinking.ts";

export interface Circumstances {
  readonly entry: ModelEntry | undefined;
  readonly refused: Refusals;
  /** The length that the server has said to be the longest; undefined before it said so. */
  readonly mostTokens: number | undefined;
  /** Who is asked, as `OpaqueBlock.by` has it. */
  readonly by: string;
  /** Messages whose thoughts the server did not take back. */
  readonly thoughtless: WeakSet<ModelMessage>;
  /** Pictures that the server did not take. */
  readonly unseen: WeakSet<Picture>;
  /** The names of tools that the server did not take. */
  readonly untaken: ReadonlySet<string>;
}

export type Picture = Extract<UserBlock, { readonly kind: "image" }>;

export type Body = Anthropic.MessageCreateParamsNonStreaming & { readonly temperature?: number };

interface Marks {
  readonly cache_control?: { readonly type: "ephemeral"; readonly ttl?: "1h" };
}

/** The longest reply where neither the person nor the server's list says how long one may be. */
export const USUAL_TOKENS = 16_000;

/** The API refuses large pictures, or the whole request, where a request has more. */
const MAX_PICTURES = 20;
const MAX_PICTURE_BYTES = 20 * 2 ** 20;

/** The text that replaces one without a word. */
const SILENCE = "(nothing)";
const UNSEEN = "(A picture stood here that is not sent any more.)";
const LONGEST_NAME = 64;

/** Which picture a block of a body shows. */
export const pictures = new WeakMap<object, Picture>();

export function toBody(request: ModelRequest, circumstances: Circumstances): Body {
  const { entry, refused, mostTokens, untaken } = circumstances;
  const { manner = {} } = request;
  const longest = Math.min(entry?.maxTokens ?? Infinity, mostTokens ?? Infinity);
  const maxTokens = Math.min(request.maxTokens ?? (longest === Infinity ? USUAL_TOKENS : longest), longest);
  const tools = request.tools.filter(({ name }) => !untaken.has(name));
  const choice = tools.length === 0 || refused.has("toolChoice") ? undefined : choiceOf(request.toolChoice);
  const isForced = choice !== undefined && choice.type !== "none";
  const marks = request.isOnly === true ? {} : marksOf(refused);
  const seen = { ...circumstances, unseen: unseenOf(request.messages, circumstances.unseen) };
  const messages = inTurns(request.messages.flatMap((message) => toMessage(message, seen) ?? []));
  messages.forEach((message, index) => {
    if (messages[index + 1]?.role !== "user") withoutEndingBlanks(message);
  });
  const asked = { model: request.model, manner, entry, maxTokens, isForced };
  // The next request begins with everything up to the last user message; the one before is found when the last brought
  // many blocks.
  for (const { content } of messages.filter(({ role }) => role === "user").slice(-2)) {
    const last = Array.isArray(content) ? content.at(-1) : undefined;
    if (last !== undefined) Object.assign(last, marks);
  }
  return {
    model: request.model,
    max_tokens: maxTokens,
    ...fittingThinking(asked, refused, messages),
    ...(manner.temperature === undefined || refused.has("temperature") ? {} : { temperature: manner.temperature }),
    system: [{ type: "text", text: request.system, ...marks }],
    messages,
    ...(tools.length === 0
      ? {}
      : { tools: tools.map((tool, index) => toTool(tool, index === tools.length - 1 ? marks : {})) }),
    ...(choice === undefined ? {} : { tool_choice: choice }),
  };
}

/** Where the model has to think first, the API takes no reply that goes on without the thought with which it has to begin. */
function fittingThinking(
  asked: Parameters<typeof thinkingFields>[0],
  refused: Refusals,
  messages: readonly Anthropic.MessageParam[],
): ThinkingFields {
  const fields = thinkingFields(asked, refused);
  const fits = fields.thinking?.type !== "enabled" || beginsWithThought(messages);
  return fits ? fields : thinkingFields({ ...asked, isForced: true }, refused);
}

function choiceOf(choice: ToolChoice = "auto"): Anthropic.ToolChoice | undefined {
  if (choice === "auto") return undefined;
  if (typeof choice === "object") return { type: "tool", name: choice.name };
  return { type: choice === "required" ? "any" : "none" };
}

function toTool({ name, description, inputSchema }: ModelToolSchema, marks: Marks): Anthropic.Tool {
  return { name, description, input_schema: inputSchema as unknown as Anthropic.Tool.InputSchema, ...marks };
}

/** An hour, as a review may take longer than the five minutes without `ttl`. */
function marksOf(refused: Refusals): Marks {
  if (refused.has("cache")) return {};
  return { cache_control: { type: "ephemeral", ...(refused.has("ttl") ? {} : { ttl: "1h" as const }) } };
}

function toMessage(message: ModelMessage, circumstances: Circumstances): Anthropic.MessageParam | undefined {
  if (message.role === "user") return toUserMessage(message.content, circumstances);
  const isThoughtless = circumstances.thoughtless.has(message);
  const isOwn = (block: AssistantBlock): boolean => {
    if (block.kind === "text" && isBlank(block.text)) return false;
    if (block.kind !== "opaque") return true;
    // Other blocks of a provider's own nobody asked for, and a server refuses the whole history for one that it does not know.
    return isThought(block) && !isThoughtless && (block.by === undefined || block.by === circumstances.by);
  };
  const content = message.content.filter(isOwn);
  // The API takes no message that ends with a thought, as that of a reply that was cut does.
  const end = content.findLastIndex((block) => !isThought(block)) + 1;
  return end === 0 ? undefined : { role: "assistant", content: content.slice(0, end).map(toAssistantBlock) };
}

/**
 * The API takes no reply with blanks at its end to go on with. Such a reply is sent in the same words ever after, as the
 * thoughts of what follows are bound to these words.
 */
function withoutEndingBlanks(message: Anthropic.MessageParam): void {
  const last = message.role === "assistant" && Array.isArray(message.content) ? message.content.at(-1) : undefined;
  if (last?.type === "text") last.text = last.text.trimEnd();
}

function toUserMessage(content: readonly UserBlock[], circumstances: Circumstances): Anthropic.MessageParam {
  const said = content.filter((block) => block.kind !== "text" || !isBlank(block.text));
  const blocks = said.map((block) => toUserBlock(block, circumstances));
  return { role: "user", content: blocks.length === 0 ? [{ type: "text", text: SILENCE }] : blocks };
}

/**
 * What the person said twice in a row, after a turn that failed, as one message: the API joins the two itself, and servers of
 * local models, whose templates want the sides to take turns, refuse them.
 */
function inTurns(messages: readonly Anthropic.MessageParam[]): Anthropic.MessageParam[] {
  const joined: Anthropic.MessageParam[] = [];
  for (const message of messages) {
    const before = joined.at(-1);
    if (before !== undefined && isSaid(before) && isSaid(message)) {
      joined[joined.length - 1] = { role: "user", content: before.content.concat(message.content) };
    } else joined.push(message);
  }
  return joined;
}

interface Said {
  readonly role: "user";
  readonly content: Anthropic.ContentBlockParam[];
}

function isSaid(message: Anthropic.MessageParam): message is Said {
  const { role, content } = message;
  return role === "user" && Array.isArray(content) && content.every(({ type }) => type !== "tool_result");
}

function isThought(block: AssistantBlock): boolean {
  if (block.kind !== "opaque") return false;
  const { type } = block.value as { readonly type?: string };
  return type === "thinking" || type === "redacted_thinking";
}

function toUserBlock(
  block: UserBlock,
  { unseen }: Circumstances,
): Anthropic.TextBlockParam | Anthropic.ImageBlockParam | Anthropic.ToolResultBlockParam {
  if (block.kind === "text") return { type: "text", text: block.text };
  if (block.kind === "image") return unseen.has(block) ? { type: "text", text: UNSEEN } : toImage(block);
  // The API refuses an error without a word.
  const content = isBlank(block.content) ? SILENCE : block.content;
  return { type: "tool_result", tool_use_id: block.toolCallId, content, is_error: block.isError };
}

function toImage(picture: Picture): Anthropic.ImageBlockParam {
  const media_type = picture.mediaType as Anthropic.Base64ImageSource["media_type"];
  const block = { type: "image", source: { type: "base64", media_type, data: picture.data } } as const;
  pictures.set(block, picture);
  return block;
}

function toAssistantBlock(block: AssistantBlock): Anthropic.ContentBlockParam {
  switch (block.kind) {
    case "text":
      return { type: "text", text: block.text };
    case "toolUse":
      return { type: "tool_use", id: block.id, name: namedAsTool(block.name), input: block.arguments };
    case "opaque":
      return toThought(block.value as Anthropic.ThinkingBlockParam | Anthropic.RedactedThinkingBlockParam);
  }
}

/** Without what a relay has put into it. */
function toThought(thought: Anthropic.ThinkingBlockParam | Anthropic.RedactedThinkingBlockParam): typeof thought {
  if (thought.type === "redacted_thinking") return { type: thought.type, data: thought.data };
  return { type: thought.type, thinking: thought.thinking, signature: thought.signature };
}

/** Whether all that was said since the prompt begins with a thought. */
function beginsWithThought(messages: readonly Anthropic.MessageParam[]): boolean {
  const asked = messages.findLastIndex((message) => isSaid(message));
  const reply = messages[asked + 1];
  return reply === undefined || (Array.isArray(reply.content) && /thinking/.test(reply.content[0]?.type ?? ""));
}

/** The pictures that do not go along: the server did not take them, or newer ones take all the room. */
function unseenOf(messages: readonly ModelMessage[], refused: Circumstances["unseen"]): Circumstances["unseen"] {
  const all = messages.flatMap(({ role, content }) =>
    role === "user" ? content.filter((block) => isPicture(block)) : [],
  );
  const unseen = new WeakSet(all.filter((picture) => refused.has(picture)));
  let [count, bytes] = [0, 0];
  for (const picture of all.toReversed()) {
    if (unseen.has(picture)) continue;
    count += 1;
    bytes += picture.data.length;
    if (count > MAX_PICTURES || bytes > MAX_PICTURE_BYTES) unseen.add(picture);
  }
  return unseen;
}

function isPicture(block: UserBlock): block is Picture {
  return block.kind === "image";
}

/** The API takes no other names, and models make up any. */
function namedAsTool(name: string): string {
  return name.replace(/[^\w-]+/g, "_").slice(0, LONGEST_NAME) || "_";
}
