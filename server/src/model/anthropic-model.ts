/** The model port over `@anthropic-ai/sdk`: any server that speaks the Messages API, streaming, no beta feature needed. */
import { setTimeout as sleep } from "node:timers/promises";
import { untilAborted } from "../base/abort.ts";
import { Link, type LinkOptions } from "./link.ts";
import type { ModelEvent, ModelMessage, ModelPort, ModelReply, ModelRequest, ModelUsage } from "./model-port.ts";
import { ModelFailure } from "./model-port.ts";
import { ReplyAssembler } from "./reply-assembler.ts";
import { replyEvents, toldError } from "./reply-events.ts";
import { adviceFor, failureOf, type FailureAdvice } from "./failure-words.ts";
import { MAX_ATTEMPTS, waitBefore } from "./retry.ts";
import { toBody, type Body } from "./request-body.ts";
import { Adjustments } from "./adjustments.ts";
import { EndlessReply } from "./watched-reply.ts";

/** How long a stream may stay open behind its reply. */
const ENDS_WITHIN_MS = 1_000;
const CHARACTERS_PER_TOKEN = 4;

export interface AnthropicModelOptions extends LinkOptions {
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export function createAnthropicModel(options: AnthropicModelOptions): ModelPort {
  const wait = options.wait ?? (async (ms, signal) => sleep(ms, undefined, { signal }));
  const link = new Link(options);
  const adjustments = new Adjustments();
  return {
    stream: (request, signal) => streamWithRetries({ link, adjustments, wait }, request, signal),
    models: async (signal) => {
      try {
        return await link.catalog.list(signal);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ModelFailure) throw error;
        throw new ModelFailure(
          `${link.place} gives no list of models (${link.withoutKeys(adviceFor(error, link).reason)}).`,
        );
      }
    },
    about: (model, signal) => link.catalog.find(model, signal).catch(() => undefined),
  };
}

interface Way {
  readonly link: Link;
  readonly adjustments: Adjustments;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

async function* streamWithRetries(way: Way, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const { link, wait } = way;
  const adjusting = way.adjustments.of(request);
  let mayReplaceKey = true;
  for (let attempt = 1; ;) {
    let advice: FailureAdvice;
    const key = await untilAborted(link.key(), signal);
    try {
      const entry = await link.catalog.find(request.model, signal);
      const by = `${request.model} at ${link.server}`;
      const body = toBody(request, { ...adjusting.circumstances(), entry, by });
      adjusting.sent(body);
      if (yield* streamOnce(link, { body, request, by, key }, signal)) return;
      advice = { retry: true, reason: "the reply was cut before its end", kind: "cut" };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ModelFailure) throw error;
      if (error instanceof EndlessReply) throw new ModelFailure(`${link.place} was cut off: ${error.message}.`, "cut");
      const adjusted = adjusting.adjusted(error);
      if (adjusted !== undefined) {
        if (adjusted.leftOut !== undefined)
          yield { kind: "leftOut", message: link.withoutKeys(`${link.place} ${adjusted.leftOut}`) };
        continue;
      }
      const told = adviceFor(error, link);
      if (mayReplaceKey && told.isKey && (await untilAborted(link.replaceKey(key), signal))) {
        mayReplaceKey = false;
        continue;
      }
      advice = { ...told, reason: link.withoutKeys(told.reason) };
    }
    if (!advice.retry) throw failureOf(advice, link);
    if (attempt === MAX_ATTEMPTS) {
      throw new ModelFailure(
        `The model did not answer in ${MAX_ATTEMPTS} attempts. The last problem was ${advice.reason}.`,
        advice.kind,
      );
    }
    const waitMs = waitBefore(attempt, advice);
    yield { kind: "retrying", attempt, waitMs, reason: advice.reason };
    await wait(waitMs, signal);
    attempt += 1;
  }
}

interface Once {
  readonly body: Body;
  readonly request: ModelRequest;
  readonly by: string;
  readonly key: Awaited<ReturnType<Link["key"]>>;
}

/** Answers whether the reply came to its end. */
async function* streamOnce(
  link: Link,
  { body, request, by, key }: Once,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, boolean> {
  const assembler = new ReplyAssembler(callIds(request.messages), by);
  const enough = new AbortController();
  const response = await link
    .client(key)
    .messages.create({ ...body, stream: true }, { signal: AbortSignal.any([signal, enough.signal]) })
    .asResponse();
  const type = response.headers.get("content-type") ?? "";
  if (!/^text\/event-stream\b/i.test(type)) {
    const error = /json/i.test(type) ? await toldError(response) : undefined;
    enough.abort();
    if (error !== undefined) throw error;
    throw new ModelFailure(
      `${link.place} sent ${type || "something"} where a stream of events belongs. Is the address right?`,
    );
  }
  const events = replyEvents(response);
  try {
    for (let next = await events.next(); next.done !== true; next = await events.next()) {
      yield* assembler.take(next.value);
      if (assembler.isOver) break;
    }
  } catch (error) {
    // Some servers send nothing after the reason: the reply is whole by then.
    if (signal.aborted || assembler.finish() === undefined) throw error;
  } finally {
    if (assembler.isOver) void letEnd(events, enough);
    else enough.abort();
  }
  signal.throwIfAborted();
  const done = assembler.finish();
  if (done !== undefined) yield { ...done, usage: counted(done, body) };
  return done !== undefined;
}

/** A connection whose stream ends in a moment is used again; one that the server leaves open is closed. */
async function letEnd(events: AsyncIterator<unknown>, enough: AbortController): Promise<void> {
  const timer = setTimeout(() => enough.abort(), ENDS_WITHIN_MS).unref();
  try {
    while ((await events.next()).done !== true);
  } catch {
    // The reply is whole: a later failure of the connection does not matter.
  } finally {
    clearTimeout(timer);
  }
}

/** What a server that counts nothing would have counted, as nearly as characters tell it; a picture counts little. */
function counted({ content, usage }: ModelReply, body: Body): ModelUsage {
  if (usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens > 0) return usage;
  const tokens = (value: unknown): number => {
    const text = JSON.stringify(value, (name, each: unknown) => (name === "data" ? "" : each));
    return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
  };
  return { ...usage, inputTokens: tokens(body), outputTokens: usage.outputTokens || tokens(content), isEstimate: true };
}

function callIds(messages: readonly ModelMessage[]): Set<string> {
  const ids = new Set<string>();
  for (const { role, content } of messages) {
    if (role !== "assistant") continue;
    for (const block of content) if (block.kind === "toolUse") ids.add(block.id);
  }
  return ids;
}
