/** The person's editor: buffers, what is typed into them and saved, and edits that are applied. */
import { createHash } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { MessageConnection } from "vscode-jsonrpc/node";
import type { TextEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { BufferText, EditorBuffer } from "../../server/src/protocol/buffer-shapes.ts";
import { ProjectFolder } from "./project-folder.ts";

/** The texts of a moment, by path below the project. */
export interface Texts {
  readonly disk: ReadonlyMap<string, string>;
  readonly buffers: ReadonlyMap<string, string>;
}

export class Desk extends ProjectFolder {
  readonly #buffers = new Map<string, TextDocument>();
  readonly #others = new Map<string, { buffer: EditorBuffer; lines: readonly string[] }>();

  async openFile(name: string): Promise<void> {
    const text = this.disk(name) ?? "";
    const languageId = name.endsWith(".ts") ? "typescript" : "plaintext";
    const uri = this.uri(name);
    this.#buffers.set(name, TextDocument.create(uri, languageId, 1, text));
    await this.notify?.("textDocument/didOpen", { textDocument: { uri, languageId, version: 1, text } });
  }

  /** Replaces a text in a buffer, which is not saved. */
  async type(name: string, old: string, text: string): Promise<void> {
    const now = this.buffer(name) ?? "";
    if (!now.includes(old)) throw new Error(`${name} does not contain ${old}`);
    await this.#setText(
      name,
      now.replace(old, () => text),
    );
  }

  async save(name: string): Promise<void> {
    const text = this.buffer(name) ?? "";
    writeFileSync(path.join(this.folder, name), text);
    await this.notify?.("textDocument/didSave", { textDocument: { uri: this.uri(name) }, text });
  }

  async closeFile(name: string): Promise<void> {
    this.#buffers.delete(name);
    await this.notify?.("textDocument/didClose", { textDocument: { uri: this.uri(name) } });
  }

  async closeFiles(): Promise<void> {
    for (const name of this.#buffers.keys()) await this.closeFile(name);
  }

  async #setText(name: string, text: string): Promise<number> {
    const buffer = this.#buffers.get(name);
    if (buffer === undefined) throw new Error(`${name} is not open`);
    const { uri, languageId, version } = buffer;
    this.#buffers.set(name, TextDocument.create(uri, languageId, version + 1, text));
    const textDocument = { uri, version: version + 1 };
    await this.notify?.("textDocument/didChange", { textDocument, contentChanges: [{ text }] });
    return version + 1;
  }

  /** What the real editors do: a file without unsaved changes is saved after an edit. */
  async apply(edit: WorkspaceEdit | null): Promise<{ uri: string; version: number | null; sha256: string }[]> {
    const documents: { uri: string; version: number | null; sha256: string }[] = [];
    for (const change of edit?.documentChanges ?? []) {
      if ("kind" in change) {
        await this.#applyWhole(change);
        continue;
      }
      const { uri } = change.textDocument;
      const name = this.nameOf(uri);
      const isUnsaved = this.isUnsaved(name);
      const before = this.text(name) ?? "";
      const text = TextDocument.applyEdits(TextDocument.create(uri, "", 1, before), change.edits as TextEdit[]);
      const version = this.#buffers.has(name) ? await this.#setText(name, text) : null;
      if (version === null) this.write(name, text);
      else if (!isUnsaved) await this.save(name);
      documents.push({ uri, version, sha256: createHash("sha256").update(text).digest("hex") });
    }
    return documents;
  }

  async #applyWhole(
    change: Exclude<NonNullable<WorkspaceEdit["documentChanges"]>[number], { edits: unknown }>,
  ): Promise<void> {
    if (change.kind === "create") return this.write(this.nameOf(change.uri), "");
    if (change.kind === "delete") {
      const name = this.nameOf(change.uri);
      if (this.#buffers.has(name)) await this.closeFile(name);
      return this.remove(name);
    }
    const [from, to] = [this.nameOf(change.oldUri), this.nameOf(change.newUri)];
    const isOpen = this.#buffers.has(from);
    if (isOpen) await this.closeFile(from);
    mkdirSync(path.dirname(path.join(this.folder, to)), { recursive: true });
    renameSync(path.join(this.folder, from), path.join(this.folder, to));
    this.tellOfFiles([from, 3], [to, 1]);
    if (isOpen) await this.openFile(to);
  }

  /** A buffer that is no file: a terminal, messages. */
  showBuffer(id: string, about: { name: string; kind: string }, lines: readonly string[]): void {
    this.#others.set(id, { buffer: { id, ...about, lines: lines.length }, lines });
  }

  /** Connects the editor with the server. */
  protected connect(connection: MessageConnection): void {
    this.notify = (method, params) => connection.sendNotification(method, params);
    connection.onRequest("agentq/listBuffers", () => {
      const files = [...this.#buffers].map(([name, document], index): EditorBuffer => ({
        id: `f${index}`,
        name,
        kind: document.languageId,
        uri: document.uri,
        lines: document.lineCount - (document.getText().endsWith("\n") ? 1 : 0),
        modified: this.isUnsaved(name),
      }));
      return { buffers: [...files, ...[...this.#others.values()].map(({ buffer }) => buffer)] };
    });
    connection.onRequest("agentq/readBuffer", ({ id, start, end }: { id: string; start: number; end: number }) => {
      const found = this.#others.get(id);
      return { buffer: found?.buffer, version: 1, lines: found?.lines.slice(start, end) ?? [] } as BufferText;
    });
  }

  buffer(name: string): string | undefined {
    return this.#buffers.get(name)?.getText();
  }

  /** The text as the person sees it. */
  text(name: string): string | undefined {
    return this.buffer(name) ?? this.disk(name);
  }

  isUnsaved(name: string): boolean {
    return this.#buffers.has(name) && this.buffer(name) !== this.disk(name);
  }

  texts(): Texts {
    return { disk: this.files(), buffers: new Map([...this.#buffers].map(([name, each]) => [name, each.getText()])) };
  }
}
