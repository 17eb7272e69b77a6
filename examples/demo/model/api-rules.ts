/**
 * What the Messages API refuses, in its words, each rule with a public source that quotes them: the scripted model is as
 * strict, so that a conversation which goes on here goes on there.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import { imageSize } from "image-size";
import { blocksOf, type ContentBlock, type Message, type RequestBody } from "./request-body.ts";
import { prefixOf, signatureOf } from "./signature.ts";

interface Rule {
  /** Where the words of the refusal can be read. */
  readonly source: string;
  /** Why the request is refused, or undefined. */
  readonly problem: (body: RequestBody) => string | undefined;
}

interface Placed extends ContentBlock {
  readonly at: string;
  readonly message: number;
  readonly role: Message["role"];
}

const DOCS = "https://platform.claude.com/docs/en";
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const ID = /^[a-zA-Z0-9_-]+$/;
const PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/;
/** Of a pair that is whole JSON has the character itself. */
const HALF_PAIR = /(?<=(?<!\\)(?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/;
const OPTIONAL = ["cache_control", "is_error", "content"];
/** Of the kinds of blocks that a request without the provider's own tools has. */
const FIELDS: Readonly<
  Record<string, { readonly role?: Message["role"]; readonly fields: readonly string[] } | undefined>
> = {
  text: { fields: ["text", "cache_control"] },
  image: { role: "user", fields: ["source", "cache_control"] },
  tool_result: { role: "user", fields: ["tool_use_id", "content", "is_error", "cache_control"] },
  tool_use: { role: "assistant", fields: ["id", "name", "input", "cache_control"] },
  thinking: { role: "assistant", fields: ["thinking", "signature"] },
  redacted_thinking: { role: "assistant", fields: ["data"] },
};
const validator = new Ajv2020({ strict: false, logger: false });
/** Those of one run come again with each request. */
const schemas = new Map<string, boolean>();
const MAX_BYTES = 32 * 2 ** 20;
const MAX_PICTURE_BYTES = 5 * 2 ** 20;
const MAX_SIDE = 8_000;
const MAX_SIDE_OF_MANY = 2_000;
const MANY = 20;
const MAX_MARKS = 4;

const RULES: readonly Rule[] = [
  {
    source: "https://github.com/anthropics/claude-code/issues/23390",
    problem: (body) =>
      found(body, "text", ({ at, text }) =>
        String(text).trim() === ""
          ? `messages: text content blocks must contain non-whitespace text (${at})`
          : undefined,
      ),
  },
  {
    source: "https://github.com/home-assistant/core/issues/140005",
    problem: (body) =>
      found(body, "tool_use", ({ at, name, id }) => {
        if (!NAME.test(String(name))) return `${at}.tool_use.name: String should match pattern '${NAME.source}'`;
        return ID.test(String(id)) ? undefined : `${at}.tool_use.id: String should match pattern '${ID.source}'`;
      }),
  },
  {
    source: "https://github.com/anthropics/claude-code/issues/21317",
    problem: (body) => {
      const ids = placed(body).flatMap(({ type, id }) => (type === "tool_use" ? [String(id)] : []));
      return new Set(ids).size < ids.length ? "messages: `tool_use` ids must be unique" : undefined;
    },
  },
  {
    source: "https://github.com/anthropics/claude-code/issues/6696",
    problem: (body) =>
      found(body, "tool_use", ({ at, input }) =>
        typeof input === "object" && input !== null && !Array.isArray(input)
          ? undefined
          : `${at}.tool_use.input: Input should be a valid dictionary`,
      ),
  },
  { source: "https://github.com/anthropics/claude-code/issues/1831", problem: problemOfResults },
  {
    source: `${DOCS}/api/errors`,
    problem: ({ messages }) => {
      if (messages[0]?.role !== "user") return "messages: first message must use the user role";
      const wrong = messages.findIndex(({ role }) => role !== "user" && role !== "assistant");
      if (wrong >= 0) return `messages.${wrong}.role: Input should be 'user' or 'assistant'`;
      const empty = messages.findIndex((message) => blocksOf(message).length === 0);
      if (empty >= 0) return `messages.${empty}: user messages must have non-empty content`;
      const last = messages.at(-1);
      // https://github.com/tailcallhq/forgecode/issues/1872
      const end = last?.role === "assistant" ? blocksOf(last).at(-1) : undefined;
      return end?.type === "text" && /\s$/.test(String(end["text"]))
        ? "messages: final assistant content cannot end with trailing whitespace"
        : undefined;
    },
  },
  { source: "https://github.com/lbjlaq/Antigravity-Manager/issues/498", problem: problemOfThoughts },
  { source: "https://github.com/anthropics/claude-code/issues/12894", problem: problemOfMissingThoughts },
  { source: "https://github.com/langchain-ai/langchain/issues/31208", problem: problemOfFields },
  {
    source: "https://github.com/anthropics/claude-code/issues/1939",
    problem: (body) => {
      const text = JSON.stringify(body);
      const at = HALF_PAIR.exec(text)?.index;
      return at === undefined
        ? undefined
        : `The request body is not valid JSON: no low surrogate in string: line 1 column ${at + 1} (char ${at})`;
    },
  },
  { source: "https://github.com/makenotion/notion-mcp-server/issues/340", problem: problemOfTools },
  {
    source: "https://github.com/anthropics/claude-code/issues/63673",
    problem: ({ tools = [] }) => {
      const wrong = tools.findIndex((tool) => !isSchema(tool["input_schema"] as Readonly<Record<string, unknown>>));
      return wrong < 0
        ? undefined
        : `tools.${wrong}.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12).`;
    },
  },
  { source: "https://github.com/anthropics/claude-code/issues/5147", problem: problemOfPictures },
  {
    source: "https://github.com/tghamm/Anthropic.SDK/issues/50",
    problem: (body) => {
      const marked = [...systemOf(body), ...(body.tools ?? []), ...placed(body)].filter(
        (each) => each["cache_control"] !== undefined,
      );
      return marked.length > MAX_MARKS
        ? `A maximum of ${MAX_MARKS} blocks with cache_control may be provided. Found ${marked.length}.`
        : undefined;
    },
  },
  {
    source: "https://github.com/headroomlabs-ai/headroom/issues/2939",
    problem: (body) => {
      const marks = [...(body.tools ?? []), ...systemOf(body), ...placed(body)].flatMap(
        ({ cache_control: mark }) => (mark as { readonly ttl?: string } | undefined) ?? [],
      );
      const short = marks.findIndex(({ ttl = "5m" }) => ttl === "5m");
      return short >= 0 && marks.slice(short).some(({ ttl }) => ttl === "1h")
        ? "cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block."
        : undefined;
    },
  },
  {
    source: `${DOCS}/api/errors`,
    problem: (body) => (JSON.stringify(body).length > MAX_BYTES ? "Request exceeds the maximum size" : undefined),
  },
  {
    source: `${DOCS}/build-with-claude/extended-thinking`,
    problem: ({ max_tokens: longest, thinking }) => {
      const budget = (thinking as { readonly budget_tokens?: number } | undefined)?.budget_tokens;
      if (budget === undefined) return undefined;
      if (budget < 1_024) return "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024";
      return budget < longest ? undefined : "`max_tokens` must be greater than `thinking.budget_tokens`";
    },
  },
  { source: "https://github.com/run-llama/llama_index/issues/19641", problem: problemOfChoice },
];

/** Why the real API would refuse this request, or undefined. */
export function problemOf(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null) return "the body is not a JSON object";
  const { model, max_tokens: maxTokens, messages } = body as Partial<RequestBody>;
  if (typeof model !== "string" || model === "") return "model: Field required";
  if (!Number.isInteger(maxTokens) || Number(maxTokens) < 1) return "max_tokens: a whole number above 0 is required";
  if (!Array.isArray(messages) || messages.length === 0) return "messages: at least one message is required";
  for (const { problem } of RULES) {
    const refusal = problem(body as RequestBody);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function placed({ messages }: RequestBody): Placed[] {
  return messages.flatMap((message, index) =>
    blocksOf(message).map((block, place) => ({
      ...block,
      at: `messages.${index}.content.${place}`,
      message: index,
      role: message.role,
    })),
  );
}

function found(body: RequestBody, type: string, problem: (block: Placed) => string | undefined): string | undefined {
  for (const block of placed(body)) {
    const refusal = block.type === type ? problem(block) : undefined;
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Whatever draft it names. */
function isSchema({ $schema: _draft, ...schema }: Readonly<Record<string, unknown>>): boolean {
  const key = JSON.stringify(schema);
  const is = schemas.get(key) ?? validator.validateSchema(schema) === true;
  schemas.set(key, is);
  return is;
}

function systemOf({ system }: RequestBody): readonly ContentBlock[] {
  return typeof system === "string" || system === undefined ? [] : system;
}

function problemOfTools({ tools = [] }: RequestBody): string | undefined {
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const at = `tools.${index}.custom`;
    const name = String(tool["name"]);
    if (!NAME.test(name)) return `${at}.name: String should match pattern '${NAME.source}'`;
    if (names.has(name)) return `tools: Tool names must be unique, "${name}" is not`;
    names.add(name);
    const schema = (tool["input_schema"] ?? {}) as Readonly<Record<string, unknown>>;
    if (schema["type"] !== "object") return `${at}.input_schema.type: Input should be 'object'`;
    if (["oneOf", "allOf", "anyOf"].some((key) => schema[key] !== undefined))
      return `${at}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`;
    // Only those at the top are looked at.
    if (Object.keys(schema["properties"] ?? {}).some((key) => !PROPERTY.test(key)))
      return `${at}.input_schema.properties: Property keys should match pattern '${PROPERTY.source}'`;
  }
  return undefined;
}

/** A thought comes back as the same model has sent it, and no message ends with one. */
function problemOfThoughts(body: RequestBody): string | undefined {
  const { messages, model } = body;
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message);
    for (const [place, { type, thinking, signature }] of blocks.entries()) {
      if (type !== "thinking") continue;
      const [own, prefix] = String(signature).split(".");
      const at = `messages.${index}.content.${place}: Invalid \`signature\` in \`thinking\` block`;
      if (own !== signatureOf(String(thinking), model)) return at;
      if (prefix !== undefined && prefix !== prefixOf(body, index))
        return `${at}. The block is bound to a different conversation.`;
    }
    if (/thinking/.test(blocks.at(-1)?.type ?? "")) {
      return `messages.${index}: The final block in an assistant message cannot be \`thinking\`.`;
    }
  }
  return undefined;
}

/** Where the model has to think first, what was said since the prompt begins with what it thought. */
function problemOfMissingThoughts({ messages, thinking }: RequestBody): string | undefined {
  if ((thinking as { readonly type?: string } | undefined)?.type !== "enabled") return undefined;
  const asked = messages.findLastIndex(
    (message) => message.role === "user" && blocksOf(message).every(({ type }) => type !== "tool_result"),
  );
  const reply = messages[asked + 1];
  const first = reply === undefined ? "thinking" : (blocksOf(reply)[0]?.type ?? "");
  return /thinking/.test(first)
    ? undefined
    : `messages.${asked + 1}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`;
}

/** A block has the fields of its kind, and stands where its kind may stand. */
function problemOfFields(body: RequestBody): string | undefined {
  for (const { at, message: _message, role, type, ...fields } of placed(body)) {
    const known = FIELDS[type];
    if (known === undefined)
      return `${at}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${Object.keys(FIELDS).join(", ")}`;
    if (known.role !== undefined && known.role !== role)
      return `${at.replace(/\.content.*/, "")}: \`${type}\` blocks can only be in \`${known.role}\` messages`;
    const more = Object.keys(fields).find((name) => !known.fields.includes(name));
    if (more !== undefined) return `${at}.${type}.${more}: Extra inputs are not permitted`;
    const missing = known.fields.find((name) => !OPTIONAL.includes(name) && fields[name] === undefined);
    if (missing !== undefined) return `${at}.${type}.${missing}: Field required`;
  }
  return undefined;
}

function problemOfChoice({ tools = [], tool_choice: choice, thinking }: RequestBody): string | undefined {
  if (choice === undefined) return undefined;
  const { type, name } = choice as { readonly type: string; readonly name?: string };
  if (tools.length === 0) return "tool_choice: may only be specified while providing `tools`";
  if (type === "tool" && !tools.some((tool) => tool["name"] === name))
    return `Tool '${name}' not found in provided tools`;
  const isForced = type === "any" || type === "tool";
  const thinks = ((thinking as { readonly type?: string } | undefined)?.type ?? "disabled") !== "disabled";
  return isForced && thinks ? "Thinking may not be enabled when tool_choice forces tool use." : undefined;
}

/** Every tool call is answered once, at the beginning of the very next message, and nothing else is answered. */
function problemOfResults({ messages }: RequestBody): string | undefined {
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message);
    const results = blocks.filter(({ type }) => type === "tool_result");
    const answered = results.map((block) => String(block["tool_use_id"]));
    const missing = [...open].filter((id) => !answered.includes(id));
    const isLate = blocks.findLastIndex(({ type }) => type === "tool_result") >= results.length;
    if (missing.length > 0 || isLate) {
      return `messages.${index}: tool_use ids were found without tool_result blocks immediately after: ${missing.join(", ")}`;
    }
    const stray = answered.filter((id) => !open.has(id));
    if (stray.length > 0)
      return `messages.${index}: unexpected tool_use_id found in tool_result blocks: ${stray.join(", ")}`;
    if (new Set(answered).size < answered.length)
      return `messages.${index}: each tool_use must have a single result. Found multiple tool_result blocks`;
    const wordless = results.findIndex((block) => block["is_error"] === true && String(block["content"]).trim() === "");
    if (wordless >= 0)
      return `messages.${index}.content.${wordless}.tool_result: content cannot be empty if \`is_error\` is true`;
    open = new Set(blocks.flatMap(({ type, id }) => (type === "tool_use" ? [String(id)] : [])));
  }
  if (open.size > 0) return `messages: tool_use ids without tool_result blocks at the end: ${[...open].join(", ")}`;
  return undefined;
}

