/** The files of the proposals that wait, as they are and as their hunks make them: what a diff editor shows. */
import * as vscode from "vscode";
import type { Hunk, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import { compose, type Composed } from "./composed.ts";
import { plain } from "./texts.ts";
import { byFile, type Waiting } from "./waiting.ts";

export const SCHEME = "agentq-proposal";
/** Typing makes many changes, and the server tells soon after each where the hunks are. */
const DELAY_MS = 80;

export interface ReviewedFile {
  readonly proposal: Proposal;
  /** In the order of the proposal. */
  readonly hunks: readonly Hunk[];
  readonly uri: string;
  /**
   * The document itself, as live as elsewhere. One of ours where there is none, and where the file may go: an editor keeps
   * the document of such a file open, as if the file were still there.
   */
  readonly left: vscode.Uri;
  readonly before: string;
  readonly right: vscode.Uri;
  readonly composed: Composed;
}

interface Named {
  readonly proposalId: string;
  readonly uri: string;
  readonly isBefore?: true;
}

export function pathOf(uri: string): string {
  return vscode.workspace.asRelativePath(vscode.Uri.parse(uri));
}

/** What a document of ours is about; undefined for another one. */
export function named(uri: vscode.Uri): Named | undefined {
  return uri.scheme === SCHEME ? (JSON.parse(uri.query) as Named) : undefined;
}

export class ReviewedFiles implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #waiting: Waiting;
  readonly #own: (proposal: Proposal, hunk: Hunk) => string | undefined;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #composed = new vscode.EventEmitter<void>();
  readonly #subscriptions: readonly vscode.Disposable[];
  /** By the documents at the right. */
  #files: ReadonlyMap<string, ReviewedFile> = new Map();
  #timer: NodeJS.Timeout | undefined;
  readonly #checks = new Map<string, NodeJS.Timeout>();
  #last: Promise<void> = Promise.resolve();
  readonly onDidChange = this.#changed.event;
  /** What waits was composed anew. */
  readonly onDidCompose = this.#composed.event;

  constructor(waiting: Waiting, own: (proposal: Proposal, hunk: Hunk) => string | undefined) {
    this.#waiting = waiting;
    this.#own = own;
    this.#subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        const uri = document.uri.toString();
        if (document.uri.scheme === SCHEME) this.#checkSoon(document);
        else if (this.all.some((file) => vscode.Uri.parse(file.uri).toString() === uri)) this.soon();
      }),
    ];
  }

  get all(): readonly ReviewedFile[] {
    return [...this.#files.values()];
  }

  of(proposalId: string): readonly ReviewedFile[] {
    return this.all.filter(({ proposal }) => proposal.proposalId === proposalId);
  }

  /** The file that a document shows, at either side. */
  showing(uri: vscode.Uri, proposalId: string): ReviewedFile | undefined {
    const shown = uri.toString();
    return this.of(proposalId).find(({ left, right }) => left.toString() === shown || right.toString() === shown);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const shown = uri.toString();
    const before = this.all.find(({ left }) => left.toString() === shown)?.before;
    return before ?? this.#files.get(shown)?.composed.text ?? "";
  }

  soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.refresh(), DELAY_MS);
  }

  /** Composes all that waits, as it and the documents are now. */
  async refresh(): Promise<void> {
    clearTimeout(this.#timer);
    this.#last = this.#last.then(() => this.#refresh());
    await this.#last;
  }

  dispose(): void {
    for (const timer of [this.#timer, ...this.#checks.values()]) clearTimeout(timer);
    for (const subscription of [...this.#subscriptions, this.#changed, this.#composed]) subscription.dispose();
  }

  /** VS Code may mix two updates of a document that come close together: what came out of them is looked at once more. */
  #checkSoon(document: vscode.TextDocument): void {
    const key = document.uri.toString();
    clearTimeout(this.#checks.get(key));
    const check = (): void => {
      this.#checks.delete(key);
      const file = this.#files.get(key);
      if (file !== undefined && document.getText() !== file.composed.text) this.#changed.fire(file.right);
    };
    this.#checks.set(key, setTimeout(check, 2 * DELAY_MS));
  }

  async #refresh(): Promise<void> {
    const before = this.#files;
    const composed = this.#waiting.all.flatMap((proposal) =>
      [...byFile(proposal)].map(([uri, hunks]) => this.#compose(proposal, uri, hunks)),
    );
    const files = new Map((await Promise.all(composed)).map((file) => [file.right.toString(), file]));
    this.#files = files;
    for (const [key, { left, right }] of new Map([...before, ...files])) {
      const [old, now] = [before.get(key), files.get(key)];
      if (old?.composed.text !== now?.composed.text) this.#changed.fire(right);
      if (left.scheme === SCHEME && old?.before !== now?.before) this.#changed.fire(left);
    }
    this.#composed.fire();
  }

  async #compose(proposal: Proposal, uri: string, hunks: readonly Hunk[]): Promise<ReviewedFile> {
    const entry = hunks.some(({ kind }) => kind === "entry");
    const document = entry ? undefined : await open(uri);
    const moved = hunks.find(({ kind }) => kind === "rename")?.newUri;
    const goes = moved !== undefined || hunks.some(({ kind }) => kind === "delete");
    const { proposalId } = proposal;
    const own = (hunk: Hunk): string | undefined => this.#own(proposal, hunk);
    const composed = compose(document?.getText() ?? "", hunks, own);
    return {
      proposal,
      hunks: hunks.toSorted((one, other) => lineOf(composed, one) - lineOf(composed, other)),
      uri,
      left: document === undefined || goes ? uriOf({ proposalId, uri, isBefore: true }) : document.uri,
      before: document?.getText() ?? "",
      right: uriOf({ proposalId, uri }, moved),
      composed: entry ? { ...composed, text: hunks.map(({ title }) => `${plain(title)}\n`).join("") } : composed,
    };
  }
}

function lineOf(composed: Composed, hunk: Hunk): number {
  return composed.places.get(hunk.id)?.after.last ?? 0;
}

/** The path is that of the file, so that an editor of several files sees that none is renamed. */
function uriOf(name: Named, path: string = name.uri): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: vscode.Uri.parse(path).path, query: JSON.stringify(name) });
}

/** Undefined where there is no such document, or none that is text. */
async function open(uri: string): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  } catch {
    return undefined;
  }
}
