/**
 * Conversations that answer one question of another one. They look and change nothing: each has the safe tools alone, may
 * ask nobody else, and ends after so many requests. They are kept like all conversations, under the one that asked.
 */
import type { ToolRunner } from "../agent/run-calls.ts";
import { given } from "../base/given.ts";
import type { NotificationParams } from "../protocol/methods.ts";
import type { TurnEvent } from "../protocol/turn-shapes.ts";
import type { Delegate, DelegatedAnswer, DelegatedTask } from "../tools/delegate.ts";
import { plainLine } from "../workspace/plain-text.ts";
import type { KeptSessions } from "./kept-sessions.ts";
import type { Sessions } from "./sessions.ts";

type Told = "agentq/event" | "agentq/queueChanged";

export interface DelegationPorts {
  readonly sessions: () => Pick<Sessions, "prompt" | "cancel">;
  readonly keptSessions: Pick<KeptSessions, "try" | "withoutKeys">;
  readonly notify: <Method extends Told | "agentq/delegated">(
    method: Method,
    params: NotificationParams[Method],
  ) => void;
  readonly logBug: (error: unknown) => void;
}

interface Running {
  readonly parent: Pick<DelegatedTask, "sessionId" | "toolCallId">;
  readonly end: (answer: DelegatedAnswer) => void;
  requests: number;
  /** What was said since the last call: at the end that is the answer. */
  words: string;
}

type EventParams = NotificationParams["agentq/event"];

const OWN_NAME = "delegate";
const NAME_LENGTH = 80;
const MAX_REQUESTS = 25;
/** How often a model may be told that it is to answer now. */
const LAST_REQUESTS = 3;
const MAX_AT_ONCE = 4;
const FRAME =
  "Another conversation asks you this and will read your last message alone. You can look at everything and change nothing. Answer with places, and say what you did not find.";

export class Delegations {
  readonly #ports: DelegationPorts;
  readonly #running = new Map<string, Running>();
  #count = 0;

  constructor(ports: DelegationPorts) {
    this.#ports = ports;
  }

  /** Whether the conversation answers another one now. */
  has(sessionId: string | undefined): boolean {
    return sessionId !== undefined && this.#running.has(sessionId);
  }

  /** The conversation that this one answers. */
  asks(sessionId: string): string | undefined {
    return this.#running.get(sessionId)?.parent.sessionId;
  }

  readonly delegate: Delegate = async (task, signal) => {
    if (this.has(task.sessionId)) return failed("NOT RUN: a conversation that answers another one asks nobody else.");
    if (this.#count >= MAX_AT_ONCE) {
      return failed(`NOT RUN: ${MAX_AT_ONCE} conversations answer questions already. Ask again when one has ended.`);
    }
    this.#count += 1;
    try {
      return await this.#ask(task, signal);
    } finally {
      this.#count -= 1;
    }
  };

  async #ask({ task, ...parent }: DelegatedTask, signal: AbortSignal): Promise<DelegatedAnswer> {
    signal.throwIfAborted();
    const sessions = this.#ports.sessions();
    const { sessionId } = await sessions.prompt({ text: `${task}\n\n${FRAME}` });
    const { promise, resolve } = Promise.withResolvers<DelegatedAnswer>();
    // A turn begins after all that its prompt resolves: no request of it goes out before this line.
    this.#running.set(sessionId, { parent, end: resolve, requests: 0, words: "" });
    const { keptSessions } = this.#ports;
    keptSessions.try((rows) => {
      rows.setParent(sessionId, parent);
      // The first words of the prompt are the model's; how the answer is to be given is no part of a name.
      rows.rename(sessionId, keptSessions.withoutKeys(plainLine(task, NAME_LENGTH)));
    });
    const cancel = (): void => void sessions.cancel(sessionId).catch(this.#ports.logBug);
    signal.addEventListener("abort", cancel, { once: true });
    if (signal.aborted) cancel();
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  /** The tools as conversations see them: one that answers another has a part of them. */
  runner(tools: ToolRunner): ToolRunner {
    const isSafe = (name: string): boolean => name !== OWN_NAME && tools.safetyOf(name) === "safe";
    return {
      schemas: async (sessionId) => {
        const all = await tools.schemas(sessionId);
        const running = this.#running.get(sessionId);
        if (running === undefined) return all;
        running.requests += 1;
        if (running.requests > MAX_REQUESTS + LAST_REQUESTS) await this.#ports.sessions().cancel(sessionId);
        return all.filter(({ name }) => isSafe(name));
      },
      safetyOf: (name) => tools.safetyOf(name),
      filesOf: (call) => tools.filesOf(call),
      upToDate: (...asked) => tools.upToDate(...asked),
      execute: (call, context) => {
        const running = this.#running.get(context.sessionId ?? "");
        if (running === undefined) return tools.execute(call, context);
        const { unusable = whyNot(running, isSafe(call.name), call.name) } = context;
        return tools.execute(call, { ...context, ...given({ unusable }) });
      },
    };
  }

  /** Sends an event to the editor, with the conversation that asked where there is one. */
  send<Method extends Told>(method: Method, params: NotificationParams[Method]): void {
    if ("event" in params) this.#event(params);
    else this.#ports.notify(method, params);
  }

  #event(params: EventParams): void {
    const running = this.#running.get(params.sessionId);
    if (running === undefined) return this.#ports.notify("agentq/event", params);
    const { sessionId, toolCallId } = running.parent;
    this.#ports.notify("agentq/delegated", { ...params, parent: { toolCallId, ...given({ sessionId }) } });
    hear(running, params.event);
    if (params.event.kind !== "turnEnded") return;
    this.#running.delete(params.sessionId);
    running.end(endOf(params.event, running));
  }
}

function whyNot({ requests }: Running, isSafe: boolean, name: string): string | undefined {
  if (!isSafe)
    return `NOT RUN: ${name} is none of the tools that look and change nothing. Say what you would do instead.`;
  if (requests < MAX_REQUESTS) return undefined;
  return `NOT RUN: the ${MAX_REQUESTS} requests of this conversation are used up. Answer now with what you know.`;
}

function hear(running: Running, event: TurnEvent): void {
  if (event.kind === "text") running.words += event.text;
  else if (event.kind === "toolCall" || event.kind === "retrying") running.words = "";
}

function endOf(
  { reason, message }: Extract<TurnEvent, { kind: "turnEnded" }>,
  { words, requests }: Running,
): DelegatedAnswer {
  const lastWords = words.trim();
  if (reason === "endTurn" && lastWords !== "") return { answer: lastWords };
  const cancelled = requests > MAX_REQUESTS ? `it used more than ${MAX_REQUESTS} requests.` : "it was cancelled.";
  const why = reason === "cancelled" ? cancelled : (message ?? `it ended with ${reason}.`);
  return { failure: `The conversation that was to answer gave no answer: ${why}`, lastWords };
}

function failed(failure: string): DelegatedAnswer {
  return { failure, lastWords: "" };
}
