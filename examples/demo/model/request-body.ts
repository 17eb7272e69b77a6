/** The part of a Messages API request that the scripted model reads, and the rules by which it refuses one. */

import { signatureOf } from "./signature.ts";

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

/** Why the real API would refuse this request, or undefined. */
export function problemOf(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null) return "the body is not a JSON object";
  const { model, max_tokens: maxTokens, messages, tools } = body as Partial<RequestBody>;
  if (typeof model !== "string" || model === "") return "model: Field required";
  if (!Number.isInteger(maxTokens) || Number(maxTokens) < 1) return "max_tokens: a whole number above 0 is required";
  if (!Array.isArray(messages) || messages.length === 0) return "messages: at least one message is required";
  return problemOfTools(tools ?? []) ?? problemOfMessages(messages) ?? problemOfThoughts(messages, model);
}

function problemOfTools(tools: readonly Readonly<Record<string, unknown>>[]): string | undefined {
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const name = String(tool["name"]);
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name)) return `tools.${index}.name: "${name}" is not a tool name`;
    if (names.has(name)) return `tools: Tool names must be unique, "${name}" is not`;
    names.add(name);
    const schema = tool["input_schema"] as Readonly<Record<string, unknown>> | undefined;
    if (tool["type"] === undefined && schema?.["type"] !== "object") {
      return `tools.${index}.input_schema.type: must be "object"`;
    }
  }
  return undefined;
}

/** A thought comes back as the same model has sent it, and no message ends with one. */
function problemOfThoughts(messages: readonly Message[], model: string): string | undefined {
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message);
    for (const [place, { type, thinking, signature }] of blocks.entries()) {
      if (type === "thinking" && signature !== signatureOf(String(thinking), model)) {
        return `messages.${index}.content.${place}: Invalid \`signature\` in \`thinking\` block`;
      }
    }
    if (/thinking/.test(blocks.at(-1)?.type ?? "")) {
      return `messages.${index}: The final block in an assistant message cannot be \`thinking\`.`;
    }
  }
  return undefined;
}

/** Every tool call is answered by the very next message, and nothing else is answered. */
function problemOfMessages(messages: readonly Message[]): string | undefined {
  if (messages[0]?.role !== "user") return "messages: first message must use the user role";
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message);
    if (blocks.length === 0) return `messages.${index}: content must not be empty`;
    const answered = new Set<string>();
    const asked = new Set<string>();
    for (const [place, block] of blocks.entries()) {
      const at = `messages.${index}.content.${place}`;
      if (block.type === "text" && String(block["text"]).trim() === "") {
        return `${at}: text content blocks must be non-empty`;
      }
      if (block.type === "tool_result") answered.add(String(block["tool_use_id"]));
      if (block.type === "tool_use") {
        if (typeof block["input"] !== "object" || block["input"] === null) return `${at}.input: must be an object`;
        asked.add(String(block["id"]));
      }
    }
    const missing = [...open].filter((id) => !answered.has(id));
    if (missing.length > 0) {
      return `messages.${index}: tool_use ids were found without tool_result blocks immediately after: ${missing.join(", ")}`;
    }
    const stray = [...answered].filter((id) => !open.has(id));
    if (stray.length > 0)
      return `messages.${index}: unexpected tool_use_id found in tool_result blocks: ${stray.join(", ")}`;
    open = asked;
  }
  if (open.size > 0) return `messages: tool_use ids without tool_result blocks at the end: ${[...open].join(", ")}`;
  return undefined;
}
