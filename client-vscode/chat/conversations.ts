/** The conversations of this window: the one that is shown, those whose turns run, and what waits of all. */
import { randomUUID } from "node:crypto";
import type * as vscode from "vscode";
import type { Agentq } from "../server/agentq.ts";
import { given } from "../../server/src/base/given.ts";
import type { NotificationParams } from "../../server/src/protocol/methods.ts";
import type { Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import type { Status } from "../../server/src/protocol/status.ts";
import type { Approval } from "../../server/src/protocol/tool-shapes.ts";
import { ConversationState } from "./conversation-state.ts";
import { Waiting } from "./waiting.ts";

/** In the workspace's state: the conversation that goes on after a reload of the window. */
const SHOWN = "agentq.session";
const PAGE = 500;

export interface ConversationPorts {
  readonly agentq: Pick<Agentq, "request" | "on" | "onDidStart" | "onDidStop">;
  readonly memento: Pick<vscode.Memento, "get" | "update">;
  /** Something of what is shown is otherwise. */
  readonly changed: () => void;
  /** Another conversation is shown. */
  readonly replaced: () => void;
  readonly asked: (approval: Approval) => void;
}

export class Conversations {
  readonly #ports: ConversationPorts;
  readonly #states = new Map<string, ConversationState>();
  readonly waiting = new Waiting();
  status: Status | undefined;
  #shown = new ConversationState(randomUUID());
  /** What was shown before the window was loaded; undefined once that was looked for. */
  #before: string | undefined;
  /** A server has been there before. */
  #isRestored = false;

  constructor(ports: ConversationPorts) {
    this.#ports = ports;
    // Whatever is said from now on is remembered in its place.
    this.#before = ports.memento.get<string>(SHOWN);
    this.#states.set(this.#shown.sessionId, this.#shown);
  }

  get shown(): ConversationState {
    return this.#shown;
  }

  /** Contract: called while the extension is activated, before a server starts. */
  listen(): vscode.Disposable[] {
    const { agentq, changed, asked } = this.#ports;
    const proposed = (proposal: Proposal): void => this.#propose(proposal);
    return [
      agentq.onDidStart(() => {
        void this.#join()
          .catch((error: unknown) => this.#shown.note("error", String(error)))
          .finally(changed);
      }),
      agentq.onDidStop(() => this.#lose()),
      agentq.on("agentq/event", (params) => this.#hear(params)),
      agentq.on("agentq/delegated", (params) => this.#hearDelegated(params)),
      agentq.on("agentq/queueChanged", ({ sessionId, items }) => {
        const state = this.#states.get(sessionId);
        if (state !== undefined) state.queue = items;
        changed();
      }),
      agentq.on("agentq/sessionChanged", ({ sessionId, name }) => {
        const state = this.#states.get(sessionId);
        if (state !== undefined) state.name = name;
        changed();
      }),
      agentq.on("agentq/proposal", proposed),
      agentq.on("agentq/proposalChanged", proposed),
      agentq.on("agentq/hunksChanged", (params) => {
        const proposal = this.waiting.change(params);
        if (proposal !== undefined) this.#propose(proposal);
      }),
      agentq.on("agentq/approval", (approval) => {
        this.waiting.ask(approval);
        asked(approval);
        changed();
      }),
      agentq.on("agentq/approvalChanged", ({ approvalId }) => {
        this.waiting.answered(approvalId);
        changed();
      }),
      agentq.on("agentq/statusChanged", (status) => {
        this.status = status;
        changed();
      }),
    ];
  }

  /** The next message begins a conversation. A turn that runs goes on, and can be shown again. */
  begin(): void {
    this.#show(new ConversationState(randomUUID()));
  }

  /** Shows a conversation from its first event on. */
  async open(sessionId: string): Promise<void> {
    this.#show(this.#states.get(sessionId) ?? (await this.#replayed(sessionId)));
  }

  /** The conversation that an answer of the server went on in: one that is not kept has nothing to show. */
  async follow(sessionId: string): Promise<void> {
    await this.open(sessionId).catch(() => {
      const state = new ConversationState(sessionId);
      state.isKnown = true;
      this.#show(state);
    });
  }

  /** The server does not know the conversation any more: what is said next begins another one below the same text. */
  renew(state: ConversationState): void {
    this.#states.delete(state.sessionId);
    state.renew(randomUUID());
    this.#states.set(state.sessionId, state);
  }

  /** After a reload of the window the conversation that is shown goes on. */
  async remember(): Promise<void> {
    await this.#ports.memento.update(SHOWN, this.#shown.isKnown ? this.#shown.sessionId : undefined);
  }

  #show(state: ConversationState): void {
    this.#shown = state;
    for (const [id, { turn }] of this.#states) if (turn === undefined) this.#states.delete(id);
    this.#states.set(state.sessionId, state);
    void this.remember();
    this.#ports.replaced();
  }

  async #replayed(sessionId: string): Promise<ConversationState> {
    const { agentq } = this.#ports;
    const state = new ConversationState(sessionId);
    let cursor: string | undefined;
    do {
      const page = await agentq.request("agentq/openSession", { sessionId, limit: PAGE, ...given({ cursor }) });
      for (const { turnId, event, at } of page.items) state.take({ turnId, event, at: Date.parse(at) });
      cursor = page.nextCursor;
      state.name = page.session.name;
      if (cursor === undefined && page.session.running === undefined) state.settle("was cut off");
      if (cursor === undefined && page.session.running === "elsewhere")
        state.note(
          "warning",
          "The conversation runs in another server: here it can be read, and goes on when its turn is over.",
        );
    } while (cursor !== undefined);
    state.isKnown = true;
    state.queue = (await agentq.request("agentq/listQueue", { sessionId }).catch(() => undefined))?.items ?? [];
    const proposals = await agentq.request("agentq/listProposals", {}).catch(() => undefined);
    for (const proposal of proposals?.items ?? []) state.tellProposal(proposal);
    return state;
  }

  /** A server has started: the first one, or one in the place of another. */
  async #join(): Promise<void> {
    const { agentq, changed } = this.#ports;
    this.status = await agentq.request("agentq/status", {});
    changed();
    const { items } = await agentq.request("agentq/listProposals", { state: "pending" });
    for (const proposal of items) this.#propose(proposal);
    const shown = this.#shown;
    if (this.#isRestored && shown.isKnown) {
      const { sessionId } = shown;
      shown.note("info", "The server is a new one, and the conversation goes on; the REPL's values are gone.");
      shown.queue = (await agentq.request("agentq/listQueue", { sessionId }).catch(() => undefined))?.items ?? [];
    }
    const before = this.#before;
    this.#before = undefined;
    this.#isRestored = true;
    if (before !== undefined && !shown.isKnown) {
      const state = await this.#replayed(before).catch(() => undefined);
      // Something may have been said meanwhile, in a conversation of its own.
      if (state !== undefined && this.#shown === shown && !shown.isKnown) this.#show(state);
    }
  }

  #lose(): void {
    this.status = undefined;
    this.waiting.clear();
    for (const state of this.#states.values()) state.lose(Date.now());
    this.#ports.changed();
  }

  #hear({ sessionId, turnId, seq, event }: NotificationParams["agentq/event"]): void {
    const state = this.#states.get(sessionId);
    state?.take({ turnId, seq, event, at: Date.now() });
    if (state !== undefined && state !== this.#shown && state.turn === undefined) this.#states.delete(sessionId);
    this.#ports.changed();
  }

  #hearDelegated({ parent, ...params }: NotificationParams["agentq/delegated"]): void {
    this.#states.get(parent.sessionId ?? "")?.tellProgress(parent.toolCallId, params.event);
    this.#hear(params);
  }

  #propose(proposal: Proposal): void {
    this.waiting.propose(proposal);
    for (const state of this.#states.values()) state.tellProposal(proposal);
    this.#ports.changed();
  }
}
