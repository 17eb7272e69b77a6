/**
 * The documents of a client without windows: the few that it has open, as an editor has its buffers, and the disk. An
 * editor behind the client may know more: its texts are then the truth, and it writes them.
 */
import { createHash } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { MessageConnection } from "vscode-jsonrpc/node";
import type { FileChangeType, TextDocumentEdit, TextEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import { errorText } from "../base/errors.ts";
import type { DocumentStamp } from "../protocol/proposal-shapes.ts";
import { readRegularBytes } from "../workspace/regular-file.ts";

const BYTE_ORDER_MARK = "\uFEFF";
const [CREATED, CHANGED, DELETED] = [1, 2, 3] as const satisfies readonly FileChangeType[];

/** An editor that can be asked for texts. Each rejects where the editor fails. */
export interface EditorFiles {
  /** The text with what is not saved. */
  readonly read?: (path: string) => Promise<string>;
  readonly write?: (path: string, text: string) => Promise<void>;
}

type Change = NonNullable<WorkspaceEdit["documentChanges"]>[number];

export class Buffers {
  /** Set by a door behind which an editor has buffers of its own. */
  editor: EditorFiles = {};
  readonly #connection: MessageConnection;
  readonly #open = new Map<string, TextDocument>();

  constructor(connection: MessageConnection) {
    this.#connection = connection;
  }

  /** From now on the text of the document is what this client says, not what the disk says. */
  async open(uri: string): Promise<void> {
    if (this.#open.has(uri)) return;
    const { text } = await fromDisk(uri);
    this.#open.set(uri, TextDocument.create(uri, "typescript", 1, text));
    await this.#connection.sendNotification("textDocument/didOpen", {
      textDocument: { uri, languageId: "typescript", version: 1, text },
    });
  }

  /** Takes over what the editor has of a file, where it has something else than the disk. */
  async follow(uri: string): Promise<void> {
    if (this.editor.read === undefined) return;
    // What the editor cannot read is as the disk has it.
    const told = await this.editor.read(fileURLToPath(uri)).catch(() => undefined);
    const disk = await fromDisk(uri).catch(() => undefined);
    const text = told?.startsWith(BYTE_ORDER_MARK) === true ? told.slice(BYTE_ORDER_MARK.length) : told;
    if (text === undefined || text === disk?.text) return void (await this.#close(uri));
    const open = this.#open.get(uri);
    if (open?.getText() === text) return;
    const version = (open?.version ?? 0) + 1;
    this.#open.set(uri, TextDocument.create(uri, "typescript", version, text));
    const textDocument = { uri, languageId: "typescript", version, text };
    const method = open === undefined ? "textDocument/didOpen" : "textDocument/didChange";
    await this.#connection.sendNotification(method, { textDocument, contentChanges: [{ text }] });
  }

  /** The text as it is now; "" for a file that does not exist or cannot be read. */
  async textOf(uri: string): Promise<string> {
    const open = this.#open.get(uri);
    if (open !== undefined) return open.getText();
    return (await fromDisk(uri).catch(() => undefined))?.text ?? "";
  }

  /** Applies what the server composed, saves it, and says what each document is now. `failed` hears why something was not done. */
  async apply(edit: WorkspaceEdit, failed: (why: string) => void = () => undefined): Promise<DocumentStamp[]> {
    const touched = new Map<string, FileChangeType>();
    for (const change of edit.documentChanges ?? []) {
      await this.#carryOut(change, touched).catch((error: unknown) => failed(errorText(error)));
    }
    const changes = [...touched].map(([uri, type]) => ({ uri, type }));
    await this.#connection.sendNotification("workspace/didChangeWatchedFiles", { changes });
    const there = changes.filter(({ type }) => type !== DELETED);
    return await Promise.all(there.map(async ({ uri }) => await this.#stamp(uri)));
  }

  async #carryOut(change: Change, touched: Map<string, FileChangeType>): Promise<void> {
    if ("textDocument" in change) {
      const { uri } = change.textDocument;
      if (!touched.has(uri)) touched.set(uri, CHANGED);
      await this.#change(change);
    } else if (change.kind === "create") {
      touched.set(change.uri, CREATED);
      await this.#save(change.uri, "");
    } else if (change.kind === "delete") {
      await rm(fileURLToPath(change.uri));
      touched.set(change.uri, DELETED);
      await this.#close(change.uri);
    } else {
      const place = fileURLToPath(change.newUri);
      await mkdir(dirname(place), { recursive: true });
      await rename(fileURLToPath(change.oldUri), place);
      touched.set(change.oldUri, DELETED).set(change.newUri, CREATED);
      if (await this.#close(change.oldUri)) await this.open(change.newUri);
    }
  }

  async #change(change: TextDocumentEdit): Promise<void> {
    const { uri, version } = change.textDocument;
    const edits = change.edits as readonly TextEdit[];
    const document = this.#open.get(uri);
    if (document === undefined) {
      const { text, mark } = await fromDisk(uri);
      await this.#save(
        uri,
        mark + TextDocument.applyEdits(TextDocument.create(uri, "typescript", 0, text), [...edits]),
      );
      return;
    }
    if (version !== null && version !== document.version) {
      throw new Error(`the edit is for version ${version} of ${uri}, which is at ${document.version}`);
    }
    // Edits of one document never overlap; from the last to the first each range still means what it did.
    const contentChanges = edits
      .toSorted((a, b) => document.offsetAt(b.range.start) - document.offsetAt(a.range.start))
      .map((edit) => ({ range: edit.range, text: edit.newText }));
    const next = TextDocument.update(document, contentChanges, document.version + 1);
    this.#open.set(uri, next);
    await this.#connection.sendNotification("textDocument/didChange", {
      textDocument: { uri, version: next.version },
      contentChanges,
    });
    await this.#save(uri, next.getText());
    await this.#connection.sendNotification("textDocument/didSave", { textDocument: { uri } });
  }

  /** An editor may say that it has written a text, and not have done so, or fail: what it has then is looked at. */
  async #save(uri: string, text: string): Promise<void> {
    if (this.editor.write === undefined) return await save(uri, text);
    try {
      await this.editor.write(fileURLToPath(uri), text);
    } finally {
      await this.follow(uri);
    }
  }

  /** Whether the document was open. */
  async #close(uri: string): Promise<boolean> {
    const wasOpen = this.#open.delete(uri);
    if (wasOpen) await this.#connection.sendNotification("textDocument/didClose", { textDocument: { uri } });
    return wasOpen;
  }

  async #stamp(uri: string): Promise<DocumentStamp> {
    const sha256 = createHash("sha256")
      .update(await this.textOf(uri), "utf8")
      .digest("hex");
    return { uri, version: this.#open.get(uri)?.version ?? null, sha256 };
  }
}

/** The text without the byte order mark, which no position counts, and the mark. */
async function fromDisk(uri: string): Promise<{ readonly text: string; readonly mark: string }> {
  const text = (await readRegularBytes(fileURLToPath(uri))).toString("utf8");
  return text.startsWith(BYTE_ORDER_MARK)
    ? { text: text.slice(BYTE_ORDER_MARK.length), mark: BYTE_ORDER_MARK }
    : { text, mark: "" };
}

async function save(uri: string, text: string): Promise<void> {
  const path = fileURLToPath(uri);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
