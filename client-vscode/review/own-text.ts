/** The person's own text for a hunk: a document that is written in place of the proposed text, and decides nothing when it is saved. */
import * as vscode from "vscode";
import type { Hunk, HunkDecision, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import { pathOf } from "./files.ts";
import { hunkLabel } from "./texts.ts";
import { isOpen, type HunkName, type Waiting } from "./waiting.ts";

const OWN_SCHEME = "agentq-hunk";
const MEMORY = "agentq.review.own";

interface Own {
  text: string;
  /** What stood at the hunk's place when the person last began to write. */
  over: string;
}

interface Named extends HunkName {
  /** The document is what stands at the hunk's place, which nobody writes. */
  readonly isThere?: true;
}

export function ownHunk(uri: vscode.Uri): Named | undefined {
  return uri.scheme === OWN_SCHEME ? (JSON.parse(uri.query) as Named) : undefined;
}

export class OwnTexts implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #waiting: Waiting;
  readonly #memory: vscode.Memento;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #subscriptions: readonly vscode.Disposable[];
  /** They outlive the window. */
  readonly #texts: Map<string, Own>;
  #version = Date.now();
  readonly onDidChangeFile = this.#changed.event;

  /** `written` is called when the person changed a text. */
  constructor(waiting: Waiting, memory: vscode.Memento, written: () => void) {
    this.#waiting = waiting;
    this.#memory = memory;
    this.#texts = new Map(Object.entries(memory.get<Record<string, Own>>(MEMORY, {})));
    this.#subscriptions = [
      vscode.workspace.registerFileSystemProvider(OWN_SCHEME, this, { isCaseSensitive: true }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.scheme === OWN_SCHEME) written();
      }),
    ];
  }

  /** Opens what stands at the hunk's place beside the text that the person may change. */
  async edit(proposal: Proposal, hunk: Hunk): Promise<void> {
    const name = { proposalId: proposal.proposalId, hunkId: hunk.id };
    const [beside, own] = [uriOf({ ...name, isThere: true }, hunk), uriOf(name, hunk)];
    this.#begin(name, hunk).over = there(hunk);
    this.#keep(beside);
    const title = `${hunkLabel(proposal, hunk)}: there ↔ yours`;
    await vscode.commands.executeCommand("vscode.diff", beside, own, title, { preview: false });
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
  async closeDecided(preserveFocus: boolean): Promise<boolean> {
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
    if (gone.length > 0) await vscode.window.tabGroups.close(gone, preserveFocus);
    const decided = [...this.#texts.keys()].filter((key) => isGone(JSON.parse(key) as HunkName));
    for (const key of decided) this.#texts.delete(key);
    if (decided.length > 0) await this.#memory.update(MEMORY, Object.fromEntries(this.#texts));
    return gone.length > 0;
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const isThere = ownHunk(uri)?.isThere === true;
    return {
      type: vscode.FileType.File,
      ctime: 0,
      mtime: this.#version,
      size: Buffer.byteLength(this.#known(uri)),
      ...(isThere ? { permissions: vscode.FilePermission.Readonly } : {}),
    };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return Buffer.from(this.#known(uri));
  }

  /** Saving keeps the text, and only an accept accepts. */
  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    const name = ownHunk(uri);
    const own = name === undefined || name.isThere === true ? undefined : this.#texts.get(keyOf(name));
    if (own === undefined) throw vscode.FileSystemError.NoPermissions(uri);
    own.text = Buffer.from(content).toString();
    this.#keep(uri);
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
    const own = this.#texts.get(key) ?? { text: hunk.newText, over: there(hunk) };
    this.#texts.set(key, own);
    return own;
  }

  #keep(uri: vscode.Uri): void {
    this.#version += 1;
    void this.#memory.update(MEMORY, Object.fromEntries(this.#texts));
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  #known(uri: vscode.Uri): string {
    const name = ownHunk(uri);
    const known = name === undefined ? undefined : this.#texts.get(keyOf(name));
    if (name === undefined || known === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return name.isThere === true ? known.over : known.text;
  }

  /** What stands in the hunk's document, saved or not. */
  #text(name: HunkName, hunk: Hunk): string | undefined {
    const key = uriOf(name, hunk).toString();
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

function uriOf(name: Named, hunk: Hunk): vscode.Uri {
  return vscode.Uri.from({ scheme: OWN_SCHEME, path: `/${pathOf(hunk.uri)}`, query: JSON.stringify(name) });
}

function keyOf({ proposalId, hunkId }: HunkName): string {
  return JSON.stringify({ proposalId, hunkId });
}
