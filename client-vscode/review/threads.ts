/** What is said at each hunk and the place of its answers: a comment thread, whose reply is the reason for a rejection. */
import * as vscode from "vscode";
import type { Hunk } from "../../server/src/protocol/proposal-shapes.ts";
import { pathOf, type ReviewedFile } from "./files.ts";
import { hunkLabel, hunkWords, plain } from "./texts.ts";
import type { HunkName } from "./waiting.ts";

interface Shown {
  readonly thread: vscode.CommentThread;
  readonly name: HunkName;
  words: string;
}

export class HunkThreads implements vscode.Disposable {
  readonly #controller = vscode.comments.createCommentController("agentq", "Agent-Q");
  /** By proposal and hunk. */
  readonly #shown = new Map<string, Shown>();

  constructor() {
    this.#controller.options = { prompt: "Reject with a reason…", placeHolder: "What the model shall hear" };
  }

  /** The hunk at which a thread stands. */
  nameOf(thread: unknown): HunkName | undefined {
    for (const shown of this.#shown.values()) if (shown.thread === thread) return shown.name;
    return undefined;
  }

  show(files: readonly ReviewedFile[]): void {
    const waiting = new Set<string>();
    const begun = new Set<string>();
    for (const file of files) {
      for (const hunk of file.hunks) {
        const key = `${file.proposal.proposalId}/${hunk.id}`;
        waiting.add(key);
        this.#showHunk(key, file, hunk, !begun.has(file.proposal.proposalId));
        begun.add(file.proposal.proposalId);
      }
    }
    for (const [key, { thread }] of this.#shown) {
      if (waiting.has(key)) continue;
      thread.dispose();
      this.#shown.delete(key);
    }
  }

  dispose(): void {
    this.#controller.dispose();
  }

  #showHunk(key: string, file: ReviewedFile, hunk: Hunk, isFirst: boolean): void {
    const lines = file.composed.places.get(hunk.id)?.after;
    const line = lines?.last ?? 0;
    const range = new vscode.Range(line, 0, line, 0);
    const words = hunkWords(file.proposal, hunk, { lines, isFirst }, pathOf);
    const label = hunkLabel(file.proposal, hunk);
    const known = this.#shown.get(key);
    if (known?.thread.uri.toString() === file.right.toString()) {
      const { thread } = known;
      if (thread.range?.isEqual(range) !== true) thread.range = range;
      if (thread.label !== label) thread.label = label;
      if (known.words !== words) thread.comments = [comment(hunk, words)];
      known.words = words;
      return;
    }
    known?.thread.dispose();
    const thread = this.#controller.createCommentThread(file.right, range, [comment(hunk, words)]);
    thread.label = label;
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    thread.contextValue = hunk.kind;
    // An unresolved one opens the panel of comments.
    thread.state = vscode.CommentThreadState.Resolved;
    const name = { proposalId: file.proposal.proposalId, hunkId: hunk.id };
    this.#shown.set(key, { thread, name, words });
  }
}

function comment(hunk: Hunk, words: string): vscode.Comment {
  const body = new vscode.MarkdownString(words, true);
  return { body, mode: vscode.CommentMode.Preview, author: { name: plain(hunk.title) } };
}
