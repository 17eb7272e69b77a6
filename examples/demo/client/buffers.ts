/** The documents that the demo has open, as an editor has its buffers: the truth that the server works on. */
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { MessageConnection } from "vscode-jsonrpc/node";
import type { TextDocumentEdit, TextEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { DocumentStamp } from "../../../server/src/protocol/shapes.ts";

export class Buffers {
  readonly #connection: MessageConnection;
  readonly #open = new Map<string, TextDocument>();

  constructor(connection: MessageConnection) {
    this.#connection = connection;
  }

  async open(uri: string): Promise<TextDocument> {
    const known = this.#open.get(uri);
    if (known !== undefined) return known;
    return await this.#didOpen(uri, await readFile(fileURLToPath(uri), "utf8"));
  }

  textOf(uri: string): string | undefined {
    return this.#open.get(uri)?.getText();
  }

  /** Applies what the server composed, saves it, and says what each document is now. */
  async apply(edit: WorkspaceEdit): Promise<DocumentStamp[]> {
    const touched = new Set<string>();
    for (const change of edit.documentChanges ?? []) {
      if ("textDocument" in change) {
        await this.#change(change);
        touched.add(change.textDocument.uri);
      } else if (change.kind === "create") {
        await this.#save(change.uri, "");
        await this.#didOpen(change.uri, "");
        touched.add(change.uri);
      } else if (change.kind === "delete") {
        await rm(fileURLToPath(change.uri));
        await this.#didClose(change.uri);
      } else {
        await rename(fileURLToPath(change.oldUri), fileURLToPath(change.newUri));
        await this.#didClose(change.oldUri);
        await this.open(change.newUri);
        touched.add(change.newUri);
      }
    }
    return [...touched].map((uri) => this.#stamp(uri));
  }

  async #change(change: TextDocumentEdit): Promise<void> {
    const { uri, version } = change.textDocument;
    const document = await this.open(uri);
    if (version !== null && version !== document.version) {
      throw new Error(`the edit is for version ${version} of ${uri}, which is at ${document.version}`);
    }
    // Edits of one document never overlap; from the last to the first each range still means what it did.
    const edits = (change.edits as readonly TextEdit[]).toSorted(
      (a, b) => document.offsetAt(b.range.start) - document.offsetAt(a.range.start),
    );
    const contentChanges = edits.map((edit) => ({ range: edit.range, text: edit.newText }));
    const next = TextDocument.update(document, contentChanges, document.version + 1);
    this.#open.set(uri, next);
    await this.#connection.sendNotification("textDocument/didChange", {
      textDocument: { uri, version: next.version },
      contentChanges,
    });
    await this.#save(uri, next.getText());
    await this.#connection.sendNotification("textDocument/didSave", { textDocument: { uri } });
  }

  async #save(uri: string, text: string): Promise<void> {
    const path = fileURLToPath(uri);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }

  async #didOpen(uri: string, text: string): Promise<TextDocument> {
    const document = TextDocument.create(uri, "typescript", 1, text);
    this.#open.set(uri, document);
    await this.#connection.sendNotification("textDocument/didOpen", {
      textDocument: { uri, languageId: "typescript", version: 1, text },
    });
    return document;
  }

  async #didClose(uri: string): Promise<void> {
    if (this.#open.delete(uri)) {
      await this.#connection.sendNotification("textDocument/didClose", { textDocument: { uri } });
    }
  }

  #stamp(uri: string): DocumentStamp {
    const document = this.#open.get(uri);
    if (document === undefined) return { uri, version: null, sha256: null };
    const sha256 = createHash("sha256").update(document.getText(), "utf8").digest("hex");
    return { uri, version: document.version, sha256 };
  }
}
