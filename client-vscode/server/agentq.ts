/** The server as the rooms of the extension see it: one that stays the same while the process behind it comes and goes. */
import * as vscode from "vscode";
import type { CompletionList, WorkspaceEdit } from "vscode-languageserver-protocol";
import type { BaseLanguageClient } from "vscode-languageclient";
import type {
  NotificationMethod,
  NotificationParams,
  RequestMethod,
  RequestParams,
  RequestResults,
} from "../../server/src/protocol/methods.ts";
import { LeftDocuments } from "./left-documents.ts";

/** The document whose end is what stands in the input of the chat: the server completes in it. */
const PROMPT = "agentq:vscode-prompt";

const NOT_RUNNING = "The Agent-Q server does not run. “Agent-Q: Start the Server” starts it.";

export class Agentq implements vscode.Disposable {
  readonly #started = new vscode.EventEmitter<void>();
  readonly #stopped = new vscode.EventEmitter<void>();
  /** A server has answered `initialize`: the first one, or one in the place of another. */
  readonly onDidStart = this.#started.event;
  readonly onDidStop = this.#stopped.event;
  readonly #listeners = new Map<NotificationMethod, Set<(params: never) => void>>();
  readonly left = new LeftDocuments(() => this.#client);
  #client: BaseLanguageClient | undefined;
  #promptVersion = 0;

  get isRunning(): boolean {
    return this.#client !== undefined;
  }

  /** Called with the client that has just been answered, or with undefined once it is gone. */
  connect(client: BaseLanguageClient | undefined): void {
    this.#client = client;
    this.#promptVersion = 0;
    if (client === undefined) return this.#stopped.fire();
    this.#started.fire();
  }

  /** To be called before `client` starts, and once for each: what comes before the answer of `initialize` is heard too. */
  hear(client: BaseLanguageClient): void {
    for (const [method, heard] of this.#listeners) {
      client.onNotification(method, (params: unknown) => {
        for (const listen of heard) listen(params as never);
      });
    }
  }

  /** Rejects with a sentence where no server runs. */
  async request<Method extends RequestMethod>(
    method: Method,
    params: RequestParams<Method>,
    token?: vscode.CancellationToken,
  ): Promise<RequestResults[Method]> {
    if (this.#client === undefined) throw new Error(NOT_RUNNING);
    return await this.#client.sendRequest(method, params, token);
  }

  /** Contract: called while the extension is activated, before a server starts. */
  on<Method extends NotificationMethod>(
    method: Method,
    listen: (params: NotificationParams[Method]) => void,
  ): vscode.Disposable {
    const heard = this.#listeners.get(method) ?? new Set();
    this.#listeners.set(method, heard);
    heard.add(listen);
    return new vscode.Disposable(() => heard.delete(listen));
  }

  /** What fits at the end of what is typed: mentions and commands. */
  async completePrompt(text: string): Promise<CompletionList | null> {
    const client = this.#client;
    if (client === undefined) return null;
    this.#promptVersion += 1;
    const textDocument = { uri: PROMPT, languageId: "agentq-message", version: this.#promptVersion, text };
    const method = this.#promptVersion === 1 ? "textDocument/didOpen" : "textDocument/didChange";
    await client.sendNotification(method, { textDocument, contentChanges: [{ text }] });
    const lines = text.split("\n");
    const position = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
    return await client.sendRequest("textDocument/completion", { textDocument, position });
  }

  /** Applies an edit that the server composed to VS Code's documents. What they hold then is to be looked at. */
  async apply(edit: WorkspaceEdit): Promise<void> {
    if (this.#client === undefined) throw new Error(NOT_RUNNING);
    await vscode.workspace.applyEdit(await this.#client.protocol2CodeConverter.asWorkspaceEdit(edit));
    await this.left.leave(edit);
  }

  dispose(): void {
    this.#started.dispose();
    this.#stopped.dispose();
    this.#listeners.clear();
  }
}

/** Tells the person why something did not happen, in VS Code's own words for errors. */
export function tell(work: Promise<unknown> | void): void {
  work?.catch((error: unknown) =>
    vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error)),
  );
}
