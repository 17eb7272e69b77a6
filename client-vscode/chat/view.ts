/** The chat's view in the side bar: its page, which comes and goes, and the messages to and from it. */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { FromPage, ToPage } from "./page-messages.ts";

export class ChatView implements vscode.WebviewViewProvider {
  readonly #extension: vscode.Uri;
  readonly #hear: (message: FromPage) => void;
  #view: vscode.WebviewView | undefined;
  /** The page has said that it listens. */
  #isReady = false;
  #focuses = false;

  constructor(extension: vscode.Uri, hear: (message: FromPage) => void) {
    this.#extension = extension;
    this.#hear = hear;
  }

  get isVisible(): boolean {
    return this.#view?.visible === true;
  }

  get isReady(): boolean {
    return this.#isReady && this.isVisible;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    this.#isReady = false;
    const roots = ["dist", "media"].map((name) => vscode.Uri.joinPath(this.#extension, name));
    view.webview.options = { enableScripts: true, localResourceRoots: roots };
    view.webview.onDidReceiveMessage((message: FromPage) => {
      if (message.type === "ready") this.#isReady = true;
      this.#hear(message);
      if (message.type === "ready" && this.#focuses) this.focus();
    });
    // The page of a hidden view is gone, and says that it is ready when it is there again.
    view.onDidChangeVisibility(() => view.visible || (this.#isReady = false));
    view.onDidDispose(() => {
      [this.#view, this.#isReady] = [undefined, false];
    });
    view.webview.html = this.#html(view.webview);
  }

  post(message: ToPage): void {
    if (this.#isReady) void this.#view?.webview.postMessage(message);
  }

  /** Shows the view, with the cursor in the input. */
  async show(): Promise<void> {
    this.#focuses = true;
    await vscode.commands.executeCommand("agentq.chat.focus");
    if (this.isReady) this.focus();
  }

  focus(): void {
    this.#focuses = false;
    this.post({ type: "focus" });
  }

  /** The name of the conversation, and how much waits for the person. */
  label(name: string | undefined, waiting: number): void {
    if (this.#view === undefined) return;
    this.#view.title = name ?? "Chat";
    this.#view.badge = waiting === 0 ? undefined : { value: waiting, tooltip: `Agent-Q: ${waiting} wait for you` };
  }

  #html(webview: vscode.Webview): string {
    const nonce = randomBytes(16).toString("base64url");
    const at = (...names: string[]): string =>
      webview.asWebviewUri(vscode.Uri.joinPath(this.#extension, ...names)).toString();
    const source = webview.cspSource;
    const policy = `default-src 'none'; style-src ${source}; script-src 'nonce-${nonce}'; img-src ${source} data:`;
    return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="${at("media", "chat.css")}">
<title>Agent-Q</title>
</head>
<body><script nonce="${nonce}" src="${at("dist", "page.js")}"></script></body>
</html>`;
  }
}
