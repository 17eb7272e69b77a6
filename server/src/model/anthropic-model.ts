/** The model port over `@anthropic-ai/sdk`: any server that speaks the Messages API, streaming, no beta feature needed. */
import Anthropic, { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import { setTimeout as sleep } from "node:timers/promises";
import { withoutHalfPairs } from "../protocol/well-formed-json.ts";
import { cutText } from "../protocol/cut-text.ts";
import { shownUrl } from "./model-config.ts";
import { CACHING, lessCaching, type Caching } from "./prompt-caching.ts";
import type { AssistantBlock, ModelEvent, ModelMessage, ModelPort, ModelRequest, UserBlock } from "./model-port.ts";
import { ModelFailure } from "./model-port.ts";
import { ReplyAssembler } from "./reply-assembler.ts";
import { adviceForStatus, MAX_ATTEMPTS, waitBefore, type RetryAdvice } from "./retry.ts";
import { errorText } from "../protocol/errors.ts";
import { EndlessReply, REPLY_LIMITS, StalledReply, watched, type ReplyLimits } from "./watched-reply.ts";

const MAX_REASON = 2_000;

export interface AnthropicModelOptions {
  readonly apiKey: string | null;
  readonly authToken: string | null;
  /** null for Anthropic's own servers. */
  readonly baseUrl: string | null;
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly limits?: ReplyLimits;
}

export function createAnthropicModel(options: AnthropicModelOptions): ModelPort {
  const client = new Anthropic({
    apiKey: options.apiKey ?? (options.authToken === null ? "none" : null),
    authToken: options.authToken,
    ...(options.baseUrl === null ? {} : { baseURL: options.baseUrl }),
    // Retries are ours: the person sees each wait, and a cut stream is retried too.
    maxRetries: 0,
    logLevel: "off",
    // A conversation goes to the address that the person named, and to no other.
    fetchOptions: { redirect: "manual" },
    fetch: carefulFetch(options.limits ?? REPLY_LIMITS),
  });
  const wait = options.wait ?? (async (ms, signal) => sleep(ms, undefined, { signal }));
  const link: Link = { client, options, wait, caching: CACHING[0] };
  return { stream: (request, signal) => streamWithRetries(link, request, signal) };
}

function carefulFetch(limits: ReplyLimits): typeof fetch {
  return async (input, init) => {
    // Half of a surrogate pair in a tool's output would have every later request of the conversation refused.
    const body = typeof init?.body === "string" ? { body: withoutHalfPairs(init.body) } : {};
    return watched(await fetch(input, { ...init, ...body }), limits);
  };
}

interface Link {
  readonly client: Anthropic;
  readonly options: AnthropicModelOptions;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The caching marks that the server at this address is known to take. */
  caching: Caching;
}

async function* streamWithRetries(link: Link, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  for (let attempt = 1; ;) {
    let advice: RetryAdvice;
    try {
      const assembler = new ReplyAssembler(callIds(request.messages));
      const body = toBody(request, link.caching);
      const { data: stream, response } = await link.client.messages
        .create({ ...body, stream: true }, { signal })
        .withResponse();
      const type = response.headers.get("content-type") ?? "";
      if (!type.startsWith("text/event-stream")) {
        stream.controller.abort();
        throw new ModelFailure(
          `${placeOf(link.options)} sent ${type || "something"} where a stream of events belongs. Is the address right?`,
        );
      }
      for await (const event of stream) yield* assembler.take(event);
      signal.throwIfAborted();
      const done = assembler.finish();
      if (done !== undefined) {
        yield done;
        return;
      }
      advice = { retry: true, reason: "the reply was cut before its end" };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ModelFailure) throw error;
      if (error instanceof EndlessReply)
        throw new ModelFailure(`${placeOf(link.options)} was cut off: ${error.message}.`);
      const less = lessCaching(link.caching, error);
      if (less !== undefined) {
        link.caching = less;
        continue;
      }
      const told = adviceFor(error);
      advice = { ...told, reason: withoutKeys(told.reason, link.options) };
    }
    if (!advice.retry) throw new ModelFailure(explain(advice, link.options));
    if (attempt === MAX_ATTEMPTS) {
      throw new ModelFailure(
        `The model did not answer in ${MAX_ATTEMPTS} attempts. The last problem was ${advice.reason}.`,
      );
    }
    const waitMs = waitBefore(attempt, advice);
    yield { kind: "retrying", attempt, waitMs, reason: advice.reason };
    await link.wait(waitMs, signal);
    attempt += 1;
  }
}

