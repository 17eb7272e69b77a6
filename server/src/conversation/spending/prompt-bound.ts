/** How many tokens a request can have at most: what was counted of its beginning, and a byte for a token of what is new. */
import type { ModelMessage, ModelRequest, ModelUsage, UserBlock, AssistantBlock } from "../../model/model-port.ts";

/** More than any provider counts for one picture. */
const PICTURE = 5_000;
/** What the provider's own format adds around a block or a tool. */
const AROUND = 50;

export class PromptBounds {
  /** By the last message of a request: the tokens of the request and of its reply. */
  readonly #counted = new WeakMap<ModelMessage, number>();

  counted({ messages }: Pick<ModelRequest, "messages">, usage: ModelUsage): void {
    const last = messages.at(-1);
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
    if (last !== undefined) this.#counted.set(last, inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens);
  }

  of({ messages, system, tools }: Pick<ModelRequest, "messages" | "system" | "tools">): number {
    const known = messages.findLastIndex((message) => this.#counted.has(message));
    const counted = messages[known] === undefined ? undefined : this.#counted.get(messages[known]);
    if (counted === undefined) return bytes(system) + toolBytes(tools) + messageBytes(messages);
    const fresh = messages.slice(known + 1);
    // The reply was counted with its request.
    return counted + messageBytes(fresh[0]?.role === "assistant" ? fresh.slice(1) : fresh);
  }
}

function toolBytes(tools: ModelRequest["tools"]): number {
  return tools.reduce((sum, tool) => sum + AROUND + bytes(JSON.stringify(tool)), 0);
}

function messageBytes(messages: readonly ModelMessage[]): number {
  const blocks = messages.flatMap((message): readonly (UserBlock | AssistantBlock)[] => message.content);
  return blocks.reduce((sum, block) => sum + AROUND + blockBytes(block), 0);
}

function blockBytes(block: UserBlock | AssistantBlock): number {
  if (block.kind === "image") return PICTURE;
  if (block.kind === "text") return bytes(block.text);
  return block.kind === "toolResult" ? bytes(block.content) : bytes(JSON.stringify(block));
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}
