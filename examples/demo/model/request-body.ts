/** The part of a Messages API request that the scripted model reads. */

export type ContentBlock = Readonly<Record<string, unknown>> & { readonly type: string };

export interface Message {
  readonly role: "user" | "assistant";
  readonly content: string | readonly ContentBlock[];
}

export interface RequestBody {
  readonly model: string;
  readonly max_tokens: number;
  readonly messages: readonly Message[];
  readonly system?: string | readonly ContentBlock[];
  readonly stream?: boolean;
  readonly tools?: readonly Readonly<Record<string, unknown>>[];
  readonly [other: string]: unknown;
}

export function blocksOf(message: Message): readonly ContentBlock[] {
  return typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
}

/** The text of a `content` field, which is a string or a list of blocks. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block: ContentBlock) => (block.type === "text" ? String(block["text"]) : "")).join("\n");
}