/** A provider may repeat what it was sent; its words go to the editor and into logs. */
function withoutKeys(text: string, { apiKey, authToken }: AnthropicModelOptions): string {
  let shown = text;
  for (const key of [apiKey, authToken]) {
    if (key !== null && key !== "") shown = shown.replaceAll(key, "[the key]");
  }
  return cutText(shown, MAX_REASON);
}

function adviceFor(error: unknown): RetryAdvice {
  if (error instanceof StalledReply) return { retry: true, reason: error.message };
  if (error instanceof APIConnectionError) {
    const cause = error.cause instanceof Error ? `: ${error.cause.message}` : "";
    return { retry: true, reason: `no connection to the model${cause}` };
  }
  if (error instanceof APIError) {
    const headers = error.headers as Headers | undefined;
    const status = error.status as number | undefined;
    if (status !== undefined && status >= 300 && status < 400) {
      const place = headers?.get("location") ?? "another address";
      return { retry: false, reason: `${status}: a redirect to ${place}, which is not followed` };
    }
    if (status !== undefined) return adviceForStatus(status, error.apiMessage ?? error.message, headers);
    // An `error` event in the middle of a stream has no status, only a type.
    const type = error.type ?? "";
    const retry = ["overloaded_error", "api_error", "rate_limit_error", "timeout_error"].includes(type);
    return { retry, reason: `${type || "stream error"}: ${error.apiMessage ?? error.message}` };
  }
  // What a broken stream throws differs by platform and version; each means the reply did not arrive whole.
  return { retry: true, reason: `the reply was cut (${errorText(error)})` };
}

function explain(advice: RetryAdvice, options: AnthropicModelOptions): string {
  const where = placeOf(options);
  if (advice.reason.startsWith("401")) {
    return `${where} did not accept the key (${advice.reason}). Set ANTHROPIC_API_KEY to a valid key and restart the server.`;
  }
  const isTooLong = /^413|prompt is too long|context (?:length|window)|maximum context/i.test(advice.reason);
  const next = isTooLong ? " The conversation no longer fits the model's context. Start a new one." : "";
  return `${where} refused the request (${advice.reason}).${next}`;
}

function placeOf({ baseUrl }: AnthropicModelOptions): string {
  return shownUrl(baseUrl) ?? "the Anthropic API";
}

function callIds(messages: readonly ModelMessage[]): Set<string> {
  const calls = messages.flatMap(({ content }) => content.filter((block) => block.kind === "toolUse"));
  return new Set(calls.map(({ id }) => id));
}

function toBody(request: ModelRequest, caching: Caching): Anthropic.MessageCreateParamsNonStreaming {
  const users = request.messages.flatMap(({ role }, index) => (role === "user" ? [index] : []));
  // The next request begins with everything up to the last user message; the one before is found when the last brought
  // many blocks.
  const marked = new Set(users.slice(-2));
  return {
    model: request.model,
    max_tokens: request.maxTokens,
    system: [{ type: "text", text: request.system, ...caching }],
    messages: request.messages.map((message, index) => toMessage(message, marked.has(index) ? caching : {})),
    tools: request.tools.map((tool, index) => ({
      name: tool.name,
      description: tool.description,
      input_schema: tool.inputSchema as unknown as Anthropic.Tool.InputSchema,
      ...(index === request.tools.length - 1 ? caching : {}),
    })),
  };
}

function toMessage(message: ModelMessage, caching: Caching): Anthropic.MessageParam {
  if (message.role === "assistant") return { role: "assistant", content: message.content.map(toAssistantBlock) };
  const content = message.content.map(toUserBlock);
  const last = content.at(-1);
  if (last !== undefined) Object.assign(last, caching);
  return { role: "user", content };
}

function toUserBlock(block: UserBlock): Anthropic.TextBlockParam | Anthropic.ToolResultBlockParam {
  if (block.kind === "text") return { type: "text", text: block.text };
  return { type: "tool_result", tool_use_id: block.toolCallId, content: block.content, is_error: block.isError };
}

function toAssistantBlock(block: AssistantBlock): Anthropic.ContentBlockParam {
  switch (block.kind) {
    case "text":
      return { type: "text", text: block.text };
    case "toolUse":
      return { type: "tool_use", id: block.id, name: block.name, input: block.arguments };
    case "opaque":
      return block.value as Anthropic.ContentBlockParam;
  }
}