function problemOfPictures(body: RequestBody): string | undefined {
  const isMany = placed(body).filter(({ type }) => type === "image").length > MANY;
  return found(body, "image", ({ at, source }) => {
    const { data, media_type: type } = source as { readonly data: string; readonly media_type: string };
    const place = `${at}.image.source.base64`;
    if (data.length > MAX_PICTURE_BYTES)
      return `${place}: image exceeds 5 MB maximum: ${data.length} bytes > ${MAX_PICTURE_BYTES} bytes`;
    const size = sizeOf(Buffer.from(data, "base64"));
    if (size === undefined) return `${at}.image: Could not process image`;
    if (!type.endsWith(size.type === "jpg" ? "jpeg" : size.type))
      return `${at}.image: Image does not match the provided media type ${type}`;
    const longest = isMany ? MAX_SIDE_OF_MANY : MAX_SIDE;
    return Math.max(size.width, size.height) > longest
      ? `${place}.data: At least one of the image dimensions exceed max allowed size${isMany ? " for many-image requests" : ""}: ${longest} pixels`
      : undefined;
  });
}

function sizeOf(bytes: Buffer): { readonly width: number; readonly height: number; readonly type: string } | undefined {
  try {
    // image-size 2.1 reads on behind the end of a buffer that is a part of a larger one.
    const { width, height, type = "" } = imageSize(new Uint8Array(bytes));
    return { width, height, type };
  } catch {
    return undefined;
  }
}
