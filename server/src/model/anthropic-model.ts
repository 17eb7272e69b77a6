/** The model port over `@anthropic-ai/sdk`: any server that speaks the Messages API, streaming, no beta feature needed. */
import Anthropic, { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import { setTimeout as sleep } from "node:timers/promises";
import type { AssistantBlock, ModelEvent, ModelMessage, ModelPort, ModelRequest, UserBlock } from "./model-port.ts";
import { ModelFailure } from "./model-port.ts";
import { ReplyAssembler } from "./reply-assembler.ts";
import { adviceForStatus, MAX_ATTEMPTS, waitBefore, type RetryAdvice } from "./retry.ts";

export interface AnthropicModelOptions {
  readonly apiKey: string | null;
  readonly authToken: string | null;
  /** null for Anthropic's own servers. */
  readonly baseUrl: string | null;
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export function createAnthropicModel(options: AnthropicModelOptions): ModelPort {
  const client = new Anthropic({
    apiKey: options.apiKey ?? (options.authToken === null ? "none" : null),
    authToken: options.authToken,
    ...(options.baseUrl === null ? {} : { baseURL: options.baseUrl }),
    // Retries are ours: the person sees each wait, and a cut stream is retried too.
    maxRetries: 0,
    logLevel: "off",
  });
  const wait = options.wait ?? (async (ms, signal) => sleep(ms, undefined, { signal }));
  return { stream: (request, signal) => streamWithRetries(client, options, wait, request, signal) };
}

async function* streamWithRetries(
  client: Anthropic,
  options: AnthropicModelOptions,
  wait: (ms: number, signal: AbortSignal) => Promise<void>,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const body = toBody(request, options.baseUrl === null);
  for (let attempt = 1; ; attempt += 1) {
    let advice: RetryAdvice;
    try {
      const assembler = new ReplyAssembler();
      const stream = await client.messages.create({ ...body, stream: true }, { signal });
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
      advice = adviceFor(error);
    }
    if (!advice.retry) throw new ModelFailure(explain(advice, options));
    if (attempt === MAX_ATTEMPTS) {
      throw new ModelFailure(
        `The model did not answer in ${MAX_ATTEMPTS} attempts. The last problem was ${advice.reason}.`,
      );
    }
    const waitMs = waitBefore(attempt, advice);
    yield { kind: "retrying", attempt, waitMs, reason: advice.reason };
    await wait(waitMs, signal);
  }
}

function adviceFor(error: unknown): RetryAdvice {
  if (error instanceof APIConnectionError) {
    const cause = error.cause instanceof Error ? `: ${error.cause.message}` : "";
    return { retry: true, reason: `no connection to the model${cause}` };
  }
  if (error instanceof APIError) {
    const headers = error.headers as Headers | undefined;
    if (error.status !== undefined)
      return adviceForStatus(error.status as number, error.apiMessage ?? error.message, headers);
    // An `error` event in the middle of a stream has no status, only a type.
    const type = error.type ?? "";
    const retry = ["overloaded_error", "api_error", "rate_limit_error", "timeout_error"].includes(type);
    return { retry, reason: `${type || "stream error"}: ${error.apiMessage ?? error.message}` };
  }
  // What a broken stream throws differs by platform and version; each means the reply did not arrive whole.
  return { retry: true, reason: `the reply was cut (${error instanceof Error ? error.message : String(error)})` };
}

function explain(advice: RetryAdvice, options: AnthropicModelOptions): string {
  const where = options.baseUrl ?? "the Anthropic API";
  if (advice.reason.startsWith("401")) {
    return `${where} did not accept the key (${advice.reason}). Set ANTHROPIC_API_KEY to a valid key and restart the server.`;
  }
  return `${where} refused the request (${advice.reason}).`;
}

function toBody(request: ModelRequest, cached: boolean): Anthropic.MessageCreateParamsNonStreaming {
  const cacheControl = cached ? { cache_control: { type: "ephemeral" as const } } : {};
  return {
    model: request.model,
    max_tokens: request.maxTokens,
    system: [{ type: "text", text: request.system, ...cacheControl }],
    messages: request.messages.map((message, index) =>
      toMessage(message, cached && index === request.messages.length - 1),
    ),
    tools: request.tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      input_schema: tool.inputSchema as unknown as Anthropic.Tool.InputSchema,
    })),
  };
}

function toMessage(message: ModelMessage, cached: boolean): Anthropic.MessageParam {
  if (message.role === "assistant") return { role: "assistant", content: message.content.map(toAssistantBlock) };
  const content = message.content.map(toUserBlock);
  const last = content.at(-1);
  if (cached && last !== undefined) last.cache_control = { type: "ephemeral" };
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
