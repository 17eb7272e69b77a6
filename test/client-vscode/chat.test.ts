/** The conversations of VS Code's chat with the real server: what is said, comes back, and is there after a restart. */
import { beforeEach, expect, it } from "vitest";
import { Conversations, type ConversationPorts } from "../../client-vscode/chat/conversations.ts";
import { Message } from "../../client-vscode/chat/message.ts";
import { call, reply } from "../../examples/demo/model/script.ts";
import type { NotificationMethod } from "../../server/src/protocol/methods.ts";
import type { ContextRef } from "../../server/src/protocol/shapes.ts";
import type { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

const stage = serverStage({ settings: { policy: { ask: ["restart_repl"] } } });

/** A window of the editor: its chat, and the server behind it. */
class Window {
  readonly conversations: Conversations;
  readonly message: Message;
  readonly attached: ContextRef[] = [];
  asked = 0;
  readonly #listeners = new Map<NotificationMethod, (params: never) => void>();
  #client: ServerClient;
  #heard = 0;
  #start: () => void = () => {};
  #stop: () => void = () => {};

  constructor(client: ServerClient, memory: Map<string, unknown>) {
    this.#client = client;
    const disposable = { dispose: () => {} };
    const agentq = {
      isRunning: true,
      request: (method, params) => this.#client.request(method, params),
      on: (method, listen) => {
        this.#listeners.set(method, listen);
        return disposable;
      },
      onDidStart: (listen: () => void) => {
        this.#start = listen;
        return disposable;
      },
      onDidStop: (listen: () => void) => {
        this.#stop = listen;
        return disposable;
      },
    } as ConversationPorts["agentq"] & { isRunning: boolean };
    const memento = {
      get: (name: string) => memory.get(name),
      update: async (name: string, value: unknown) => void memory.set(name, value),
    } as ConversationPorts["memento"];
    const changed = (): void => {};
    this.conversations = new Conversations({
      agentq,
      memento,
      changed,
      replaced: changed,
      asked: () => (this.asked += 1),
    });
    const attach = (refs: readonly ContextRef[]): void => void this.attached.push(...refs);
    const place = (): object => ({});
    this.message = new Message({ agentq, conversations: this.conversations, place, attach, changed, drafted: changed });
    this.conversations.listen();
    this.#start();
  }

  /** Another server takes the place of the one that is gone. */
  reconnect(client: ServerClient): void {
    this.#stop();
    [this.#client, this.#heard] = [client, 0];
    this.#start();
  }

  async until(holds: () => boolean): Promise<void> {
    await expect.poll(() => (this.#hear(), holds())).toBe(true);
  }

  async say(text: string): Promise<void> {
    const before = this.ends;
    await this.message.say({ text });
    await this.until(() => this.ends > before && this.conversations.shown.turn === undefined);
  }

  get ends(): number {
    return this.conversations.shown.items.filter(({ kind }) => kind === "end").length;
  }

  /** The items as words, without times. */
  get words(): string[] {
    return this.conversations.shown.items.map((item) => {
      if (item.kind === "call") return `${item.name} ${item.state}`;
      return item.kind === "end" ? "end" : `${item.kind}: ${item.text}`;
    });
  }

  #hear(): void {
    for (; this.#heard < this.#client.received.length; this.#heard += 1) {
      const { method, params } = this.#client.received[this.#heard] ?? {};
      if (method !== undefined) this.#listeners.get(method)?.(params as never);
    }
  }
}

let memory: Map<string, unknown>;
let window: Window;
beforeEach(() => {
  memory = new Map();
  window = new Window(stage.client, memory);
});

function evaluates(): void {
  stage.steps.push(reply("I look. ", call("eval_form", { form: "1 + 1" })), reply("It is **2**."));
}

const proposes = (): void =>
  void stage.steps.push(
    reply(
      call("propose_edits", {
        description: "Says it.",
        edits: [{ op: "insert_at_start", path: "src/tax.ts", modified: "// Taxes.\n" }],
      }),
    ),
    reply("It is said."),
  );

it("shows a turn while it goes on, and the same when the conversation is opened again", async () => {
  evaluates();
  await window.say("How much?");
  expect(window.words).toEqual(["you: How much?", "text: I look. ", "eval_form done", "text: It is **2**.", "end"]);
  const later = new Window(stage.client, memory);
  await later.until(() => later.ends === 1);
  expect(later.words).toEqual(window.words);
  expect(later.conversations.shown.detailsOf(calledIn(later))).toEqual(
    window.conversations.shown.detailsOf(calledIn(window)),
  );
  // What is said next goes on in the same conversation.
  await later.say("And now?");
  expect(stage.sent(-1).messages.join("")).toContain("How much?");
});

function calledIn({ conversations }: Window): string {
  return conversations.shown.items.find(({ kind }) => kind === "call")?.id ?? "";
}

it("gives a message back that the server refuses, with what was attached, above what was typed since", async () => {
  window.message.draft = "typed since";
  const context: ContextRef[] = [{ kind: "file", uri: "file:///etc/passwd", range: undefined as never }];
  await window.message.say({ text: "Look.", toolChoice: "", context });
  expect(window.message.draft).toBe("Look.\n\ntyped since");
  expect(window.attached).toEqual(context);
  expect(window.words).toEqual([expect.stringMatching(/^notice: Not sent: /)]);
  expect(window.message.waiting).toEqual([]);
});

it("holds what is said during a turn, and gives it back when the turn is cancelled", async () => {
  stage.steps.push(reply(call("restart_repl", {})), reply("Done."));
  await window.message.say({ text: "Again." });
  await window.until(() => window.asked === 1);
  await window.message.say({ text: "And then this." });
  await window.until(() => window.message.waiting.length === 1);
  expect(window.message.waiting).toMatchObject([{ text: "And then this.", state: "queued" }]);
  expect(window.conversations.waiting.loss(window.conversations.shown.sessionId)).toBe("1 question");
  await window.message.cancel();
  await window.until(() => window.conversations.shown.turn === undefined && window.message.waiting.length === 0);
  expect(window.message.draft).toBe("And then this.");
  expect(window.conversations.waiting.size).toBe(0);
});

it("goes on in the conversation in which the server answers a command", async () => {
  await window.say("Hello.");
  const before = window.conversations.shown.sessionId;
  await window.message.say({ text: "/new" });
  await window.until(() => window.conversations.shown.sessionId !== before);
  await window.say("In the new one.");
  expect(stage.sent(-1).messages.join("")).not.toContain("Hello.");
});

it("shows a proposal that waits again after a restart of the server, in the conversation that made it", async () => {
  const first = await stage.start();
  window.reconnect(first);
  proposes();
  await window.message.say({ text: "Say it." });
  await window.until(() => window.conversations.waiting.size === 1);
  await first.close();
  const second = await stage.start();
  window.reconnect(second);
  await window.until(() => window.conversations.waiting.size === 1);
  const { shown, waiting } = window.conversations;
  expect(waiting.cards(shown.sessionId)).toMatchObject([
    { kind: "proposal", isOther: false, size: "1 hunk in 1 file" },
  ]);
  expect(window.words).toContain("notice: The server ended.");
  // The conversation is there for a window that is loaded anew, too.
  const reloaded = new Window(second, memory);
  await reloaded.until(() => reloaded.words.includes("you: Say it."));
});
