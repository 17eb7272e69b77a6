/** The open buffers over the disk: the one place that says what a document's text is right now. */
import { createHash } from "node:crypto";
import { TextDocument, type TextDocumentContentChangeEvent } from "vscode-languageserver-textdocument";
import { URI } from "vscode-uri";
import { FileError, readRegularBytes, readRegularText } from "./regular-file.ts";
import { withoutByteOrderMark } from "./utf8-text.ts";

export interface OpenDocument {
  readonly uri: string;
  readonly languageId: string;
  readonly version: number;
  readonly text: string;
}

/** A document's text as it is now: of the open buffer when there is one, else of the disk. */
export interface DocumentText {
  readonly uri: string;
  /** The editor's version, null when the text was read from disk. */
  readonly version: number | null;
  readonly text: string;
  readonly sha256: string;
}

/** Contract: called synchronously, in the order the client's notifications arrived; must not throw. */
export interface DocumentListener {
  readonly didOpen?: (document: OpenDocument) => void;
  readonly didChange?: (document: OpenDocument) => void;
  /** `text` is what the buffer held last. */
  readonly didClose?: (uri: string, text: string) => void;
}

export function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

export class Documents {
  readonly #open = new Map<string, TextDocument>();
  readonly #listeners = new Set<DocumentListener>();
  readonly #savedAt = new Map<string, number>();

  open(document: OpenDocument): void {
    const uri = normalizeUri(document.uri);
    this.#open.set(uri, TextDocument.create(uri, document.languageId, document.version, document.text));
    const opened = { ...document, uri };
    for (const listener of this.#listeners) listener.didOpen?.(opened);
  }

  /** Changes to a document that was never opened are ignored: without a base they have no meaning. */
  change(rawUri: string, version: number, changes: TextDocumentContentChangeEvent[]): void {
    const document = this.#open.get(normalizeUri(rawUri));
    if (document === undefined) return;
    TextDocument.update(document, changes, version);
    const changed = toOpenDocument(document);
    for (const listener of this.#listeners) listener.didChange?.(changed);
  }

  close(rawUri: string): void {
    const uri = normalizeUri(rawUri);
    const closed = this.#open.get(uri);
    if (closed === undefined) return;
    this.#open.delete(uri);
    this.#savedAt.delete(uri);
    for (const listener of this.#listeners) listener.didClose?.(uri, closed.getText());
  }

  saved(rawUri: string): void {
    this.#savedAt.set(normalizeUri(rawUri), Date.now());
  }

  /** Whether the editor saved the open document after `since` and its text is this. */
  wasSaved(rawUri: string, text: string, since: number): boolean {
    const uri = normalizeUri(rawUri);
    const open = this.#open.get(uri);
    return (this.#savedAt.get(uri) ?? 0) >= since && open?.getText() === withoutByteOrderMark(text);
  }

  /** Whether the editor saved the open document after `since`, and the disk holds the text. */
  async isSaved(uri: string, since: number): Promise<boolean> {
    const text = this.get(uri) === undefined ? undefined : await this.readDisk(uri);
    return text !== undefined && this.wasSaved(uri, text, since);
  }

  get(uri: string): OpenDocument | undefined {
    const document = this.#open.get(normalizeUri(uri));
    return document === undefined ? undefined : toOpenDocument(document);
  }

  all(): OpenDocument[] {
    return [...this.#open.values()].map(toOpenDocument);
  }

  /**
   * The current text, or undefined when neither a buffer nor a file is there. Rejects with a `FileError` for what is no
   * regular file of UTF-8 text; `shown` is how its message names the file.
   */
  async read(rawUri: string, shown?: string): Promise<DocumentText | undefined> {
    const uri = normalizeUri(rawUri);
    const open = this.readOpen(uri);
    if (open !== undefined) return open;
    try {
      const text = await readRegularText(URI.parse(uri).fsPath, shown === undefined ? {} : { shown });
      return { uri, version: null, text, sha256: sha256(text) };
    } catch (error) {
      if (error instanceof FileError && error.trouble === "missing") return undefined;
      throw error;
    }
  }

  /** Like `read` for a file that is no text: its text is empty and its hash is of its bytes. */
  async readBytes(rawUri: string, shown?: string): Promise<DocumentText | undefined> {
    const uri = normalizeUri(rawUri);
    try {
      const bytes = await readRegularBytes(URI.parse(uri).fsPath, shown === undefined ? {} : { shown });
      return { uri, version: null, text: "", sha256: createHash("sha256").update(bytes).digest("hex") };
    } catch (error) {
      if (error instanceof FileError && error.trouble === "missing") return undefined;
      throw error;
    }
  }

  /** What the file on disk says, whatever a buffer says; undefined where no text can be read. */
  async readDisk(uri: string): Promise<string | undefined> {
    return readRegularText(URI.parse(uri).fsPath).catch(() => undefined);
  }

  /** Whether the document is open with a text that the disk does not hold. */
  async isUnsaved(uri: string): Promise<boolean> {
    const open = this.get(uri);
    return open !== undefined && open.text !== (await this.readDisk(open.uri));
  }

  /** The open buffer's text. */
  readOpen(rawUri: string): DocumentText | undefined {
    const open = this.get(rawUri);
    if (open === undefined) return undefined;
    const { uri, version, text } = open;
    return { uri, version, text, sha256: sha256(text) };
  }

  /** Replays every open document to the listener, then keeps it informed. Answers the unsubscribe function. */
  subscribe(listener: DocumentListener): () => void {
    for (const document of this.all()) listener.didOpen?.(document);
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Editors escape URIs differently (`%3A` or `:`); inside the server one spelling names one file. */
export function normalizeUri(uri: string): string {
  return URI.parse(uri).toString();
}

function toOpenDocument(document: TextDocument): OpenDocument {
  return {
    uri: document.uri,
    languageId: document.languageId,
    version: document.version,
    text: document.getText(),
  };
}
