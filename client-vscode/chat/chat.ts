/** The chat in the side bar: its commands, and what its page is told and says. */
import * as vscode from "vscode";
import type { ApprovalAnswer, Said } from "../../server/src/client/conversation.ts";
import { given } from "../../server/src/base/given.ts";
import { isObject } from "../../server/src/base/is-object.ts";
import { showHidden } from "../../server/src/workspace/hidden-characters.ts";
import { type Agentq, tell } from "../server/agentq.ts";
import { Attachments } from "./attachments.ts";
import { headOf } from "./head.ts";
import { chooseModel } from "./models.ts";
import { candidatesOf } from "./completion.ts";
import { Conversations } from "./conversations.ts";
import { openLink } from "./links.ts";
import { Message } from "./message.ts";
import { COMMANDS, type FromPage, type Rest } from "./page-messages.ts";
import { Notice } from "./notice.ts";
import { activePlace } from "./place.ts";
import { chooseSession } from "./sessions.ts";
import { ChatView } from "./view.ts";

const DRAFT = "agentq.draft";
/** So long a server may take to start before the chat says that none runs, in milliseconds. */
const STARTS = 3000;
/** The page is told at most so often, in milliseconds. */
const PACE = 33;

export function registerChat(context: vscode.ExtensionContext, agentq: Agentq): void {
  const chat = new Chat(context, agentq);
  const commands: Readonly<Record<string, (said?: unknown) => Promise<unknown>>> = {
    "agentq.ask": (said) => chat.ask(said),
    "agentq.newChat": () => chat.begin(),
    "agentq.sessions": () => chat.chooseSession(),
    "agentq.chooseModel": () => chat.chooseModel(),
    "agentq.plan": () => chat.plan(),
    "agentq.cancel": () => chat.cancel(),
  };
  context.subscriptions.push(
    chat,
    vscode.window.registerWebviewViewProvider("agentq.chat", chat.view),
    ...Object.entries(commands).map(([name, run]) =>
      vscode.commands.registerCommand(name, (said?: unknown) => tell(run(said))),
    ),
  );
}

class Chat implements vscode.Disposable {
  readonly #agentq: Agentq;
  readonly #memento: vscode.Memento;
  readonly #conversations: Conversations;
  readonly #message: Message;
  readonly #attachments = new Attachments();
  readonly #listeners: vscode.Disposable[];
  readonly view: ChatView;
  #timer: NodeJS.Timeout | undefined;
  #told = "";
  #isTurnShown: boolean | undefined;
  readonly #notice = new Notice();
  #isStarting: NodeJS.Timeout | undefined;

