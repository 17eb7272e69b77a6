/**
 * Documents that VS Code keeps although their files have moved away or are gone. For the server such a document would be a file
 * that is still there. It is closed there until VS Code closes it, or the person changes it.
 */
import * as vscode from "vscode";
import type { BaseLanguageClient, Middleware } from "vscode-languageclient";
import type { WorkspaceEdit } from "vscode-languageserver-protocol";

export class LeftDocuments {
  readonly #left = new Set<string>();
  readonly #client: () => BaseLanguageClient | undefined;
  readonly middleware: Middleware = {
    // A server that starts is told of all that is open.
    didOpen: async (document, next) => {
      if (!this.#left.has(document.uri.toString())) await next(document);
    },
    didChange: async (event, next) => {
      const { document } = event;
      const client = this.#client();
      if (!this.#left.delete(document.uri.toString()) || client === undefined) return await next(event);
      const opened = client.code2ProtocolConverter.asOpenTextDocumentParams(document);
      await client.sendNotification("textDocument/didOpen", opened);
    },
    didClose: async (document, next) => {
      if (!this.#left.delete(document.uri.toString())) await next(document);
    },
  };

  constructor(client: () => BaseLanguageClient | undefined) {
    this.#client = client;
  }

  /** To be called once the edit is applied. What holds changes of the person's stays. */
  async leave({ documentChanges = [] }: WorkspaceEdit): Promise<void> {
    const client = this.#client();
    const names = documentChanges.flatMap((change) => {
      if (!("kind" in change) || change.kind === "create") return [];
      return [vscode.Uri.parse(change.kind === "rename" ? change.oldUri : change.uri).toString()];
    });
    for (const document of vscode.workspace.textDocuments) {
      const name = document.uri.toString();
      if (client === undefined || !names.includes(name) || document.isDirty || (await isThere(document.uri))) continue;
      this.#left.add(name);
      const closed = client.code2ProtocolConverter.asCloseTextDocumentParams(document);
      await client.sendNotification("textDocument/didClose", closed);
    }
  }
}

async function isThere(uri: vscode.Uri): Promise<boolean> {
  return await Promise.resolve(vscode.workspace.fs.stat(uri)).then(
    () => true,
    () => false,
  );
}
