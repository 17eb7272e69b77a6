/** The editors of a review: which one is shown, which hunk the cursor is at, and how one goes to another. */
import * as vscode from "vscode";
import type { Hunk, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import { hunkAt } from "./composed.ts";
import { named, SCHEME, type ReviewedFile, type ReviewedFiles } from "./files.ts";
import { ownHunk } from "./own-text.ts";
import { tabTitle } from "./texts.ts";
import { byFile, type HunkName, type Waiting } from "./waiting.ts";

const SHOWN = "agentq.review.shown";

export interface Stop {
  readonly file: ReviewedFile;
  readonly hunk: Hunk;
}

export class ReviewTabs implements vscode.Disposable {
  readonly #waiting: Waiting;
  readonly #files: ReviewedFiles;
  readonly #memory: vscode.Memento;
  readonly #subscriptions: readonly vscode.Disposable[];
  #isRestored = false;
  /** The person was in a text of their own since they asked. */
  #isElsewhere = false;
  /** Where two hunks are at one line, the cursor is at the one that the person went to. */
  #revealed: { readonly hunkId: string; readonly uri: string; readonly line: number } | undefined;

  constructor(waiting: Waiting, files: ReviewedFiles, memory: vscode.Memento) {
    this.#waiting = waiting;
    this.#memory = memory;
    this.#files = files;
    this.#subscriptions = [
      vscode.window.tabGroups.onDidChangeTabs(() => this.#tellContext()),
      vscode.window.tabGroups.onDidChangeTabGroups(() => this.#tellContext()),
      vscode.window.onDidChangeTextEditorSelection(({ kind, textEditor }) => {
        const isReviewed = textEditor.document.uri.scheme === SCHEME || ownHunk(textEditor.document.uri) !== undefined;
        if (kind !== undefined && !isReviewed) this.#isElsewhere = true;
      }),
    ];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  /** The proposal that the active editor shows. */
  get shown(): Proposal | undefined {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    return tab === undefined ? undefined : this.#proposalOf(tab);
  }

  /** All files of a proposal; several in one editor. */
  async open(proposal: Proposal): Promise<void> {
    const files = this.#files.of(proposal.proposalId);
    const [first] = files;
    if (first === undefined) return;
    if (files.length === 1) return await this.#openFile(first, { selection: rangeOf(first, first.hunks[0]) });
    const resources = files.map(({ left, right }) => [right, left, right]);
    await vscode.commands.executeCommand("vscode.changes", tabTitle(proposal), resources);
  }

  /** The person has said something to the agent. */
  asked(): void {
    this.#isElsewhere = false;
  }

  /** Shows the first file, and takes the focus from nobody: beside the text that somebody is in, and not over another review. */
  async arrive(proposal: Proposal): Promise<void> {
    const [first] = this.#files.of(proposal.proposalId);
    if (first === undefined || this.shown !== undefined) return;
    await this.#openFile(first, {
      preserveFocus: true,
      selection: rangeOf(first, first.hunks[0]),
      ...(this.#isElsewhere && vscode.window.activeTextEditor !== undefined
        ? { viewColumn: vscode.ViewColumn.Beside }
        : {}),
    });
  }

  /** Editors from before the window was reloaded are gone, or have found no text: what was shown is opened anew. */
  async restore(): Promise<void> {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(isReview);
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
    this.#isRestored = true;
    const shown = this.#waiting.get(this.#memory.get(SHOWN, ""));
    const [first] = shown === undefined ? [] : this.#files.of(shown.proposalId);
    if (first !== undefined) await this.#openFile(first, { preserveFocus: true });
  }

  /** The hunk that the cursor is at, in the active editor of a review. */
  get current(): Stop | undefined {
    const proposal = this.shown;
    const editor = vscode.window.activeTextEditor;
    if (proposal === undefined || editor === undefined) return undefined;
    const own = ownHunk(editor.document.uri);
    if (own !== undefined) return this.stopOf(own);
    const file = this.#files.showing(editor.document.uri, proposal.proposalId);
    if (file === undefined) return undefined;
    const [uri, { line }] = [editor.document.uri.toString(), editor.selection.active];
    const side = uri === file.right.toString() ? "after" : "before";
    const isRevealed = this.#revealed?.uri === uri && this.#revealed.line === line;
    const revealed = file.hunks.find((each) => isRevealed && each.id === this.#revealed?.hunkId);
    if (revealed !== undefined) return { file, hunk: revealed };
    const id = hunkAt(file.composed.places, line, side);
    const hunk = file.hunks.find((each) => each.id === id);
    return hunk === undefined ? undefined : { file, hunk };
  }

  stopOf({ proposalId, hunkId }: HunkName): Stop | undefined {
    return this.#stops(proposalId).find(({ hunk }) => hunk.id === hunkId);
  }

  /** Goes to the hunk after, or before, the cursor; around the end. */
  async go(proposal: Proposal, step: 1 | -1): Promise<void> {
    const stops = this.#stops(proposal.proposalId);
    const from = this.#index(stops);
    const index = step === 1 ? Math.floor(from + 1) : Math.ceil(from - 1);
    const stop = stops.at(index % stops.length);
    if (stop !== undefined) await this.#reveal(stop);
  }

  /** After a decision: to the hunk that waits next behind the decided one, unless the person went elsewhere. */
  async goOn(proposalId: string, { file, hunk }: Stop): Promise<void> {
    if (this.shown !== undefined && this.shown.proposalId !== proposalId) return;
    const order = [...byFile(file.proposal).keys()];
    const line = file.composed.places.get(hunk.id)?.after.first ?? 0;
    const stops = this.#stops(proposalId);
    const behind = stops.find((stop) => {
      if (stop.file.uri !== file.uri) return order.indexOf(stop.file.uri) > order.indexOf(file.uri);
      return (stop.file.composed.places.get(stop.hunk.id)?.after.first ?? 0) >= line;
    });
    const next = behind ?? stops[0];
    if (next !== undefined) await this.#reveal(next);
  }

  /** Closes the editors of what waits no more, if there are any. */
  async closeDecided(preserveFocus: boolean): Promise<boolean> {
    const rights = new Set(this.#files.all.map(({ right }) => right.toString()));
    const tabs = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter((tab) => {
        const { input } = tab;
        if (!isReview(tab)) return false;
        return input instanceof vscode.TabInputTextDiff
          ? !rights.has(input.modified.toString())
          : this.#proposalOf(tab) === undefined;
      });
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, preserveFocus);
    this.#tellContext();
    return tabs.length > 0;
  }

  #proposalOf({ input, label }: vscode.Tab): Proposal | undefined {
    if (input instanceof vscode.TabInputTextDiff) {
      const proposalId = (named(input.modified) ?? ownHunk(input.modified))?.proposalId;
      return proposalId === undefined ? undefined : this.#waiting.get(proposalId);
    }
    return isMulti(input) ? this.#titled(label) : undefined;
  }

  /** VS Code puts the number of files behind a title. */
  #titled(label: string): Proposal | undefined {
    return this.#waiting.all.find((proposal) => label.startsWith(tabTitle(proposal)));
  }

  #stops(proposalId: string): readonly Stop[] {
    return this.#files.of(proposalId).flatMap((file) => file.hunks.map((hunk) => ({ file, hunk })));
  }

  /** Between two hunks it is a half. */
  #index(stops: readonly Stop[]): number {
    const { current } = this;
    if (current !== undefined) return stops.findIndex(({ hunk }) => hunk === current.hunk);
    const editor = vscode.window.activeTextEditor;
    const uri = editor?.document.uri.toString();
    const line = editor?.selection.active.line ?? 0;
    const after = stops.findIndex(
      ({ file, hunk }) => file.right.toString() === uri && (file.composed.places.get(hunk.id)?.after.first ?? 0) > line,
    );
    return after - 0.5;
  }

  async #reveal({ file, hunk }: Stop): Promise<void> {
    const selection = rangeOf(file, hunk);
    this.#revealed = { hunkId: hunk.id, uri: file.right.toString(), line: selection.start.line };
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    const shown = vscode.window.visibleTextEditors.find(
      ({ document }) => document.uri.toString() === file.right.toString(),
    );
    if (tab !== undefined && isMulti(tab.input) && shown !== undefined) {
      shown.selection = new vscode.Selection(selection.start, selection.start);
      shown.revealRange(selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      return;
    }
    await this.#openFile(file, { selection });
  }

  async #openFile({ left, right }: ReviewedFile, options: vscode.TextDocumentShowOptions): Promise<void> {
    const title = `${right.path.split("/").at(-1)} (proposed)`;
    await vscode.commands.executeCommand("vscode.diff", left, right, title, { preview: true, ...options });
  }

  #tellContext(): void {
    const { shown } = this;
    void vscode.commands.executeCommand("setContext", "agentq.inReview", shown !== undefined);
    if (this.#isRestored && this.#memory.get(SHOWN) !== shown?.proposalId)
      void this.#memory.update(SHOWN, shown?.proposalId);
  }
}

function isReview({ input, label }: vscode.Tab): boolean {
  if (input instanceof vscode.TabInputTextDiff) return named(input.modified) !== undefined;
  return isMulti(input) && label.startsWith("Agent-Q: ");
}

/** Whether a tab may show several files: the API has no type for that, and older versions of VS Code no value. */
function isMulti(input: unknown): boolean {
  return input === undefined || (typeof input === "object" && input !== null && "textDiffs" in input);
}

function rangeOf(file: ReviewedFile, hunk: Hunk | undefined): vscode.Range {
  const line = (hunk === undefined ? undefined : file.composed.places.get(hunk.id))?.after.first ?? 0;
  return new vscode.Range(line, 0, line, 0);
}
