/** What the person writes: the draft, what is attached to it, how it is sent, and how it comes back. */
import { randomUUID } from "node:crypto";
import type { Agentq } from "../server/agentq.ts";
import { AgentqErrorCodes } from "../../server/src/base/errors.ts";
import { isObject } from "../../server/src/base/is-object.ts";
import type { Said } from "../../server/src/client/conversation.ts";
import type { QueuedPrompt } from "../../server/src/protocol/queue-methods.ts";
import type { ContextRef } from "../../server/src/protocol/shapes.ts";
import type { ConversationState } from "./conversation-state.ts";
import type { Conversations } from "./conversations.ts";
import type { WaitingPrompt } from "./page-messages.ts";

/** The server does not know the conversation. */
const NOT_KEPT: readonly unknown[] = [AgentqErrorCodes.unknownSession, AgentqErrorCodes.notKept];

export interface MessagePorts {
  readonly agentq: Pick<Agentq, "request" | "isRunning">;
  readonly conversations: Conversations;
  /** Where the person is. */
  readonly place: () => Pick<Said, "active">;
  readonly attach: (refs: readonly ContextRef[]) => void;
  readonly changed: () => void;
  /** The draft is another one than the page has. */
  readonly drafted: () => void;
}

export class Message {
  readonly #ports: MessagePorts;
  readonly #sending = new Map<string, string>();
  /** One after the other: the first message makes the conversation of the second. */
  #last: Promise<void> = Promise.resolve();
  draft = "";

  constructor(ports: MessagePorts) {
    this.#ports = ports;
  }

  get waiting(): WaitingPrompt[] {
    const queue = this.#ports.conversations.shown.queue.map(({ promptId, text, held }): WaitingPrompt => {
      return { id: promptId, text, state: held === true ? "held" : "queued" };
    });
    const sending = [...this.#sending].map(([id, text]): WaitingPrompt => ({ id, text, state: "sending" }));
    return [...queue, ...sending];
  }

  /** While a turn runs, the server keeps the text until the model can hear it. Never rejects: what is refused comes back. */
  async say(said: Said): Promise<void> {
    const { conversations, changed, place } = this.#ports;
    const id = randomUUID();
    this.#sending.set(id, said.text);
    changed();
    const all = { ...place(), ...said };
    this.#last = this.#last.then(async () => {
      const { shown } = conversations;
      try {
        await this.#send(shown, all);
      } catch (error) {
        // That no model is configured stands above the input already.
        const isKnown =
          codeOf(error) === AgentqErrorCodes.modelUnavailable && conversations.status?.model.ready === false;
        if (!isKnown) shown.note("error", `Not sent: ${error instanceof Error ? error.message : String(error)}`);
        this.giveBack([{ text: said.text, ...(said.context === undefined ? {} : { context: said.context }) }]);
      }
      this.#sending.delete(id);
      changed();
    });
    await this.#last;
  }

  /** Ends the turn; what was not sent comes back into the input. */
  async cancel(): Promise<void> {
    const { agentq, conversations } = this.#ports;
    const { sessionId, isKnown } = conversations.shown;
    if (!isKnown) return;
    const { queued = [] } = await agentq.request("agentq/cancel", { sessionId });
    if (queued.length > 0) await this.takeBack(queued.map(({ promptId }) => promptId));
  }

  async takeBack(promptIds: readonly string[]): Promise<void> {
    const { agentq, conversations } = this.#ports;
    const { sessionId } = conversations.shown;
    const page = await agentq.request("agentq/takeBackQueued", { sessionId, promptIds: [...promptIds] });
    this.giveBack(page.items);
  }

  /** Above what was typed since. */
  giveBack(prompts: readonly Pick<QueuedPrompt, "text" | "context">[]): void {
    this.#ports.attach(prompts.flatMap(({ context = [] }) => context));
    const { draft } = this;
    this.draft = [...prompts.map(({ text }) => text), ...(draft.trim() === "" ? [] : [draft])].join("\n\n");
    this.#ports.drafted();
  }

  async #send(state: ConversationState, said: Said): Promise<void> {
    const { agentq, conversations } = this.#ports;
    const { sessionId, isKnown } = state;
    try {
      const of = isKnown ? { sessionId } : { newSessionId: sessionId };
      const result = await agentq.request("agentq/prompt", { ...said, ...of });
      state.isKnown = true;
      // Commands such as /new are answered in another conversation.
      if (result.sessionId !== sessionId) await conversations.follow(result.sessionId);
      else await conversations.remember();
    } catch (error) {
      if (!isKnown || !NOT_KEPT.includes(codeOf(error))) throw error;
      conversations.renew(state);
      await this.#send(state, said);
    }
  }
}

function codeOf(error: unknown): unknown {
  return isObject(error) ? error["code"] : undefined;
}