  constructor(context: vscode.ExtensionContext, agentq: Agentq) {
    this.#agentq = agentq;
    this.#memento = context.workspaceState;
    this.view = new ChatView(context.extensionUri, (message) => tell(this.#hear(message)));
    const changed = (): void => this.#soon();
    this.#conversations = new Conversations({
      agentq,
      memento: context.workspaceState,
      changed,
      replaced: () => this.#draw(),
      asked: (approval) => void (this.view.isVisible || this.#notice.show(approval)),
    });
    this.#message = new Message({
      agentq,
      conversations: this.#conversations,
      place: activePlace,
      attach: (refs) => this.#attachments.add(refs),
      changed,
      drafted: () => {
        this.view.post({ type: "draft", text: this.#message.draft });
        void this.#keepDraft();
        this.#soon();
      },
    });
    this.#message.draft = context.workspaceState.get(DRAFT, "");
    const looked = (): void => {
      this.#attachments.look();
      this.#soon();
    };
    this.#listeners = [
      ...this.#conversations.listen(),
      agentq.onDidStop(() => this.#expect()),
      vscode.window.onDidChangeTextEditorSelection(looked),
      vscode.window.onDidChangeActiveTextEditor(looked),
    ];
    this.#expect();
  }

  /** Sends what a code action says; a text alone stands in the input. */
  async ask(said: unknown): Promise<void> {
    if (isObject(said) && typeof said["text"] === "string") {
      await this.view.show();
      return await this.#message.say(said as Said);
    }
    if (typeof said === "string" && said !== "") this.#message.giveBack([{ text: said }]);
    await this.view.show();
  }

  async begin(): Promise<void> {
    this.#conversations.begin();
    this.#attachments.renew();
    await this.view.show();
  }

  async chooseSession(): Promise<void> {
    const isOther = await chooseSession(this.#agentq, this.#conversations);
    if (isOther) await this.view.show();
    this.#soon();
  }

  async chooseModel(): Promise<void> {
    const { shown } = this.#conversations;
    const choice = await chooseModel(this.#agentq, shown.isKnown ? shown.sessionId : undefined);
    if (choice === undefined) return;
    shown.model = choice.model;
    this.#soon();
  }

  async plan(): Promise<void> {
    await this.#message.say({ text: this.#conversations.shown.mode === "plan" ? "/plan off" : "/plan" });
  }

  /** What waits for the person is not withdrawn before they were asked. */
  async cancel(): Promise<void> {
    const { shown, waiting } = this.#conversations;
    const loss = waiting.loss(shown.sessionId);
    if (loss !== "") {
      const stop = "Stop and Withdraw";
      const question = `The turn waits for you: ${loss}. Stopping withdraws that.`;
      if ((await vscode.window.showWarningMessage(question, stop)) !== stop) return;
    }
    await this.#message.cancel();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#isStarting);
    for (const listener of this.#listeners) listener.dispose();
  }

  async #hear(message: FromPage): Promise<unknown> {
    switch (message.type) {
      case "ready":
        return this.#draw();
      case "draft":
        this.#message.draft = message.text;
        return await this.#keepDraft();
      case "send":
        return await this.#send(message.text);
      case "stop":
        return await this.cancel();
      case "leave":
        return await vscode.commands.executeCommand("workbench.action.focusActiveEditorGroup");
      case "complete": {
        const candidates = candidatesOf(message.text, await this.#agentq.completePrompt(message.text));
        return this.view.post({ type: "completion", text: message.text, candidates });
      }
      case "copy":
        return await vscode.env.clipboard.writeText(message.text);
      case "answer":
        return await this.#answer(message.id, message);
      case "runChanged": {
        const changed = this.#conversations.waiting.changed(message.id, message.fields);
        const decision = changed === undefined ? "approved" : "modified";
        return await this.#answer(message.id, { decision, message: message.message, ...given({ arguments: changed }) });
      }
      case "proposal":
        return await vscode.commands.executeCommand(`agentq.${message.action}`, { proposalId: message.id });
      case "editQueued": {
        const { sessionId } = this.#conversations.shown;
        const { id: promptId, text } = message;
        return await this.#agentq.request("agentq/editQueued", { sessionId, promptId, text });
      }
      case "takeBack":
        return await this.#message.takeBack([message.id]);
      case "details": {
        const { id } = message;
        return this.view.post({ type: "details", id, parts: this.#conversations.shown.detailsOf(id) });
      }
      case "removeChip":
        await this.#attachments.remove(message.id);
        return this.#soon();
      case "picture":
        await this.#attachments.addPicture(message.name, message.base64);
        return this.#soon();
      case "drop":
        this.#attachments.addFiles(message.uris);
        return this.#soon();
      case "open":
        return await openLink(message.link);
      case "command":
        return await this.#command(message.command);
      default:
        return message satisfies never;
    }
  }

  async #send(text: string): Promise<void> {
    this.#message.draft = "";
    if (!this.#agentq.isRunning) return this.#message.giveBack([{ text }]);
    void this.#keepDraft();
    const context = this.#attachments.take();
    await this.#message.say({ text, ...(context.length === 0 ? {} : { context }) });
  }

  async #answer(approvalId: string, answer: ApprovalAnswer): Promise<void> {
    const { decision, remember = "none", arguments: changed, message = "" } = answer;
    const more = given({ arguments: changed, message: message.trim() === "" ? undefined : message });
    const { accepted } = await this.#agentq.request("agentq/answerApproval", {
      approvalId,
      decision,
      remember,
      ...more,
    });
    this.#conversations.waiting.answered(approvalId);
    this.#soon();
    if (!accepted) throw new Error("That question waits no more: nothing was answered.");
  }

  async #command(command: string): Promise<void> {
    if (command === "agentq.openSettings")
      await vscode.commands.executeCommand("workbench.action.openSettings", "agentq");
    else if (COMMANDS.some((known) => known === command)) await vscode.commands.executeCommand(command);
  }

  /** A server is started now: the first one, or one in the place of another. */
  #expect(): void {
    clearTimeout(this.#isStarting);
    this.#isStarting = setTimeout(() => {
      this.#isStarting = undefined;
      this.#soon();
    }, STARTS);
    this.#soon();
  }

  async #keepDraft(): Promise<void> {
    await this.#memento.update(DRAFT, this.#message.draft);
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#flush();
    }, PACE);
  }

  #flush(): void {
    const rest = this.#rest();
    if (this.view.isReady) {
      const patch = this.#conversations.shown.patch();
      if (patch.items.length > 0 || patch.added.length > 0) this.view.post({ type: "patch", ...patch });
      const told = JSON.stringify(rest);
      if (told !== this.#told) this.view.post({ type: "rest", ...rest });
      this.#told = told;
    }
    this.#label();
  }

  /** Everything anew: the page is new, or another conversation is shown. */
  #draw(): void {
    const { shown } = this.#conversations;
    shown.patch();
    const rest = this.#rest();
    this.#told = JSON.stringify(rest);
    this.view.post({ type: "all", items: shown.items, draft: this.#message.draft, ...rest });
    this.#label();
  }

  #label(): void {
    const { shown, waiting } = this.#conversations;
    this.view.label(shown.name === undefined ? undefined : showHidden(shown.name), waiting.size);
    const isTurnShown = shown.turn !== undefined;
    if (isTurnShown !== this.#isTurnShown)
      void vscode.commands.executeCommand("setContext", "agentq.chat.runs", isTurnShown);
    this.#isTurnShown = isTurnShown;
  }

  #rest(): Rest {
    const { shown, waiting, status } = this.#conversations;
    const server = this.#agentq.isRunning ? "runs" : this.#isStarting === undefined ? "is gone" : "starts";
    return {
      head: headOf(shown, status, server),
      cards: waiting.cards(shown.sessionId),
      waiting: this.#message.waiting,
      chips: this.#attachments.chips,
    };
  }
}
