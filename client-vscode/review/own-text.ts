/** The person's own text for a hunk: a document that is written in place of the proposed text, and decides nothing when it is saved. */
import * as vscode from "vscode";
import type { Hunk, HunkDecision, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import { pathOf } from "./files.ts";
import { hunkLabel } from "./texts.ts";
import { isOpen, type HunkName, type Waiting } from "./waiting.ts";

export const OWN_SCHEME = "agentq-hunk";
const BESIDE_SCHEME = "agentq-there";

interface Own {
  text: string;
  mtime: number;
  /** What stood at the hunk's place when the person began. */
  readonly over: string;
}

export function ownHunk(uri: vscode.Uri): HunkName | undefined {
  return uri.scheme === OWN_SCHEME || uri.scheme === BESIDE_SCHEME ? (JSON.parse(uri.query) as HunkName) : undefined;
}

export class OwnTexts implements vscode.FileSystemProvider, vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #waiting: Waiting;
  readonly #memory: vscode.Memento;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #subscriptions: readonly vscode.Disposable[];
  readonly #texts = new Map<string, Own>();
  readonly onDidChangeFile = this.#changed.event;

  /** `written` is called when the person changed a text. */
  constructor(waiting: Waiting, memory: vscode.Memento, written: () => void) {
    this.#waiting = waiting;
    this.#memory = memory;
    this.#subscriptions = [
      vscode.workspace.registerFileSystemProvider(OWN_SCHEME, this, { isCaseSensitive: true }),
      vscode.workspace.registerTextDocumentContentProvider(BESIDE_SCHEME, this),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.scheme === OWN_SCHEME) written();
      }),
    ];
  }

  /** Opens what stands at the hunk's place beside the text that the person may change. */
  async edit(proposal: Proposal, hunk: Hunk): Promise<void> {
    const name = { proposalId: proposal.proposalId, hunkId: hunk.id };
    this.#begin(name, hunk);
    const title = `${hunkLabel(proposal, hunk)}: there ↔ yours`;
    await vscode.commands.executeCommand(
      "vscode.diff",
      uriOf(BESIDE_SCHEME, name, hunk),
      uriOf(OWN_SCHEME, name, hunk),
      title,
    );
  }

  /** What the person wrote in place of a hunk's text, where that is another one. */
  of({ proposalId }: Proposal, hunk: Hunk): string | undefined {
    const text = this.#text({ proposalId, hunkId: hunk.id }, hunk);
    return text === undefined || text === hunk.newText ? undefined : text;
  }

  /** Who accepts a conflict in the hunk's own document takes the text there, changed or not. */
  acceptance(proposal: Proposal, hunk: Hunk, isHere: boolean): HunkDecision {
    const name = { proposalId: proposal.proposalId, hunkId: hunk.id };
    const text = this.#text(name, hunk);
    const isMerge = isHere && hunk.state === "conflict";
    if (text === undefined || (text === hunk.newText && !isMerge)) return { id: hunk.id, decision: "accept" };
    const over = this.#texts.get(keyOf(name))?.over ?? there(hunk);
    return { id: hunk.id, decision: "edit", newText: text, currentText: over };
  }

  /** Forgets the texts of hunks that wait no more, and closes their documents. */
  async closeDecided(): Promise<void> {
    const isGone = (name: HunkName | undefined): boolean => {
      const hunk = name === undefined ? undefined : this.#waiting.find(name);
      return name !== undefined && (hunk === undefined || !isOpen(hunk));
    };
    for (const document of vscode.workspace.textDocuments) {
      // A document without changes closes without a question.
      if (document.uri.scheme === OWN_SCHEME && document.isDirty && isGone(ownHunk(document.uri)))
        await document.save();
    }
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const gone = tabs.filter(
      ({ input }) => input instanceof vscode.TabInputTextDiff && isGone(ownHunk(input.modified)),
    );
    if (gone.length > 0) await vscode.window.tabGroups.close(gone);
    for (const key of this.#texts.keys()) {
      if (!isGone(JSON.parse(key) as HunkName)) continue;
      this.#texts.delete(key);
      await this.#memory.update(memoryKey(key), undefined);
    }
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const name = ownHunk(uri);
    const hunk = name === undefined ? undefined : this.#waiting.find(name);
    return hunk === undefined ? "" : there(hunk);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { text, mtime } = this.#known(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime, size: Buffer.byteLength(text) };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return Buffer.from(this.#known(uri).text);
  }

  /** Saving keeps the text, and only an accept accepts. */
  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    const own = this.#known(uri);
    own.text = Buffer.from(content).toString();
    own.mtime = Date.now();
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => {});
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    for (const subscription of [...this.#subscriptions, this.#changed]) subscription.dispose();
  }

  #begin(name: HunkName, hunk: Hunk): Own {
    const key = keyOf(name);
    const known = this.#texts.get(key);
    if (known !== undefined && (known.over === there(hunk) || known.text !== hunk.newText)) return known;
    const over = this.#memory.get<string>(memoryKey(key)) ?? there(hunk);
    const own = { text: hunk.newText, mtime: Date.now(), over };
    this.#texts.set(key, own);
    void this.#memory.update(memoryKey(key), over);
    return own;
  }

  #known(uri: vscode.Uri): Own {
    const name = ownHunk(uri);
    const known = name === undefined ? undefined : this.#texts.get(keyOf(name));
    if (known !== undefined) return known;
    const hunk = name === undefined ? undefined : this.#waiting.find(name);
    if (name === undefined || hunk === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return this.#begin(name, hunk);
  }

  /** What stands in the hunk's document, saved or not. */
  #text(name: HunkName, hunk: Hunk): string | undefined {
    const key = uriOf(OWN_SCHEME, name, hunk).toString();
    const document = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === key);
    const text = document?.getText() ?? this.#texts.get(keyOf(name))?.text;
    if (text === undefined || text === "" || text.endsWith("\n")) return text;
    // Text in place of other lines ends as those did, so that what follows stays on lines of its own.
    const model = hunk.state === "conflict" ? there(hunk) : hunk.newText || hunk.oldText;
    return model.endsWith("\n") ? `${text}${model.endsWith("\r\n") ? "\r\n" : "\n"}` : text;
  }
}

function there(hunk: Hunk): string {
  return hunk.state === "conflict" ? (hunk.currentText ?? "") : hunk.oldText;
}

function uriOf(scheme: string, { proposalId, hunkId }: HunkName, hunk: Hunk): vscode.Uri {
  return vscode.Uri.from({ scheme, path: `/${pathOf(hunk.uri)}`, query: JSON.stringify({ proposalId, hunkId }) });
}

function keyOf({ proposalId, hunkId }: HunkName): string {
  return JSON.stringify({ proposalId, hunkId });
}

function memoryKey(key: string): string {
  return `agentq.review.over ${key}`;
}
