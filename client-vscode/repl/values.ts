/** Values at the ends of lines: what the forms above came to, until their lines change. */
import * as vscode from "vscode";
import type { EvalResult } from "../../server/src/protocol/repl-shapes.ts";
import { plural } from "../../server/src/base/plural.ts";
import { fileName } from "./evaluator.ts";
import { moved, type Lines } from "./lines.ts";
import { failed, hoverText, inlineText, placeOf } from "./shown-value.ts";
import { short } from "./describe.ts";

/** A form that takes longer is shown as running. */
const SOON_MS = 250;

interface Shown {
  lines: Lines;
  /** Of the last line, in UTF-16 units. */
  readonly length: number;
  readonly since: number;
  outcome?: { readonly result: EvalResult; readonly process: string | undefined } | string;
}

export class Values implements vscode.Disposable {
  readonly #value = decoration("editorCodeLens.foreground");
  readonly #failure = decoration("editorError.foreground");
  readonly #running = decoration("editorWarning.foreground");
  readonly #shown = new Map<string, Shown[]>();
  /** Turns while a form runs. */
  #clock: NodeJS.Timeout | undefined;
  readonly #listening: vscode.Disposable;

  readonly #isAsked: () => boolean;

  /** `isAsked`: what runs may wait for an answer of the person's. */
  constructor(isAsked: () => boolean) {
    this.#isAsked = isAsked;
    this.#listening = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument((event) => this.#follow(event)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#shown.delete(uri.toString())),
      vscode.window.onDidChangeVisibleTextEditors(() => this.#draw()),
      vscode.window.onDidChangeActiveTextEditor(() => this.#draw()),
    );
  }

  /** Marks the lines of a form that begins; what comes back puts its outcome, or a sentence why there is none. */
  begin(document: vscode.TextDocument, lines: Lines): (outcome: NonNullable<Shown["outcome"]>) => void {
    const key = document.uri.toString();
    const others = (this.#shown.get(key) ?? []).filter((other) => isApart(other.lines, lines));
    const shown: Shown = { lines, length: document.lineAt(lines.last).text.length, since: Date.now() };
    this.#shown.set(key, [...others, shown]);
    this.#clock ??= setInterval(() => this.#tick(), 250);
    this.#draw();
    return (outcome) => {
      shown.outcome = outcome;
      this.#draw();
    };
  }

  clear(): void {
    // What runs goes on, and is still told.
    for (const [key, all] of this.#shown)
      this.#shown.set(
        key,
        all.filter(({ outcome }) => outcome === undefined),
      );
    this.#draw();
  }

  dispose(): void {
    clearInterval(this.#clock);
    this.#listening.dispose();
    for (const each of [this.#value, this.#failure, this.#running]) each.dispose();
  }

  #follow({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const key = document.uri.toString();
    const all = this.#shown.get(key);
    if (all === undefined || contentChanges.length === 0) return;
    const left = all.filter((shown) => {
      for (const change of contentChanges) {
        const lines = moved(shown.lines, change, shown.length);
        if (lines === undefined) return false;
        shown.lines = lines;
      }
      return true;
    });
    this.#shown.set(key, left);
    this.#draw();
  }

  #tick(): void {
    const isRunning = [...this.#shown.values()].flat().some(({ outcome }) => outcome === undefined);
    this.#draw();
    if (isRunning) return;
    clearInterval(this.#clock);
    this.#clock = undefined;
  }

  #draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const all = this.#shown.get(editor.document.uri.toString()) ?? [];
      const options = (of: readonly Shown[]) => of.map((shown) => render(editor.document, shown, this.#isAsked()));
      const isFailure = ({ outcome }: Shown): boolean =>
        typeof outcome === "string" || (outcome !== undefined && failed(outcome.result));
      const done = all.filter(({ outcome }) => outcome !== undefined);
      const running = all.filter(({ outcome, since }) => outcome === undefined && Date.now() - since >= SOON_MS);
      editor.setDecorations(this.#value, options(done.filter((shown) => !isFailure(shown))));
      editor.setDecorations(this.#failure, options(done.filter(isFailure)));
      editor.setDecorations(this.#running, options(running));
    }
    const active = vscode.window.activeTextEditor?.document.uri.toString() ?? "";
    const hasValues = (this.#shown.get(active) ?? []).some(({ outcome }) => outcome !== undefined);
    void vscode.commands.executeCommand("setContext", "agentq.hasValues", hasValues);
  }
}

function decoration(colour: string): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    after: { color: new vscode.ThemeColor(colour), margin: "0 0 0 1.5em" },
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
}

function isApart(one: Lines, other: Lines): boolean {
  return one.last < other.first || other.last < one.first;
}

function render(
  document: vscode.TextDocument,
  { lines, outcome, since }: Shown,
  isAsked: boolean,
): vscode.DecorationOptions {
  const { range } = document.lineAt(Math.min(lines.last, document.lineCount - 1));
  const end = new vscode.Range(range.end, range.end);
  if (outcome === undefined) {
    const seconds = Math.floor((Date.now() - since) / 1000);
    const words = `${"◐◓◑◒"[Math.floor(Date.now() / 250) % 4]} ${isAsked ? "waits for your answer in the chat" : seconds === 0 ? "running" : plural(seconds, "second")}`;
    return {
      range: end,
      renderOptions: { after: { contentText: words } },
      hoverMessage: hover("[Stop](command:agentq.interrupt) · [Chat](command:agentq.chat.focus)"),
    };
  }
  if (typeof outcome === "string") {
    const text = new vscode.MarkdownString().appendText(outcome);
    return { range: end, renderOptions: { after: { contentText: `⇒ ${short(outcome, 120)}` } }, hoverMessage: text };
  }
  const { result, process } = outcome;
  return {
    range: end,
    renderOptions: { after: { contentText: inlineText(result, range.end.character) } },
    hoverMessage: hover(hoverText(result, fileName, linksOf(result, process))),
  };
}

function linksOf({ valueId, error }: EvalResult, process: string | undefined): string[] {
  const links: string[] = [];
  const args = (value: object | string): string => encodeURIComponent(JSON.stringify([value]));
  if (valueId !== undefined)
    links.push(`[Look inside](command:agentq.inspectValue?${args({ value: valueId, process })})`);
  const place = placeOf(error);
  if (place !== undefined)
    links.push(
      `[Go to the place](command:agentq.openPlace?${args({ uri: place.uri, line: place.line, character: place.character })})`,
    );
  links.push("[Clear](command:agentq.clearValues)", "[Log](command:agentq.showRepl)");
  return links;
}

function hover(markdown: string): vscode.MarkdownString {
  const text = new vscode.MarkdownString(markdown);
  text.isTrusted = {
    enabledCommands: [
      "agentq.inspectValue",
      "agentq.openPlace",
      "agentq.clearValues",
      "agentq.showRepl",
      "agentq.interrupt",
      "agentq.chat.focus",
    ],
  };
  return text;
}
