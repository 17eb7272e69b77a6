/**
 * Spans and metrics of OpenTelemetry's conventions for generative AI (1.41, in development there): what ran, for how long, with
 * what end and how many tokens. No text of a conversation, no argument and no result is told.
 */
import type * as Api from "@opentelemetry/api";
import { given } from "../base/given.ts";
import type { Model } from "../model/models.ts";
import { ModelFailure, type ModelReply, type ModelRequest } from "../model/model-port.ts";
import type { ToolCall } from "../protocol/tool-shapes.ts";
import type { TurnEndReason } from "../protocol/turn-shapes.ts";
import type { ToolHook } from "../tools/run/tool-hook.ts";

/** A request to a model, as somebody looks on. Exactly one of `replied` and `failed` is the last to be called. */
export interface RequestWatch {
  readonly retried: (attempt: number) => void;
  readonly replied: (reply: ModelReply) => void;
  /** Undefined for a request that was cancelled, or whose reply nobody read to its end. */
  readonly failed: (error: unknown) => void;
}

export interface TurnWatch {
  readonly ended: (reason: TurnEndReason) => void;
}

interface TurnAbout {
  readonly sessionId: string;
  /** The conversation whose question this one answers. */
  readonly parent?: string | undefined;
  readonly model: string;
}

/** All servers that are talked to speak Anthropic's Messages API; `server.address` tells them apart. */
const PROVIDER = { "gen_ai.provider.name": "anthropic" };
const AGENT = "agentq";
const CANCELLED = "cancelled";
const FINISH = {
  endTurn: "end_turn",
  toolUse: "tool_use",
  maxTokens: "max_tokens",
  refusal: "refusal",
  pauseTurn: "pause_turn",
  contextFull: "model_context_window_exceeded",
} as const satisfies Record<ModelReply["stopReason"], string>;

export class Telemetry {
  readonly hook: ToolHook;
  readonly #api: typeof Api;
  readonly #tracer: Api.Tracer;
  readonly #tokens: Api.Histogram;
  readonly #durations: Api.Histogram;
  readonly #version: string;
  /** The contexts of the turns that run, by conversation. */
  readonly #turns = new Map<string, Api.Context>();
  readonly #calls = new WeakMap<ToolCall, Api.Span>();

  constructor(api: typeof Api, version: string) {
    this.#api = api;
    this.#version = version;
    this.#tracer = api.trace.getTracer(AGENT, version);
    const meter = api.metrics.getMeter(AGENT, version);
    this.#tokens = meter.createHistogram("gen_ai.client.token.usage", { unit: "{token}" });
    this.#durations = meter.createHistogram("gen_ai.client.operation.duration", { unit: "s" });
    this.hook = {
      before: (call, _, { sessionId }) => this.#calls.set(call, this.#callSpan(call, sessionId)),
      after: (call) => this.#endCall(call),
      error: (call, _, error) => this.#endCall(call, errorType(error)),
      refused: (call, _, why, { sessionId }) => failed(this.#callSpan(call, sessionId), why, this.#api),
    };
  }

  turn({ sessionId, parent, model }: TurnAbout): TurnWatch {
    const attributes = {
      "gen_ai.operation.name": "invoke_agent",
      ...PROVIDER,
      "gen_ai.agent.name": AGENT,
      "gen_ai.agent.version": this.#version,
      "gen_ai.conversation.id": sessionId,
      "gen_ai.request.model": model,
    };
    const within = this.#within(parent);
    const span = this.#tracer.startSpan(`invoke_agent ${AGENT}`, { attributes }, within);
    this.#turns.set(sessionId, this.#api.trace.setSpan(within, span));
    return {
      ended: (reason) => {
        this.#turns.delete(sessionId);
        span.setAttribute("agentq.turn.end", reason);
        if (reason === "error") failed(span, "_OTHER", this.#api);
        else span.end();
      },
    };
  }

  request({ name, place }: Pick<Model, "name" | "place">, sessionId: string, request: ModelRequest): RequestWatch {
    const known = { "gen_ai.operation.name": "chat", ...PROVIDER, "gen_ai.request.model": name, ...serverOf(place) };
    const attributes = {
      ...known,
      "gen_ai.conversation.id": sessionId,
      ...given({
        "gen_ai.request.max_tokens": request.maxTokens,
        "gen_ai.request.temperature": request.manner?.temperature,
      }),
    };
    const { SpanKind } = this.#api;
    const span = this.#tracer.startSpan(`chat ${name}`, { kind: SpanKind.CLIENT, attributes }, this.#within(sessionId));
    const began = performance.now();
    const took = (more: Api.Attributes = {}): void =>
      this.#durations.record((performance.now() - began) / 1000, { ...known, ...more });
    return {
      retried: (attempt) => span.addEvent("retry", { attempt }),
      replied: ({ usage, stopReason }) => {
        const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
        const input = inputTokens + cacheReadTokens + cacheWriteTokens;
        span.setAttributes({
          "gen_ai.response.finish_reasons": [FINISH[stopReason]],
          "gen_ai.usage.input_tokens": input,
          "gen_ai.usage.output_tokens": outputTokens,
          "gen_ai.usage.cache_read.input_tokens": cacheReadTokens,
          "gen_ai.usage.cache_creation.input_tokens": cacheWriteTokens,
        });
        span.end();
        took();
        this.#tokens.record(input, { ...known, "gen_ai.token.type": "input" });
        this.#tokens.record(outputTokens, { ...known, "gen_ai.token.type": "output" });
      },
      failed: (error) => {
        const type = error === undefined ? CANCELLED : errorType(error);
        failed(span, type, this.#api);
        took({ "error.type": type });
      },
    };
  }

  #callSpan({ name, id }: ToolCall, sessionId: string | undefined): Api.Span {
    const attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": id,
      "gen_ai.tool.type": "function",
      ...given({ "gen_ai.conversation.id": sessionId }),
    };
    return this.#tracer.startSpan(`execute_tool ${name}`, { attributes }, this.#within(sessionId));
  }

  #endCall(call: ToolCall, type?: string): void {
    const span = this.#calls.get(call);
    if (span === undefined) return;
    if (type === undefined) span.end();
    else failed(span, type, this.#api);
  }

  #within(sessionId: string | undefined): Api.Context {
    return (sessionId === undefined ? undefined : this.#turns.get(sessionId)) ?? this.#api.ROOT_CONTEXT;
  }
}

/** A cancelled operation did not go wrong: it says so, and has no error. */
function failed(span: Api.Span, type: string, { SpanStatusCode }: typeof Api): void {
  span.setAttribute("error.type", type);
  if (type !== CANCELLED) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** One of a few values: a message could hold anything. */
function errorType(error: unknown): string {
  if (error instanceof ModelFailure) return error.kind;
  if (!(error instanceof Error)) return "_OTHER";
  return error.name === "AbortError" ? CANCELLED : error.name;
}

function serverOf(place: string): Api.Attributes {
  if (!URL.canParse(place)) return {};
  const { hostname, port, protocol } = new URL(place);
  return { "server.address": hostname, "server.port": Number(port || (protocol === "https:" ? 443 : 80)) };
}
