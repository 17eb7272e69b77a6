/** Agent-Q in VS Code: starts the server, and is the editor of its chat. */
import { createHash } from "node:crypto";
import * as vscode from "vscode";
import { LanguageClient, State } from "vscode-languageclient/node";
import type { ConversationClient, Said } from "../server/src/client/conversation.ts";
import { Chat } from "./chat.ts";
import type { ReviewEditor } from "./review.ts";

let stop: (() => Promise<void>) | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const settings = vscode.workspace.getConfiguration("agentq");
  const [command = "agentq", ...args] = settings.get<string[]>("command", []);
  let chat: Chat | undefined;
  const client = new LanguageClient(
    "agentq",
    "Agent-Q",
    { command, args },
    {
      documentSelector: [{ scheme: "file" }],
      initializationOptions: settings.get<object>("settings", {}),
      middleware: {
        // The server's code actions name this command, and the language client registers what the server names.
        executeCommand: (name, given, next) => (name === "agentq.ask" ? ask(given[0]) : next(name, given)),
      },
    },
  );
  stop = () => client.stop();
  client.registerFeature({
    fillClientCapabilities: (capabilities) => {
      const agentq = { version: 1, proposals: true, approvals: true };
      capabilities.experimental = { ...capabilities.experimental, agentq };
    },
    initialize: () => {},
    getState: () => ({ kind: "static" }),
    clear: () => {},
  });
  const editor = editorOf(client);
  const ask = async (said?: Said): Promise<void> => {
    const text = said?.text ?? (await vscode.window.showInputBox({ title: "Agent-Q", prompt: "What is to be done?" }));
    if (text !== undefined && text.trim() !== "") tell(chat?.ask({ ...placeNow(), ...said, text }));
  };
  const evaluate = (): void => {
    const { document, selection } = vscode.window.activeTextEditor ?? {};
    if (document?.uri.scheme !== "file" || selection === undefined) return tell(Promise.reject(new Error(NO_FILE)));
    const range = selection.isEmpty ? document.lineAt(selection.active).range : selection;
    tell(chat?.evaluate(document.getText(range), document.uri.toString()));
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("agentq.evaluate", evaluate),
    vscode.commands.registerCommand("agentq.answer", () => chat?.answer()),
    vscode.commands.registerCommand("agentq.cancel", () => tell(chat?.cancel())),
    // Also when a server that died is started again: the conversation goes on there.
    client.onDidChangeState(({ newState }) => {
      if (newState !== State.Starting) return;
      chat?.dispose();
      chat = new Chat(connectionOf(client), editor, chat?.sessionId);
    }),
  );
  await client.start();
}

export async function deactivate(): Promise<void> {
  await stop?.();
}

const NO_FILE = "Select a form in a file first.";

function tell(work: Promise<void> | undefined): void {
  work?.catch((error: unknown) =>
    vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error)),
  );
}

/** Where the person is; what is selected goes along. */
function placeNow(): Partial<Said> {
  const { document, selection } = vscode.window.activeTextEditor ?? {};
  if (document?.uri.scheme !== "file" || selection === undefined) return {};
  const [uri, { start, end }] = [document.uri.toString(), selection];
  const range = {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
  return { active: { uri, range }, ...(selection.isEmpty ? {} : { context: [{ kind: "selection", uri, range }] }) };
}

function editorOf(client: LanguageClient): ReviewEditor {
  let document: vscode.TextDocument | undefined;
  let waiting = "";
  let last = Promise.resolve();
  const write = async (): Promise<void> => {
    if (waiting === "") return;
    if (document === undefined || document.isClosed) {
      document = await vscode.workspace.openTextDocument({ language: "markdown" });
      await vscode.window.showTextDocument(document, {
        viewColumn: vscode.ViewColumn.Beside,
        preserveFocus: true,
        preview: false,
      });
    }
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, document.lineAt(document.lineCount - 1).range.end, waiting);
    waiting = "";
    await vscode.workspace.applyEdit(edit);
  };
  return {
    append: (markdown) => {
      waiting += markdown;
      last = last.then(write).catch((error: unknown) => client.error("The chat's document cannot be written", error));
    },
    preview: async (edit) => {
      const shown = await client.protocol2CodeConverter.asWorkspaceEdit(edit);
      await vscode.workspace.applyEdit(shown, { isRefactoring: true });
    },
    // A modal box would take the next Enter that is meant for the code.
    ask: async (question, answers) => await vscode.window.showWarningMessage(question, ...answers),
  };
}

function connectionOf(client: LanguageClient): ConversationClient {
  const open = async (uri: string): Promise<vscode.TextDocument> =>
    await vscode.workspace.openTextDocument(client.protocol2CodeConverter.asUri(uri));
  return {
    request: async (method, params) => await client.sendRequest(method, params),
    on: (method, listen) => {
      const listener = client.onNotification(method, listen);
      return () => listener.dispose();
    },
    gone: new Promise((resolve) => {
      client.onDidChangeState(
        ({ newState }) => newState === State.Stopped && resolve("its log is in the output Agent-Q"),
      );
    }),
    buffers: {
      // The language client has sent every change before a later request.
      follow: async () => {},
      textOf: async (uri) =>
        await open(uri).then(
          (document) => document.getText(),
          () => "",
        ),
      apply: async (edit) => {
        await vscode.workspace.applyEdit(await client.protocol2CodeConverter.asWorkspaceEdit(edit));
        const uris = new Set(
          edit.documentChanges?.flatMap((change) => ("textDocument" in change ? [change.textDocument.uri] : [])),
        );
        const documents = await Promise.all(
          [...uris].map(async (uri) => ({ uri, document: await open(uri).catch(() => undefined) })),
        );
        return documents.flatMap(({ uri, document }) => {
          if (document === undefined) return [];
          const sha256 = createHash("sha256").update(document.getText()).digest("hex");
          return [{ uri, version: document.version, sha256 }];
        });
      },
    },
  };
}
