/** The inside of a value as a tree, page by page: nothing of the project's code runs for it. */
import * as vscode from "vscode";
import { given } from "../../server/src/base/given.ts";
import { showHidden } from "../../server/src/workspace/hidden-characters.ts";
import type { ValuePage } from "../../server/src/protocol/repl-shapes.ts";
import type { Agentq } from "../server/agentq.ts";
import { describe, short } from "./describe.ts";
import { fileName, type Evaluator } from "./evaluator.ts";
import { getterCode, rowsOf, type Row } from "./pages.ts";

export interface ValueAt {
  /** A handle, a name, or an expression without effects. */
  readonly value: string;
  readonly process?: string | undefined;
  /** URI of the module in whose scope the value is read. */
  readonly module?: string | undefined;
}

export interface ValueNode {
  readonly row: Row;
  readonly parent: ValueNode | undefined;
}

export class Inspector implements vscode.TreeDataProvider<ValueNode>, vscode.Disposable {
  readonly #agentq: Agentq;
  readonly #evaluator: Evaluator;
  readonly #changed = new vscode.EventEmitter<ValueNode | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #view: vscode.TreeView<ValueNode>;
  #at: ValueAt | undefined;
  /** How many pages of a value are shown, by its path. */
  readonly #pages = new Map<string, number>();

  constructor(agentq: Agentq, evaluator: Evaluator) {
    this.#agentq = agentq;
    this.#evaluator = evaluator;
    this.#view = vscode.window.createTreeView("agentq.value", { treeDataProvider: this, showCollapseAll: true });
    agentq.onDidStop(() => this.close());
    agentq.on("agentq/replState", ({ state }) => {
      const isOfRepl = this.#at !== undefined && this.#at.process === undefined;
      if (isOfRepl && (state === "restarting" || state === "dead")) this.close();
    });
  }

  async open(at: ValueAt): Promise<void> {
    const page = await this.#page(at, [], 1);
    this.#at = at;
    this.#pages.clear();
    await vscode.commands.executeCommand("setContext", "agentq.hasValue", true);
    this.#view.title = `Value ${short([page.value, ...page.path].join(" › "), 40)}`;
    this.#view.description = showHidden(at.process === undefined ? page.type : `${page.type} · in ${at.process}`);
    this.#changed.fire(undefined);
    await vscode.commands.executeCommand("agentq.value.focus");
  }

  close(): void {
    this.#at = undefined;
    void vscode.commands.executeCommand("setContext", "agentq.hasValue", false);
    this.#changed.fire(undefined);
  }

  refresh(): void {
    this.#changed.fire(undefined);
  }

  /** Shows one page more where the row stands. */
  more({ row, parent }: ValueNode): void {
    if (row.next === undefined) return;
    this.#pages.set(JSON.stringify(row.next.path), row.next.page);
    this.#changed.fire(parent);
  }

  /** A getter is code: to call it is an evaluation, with a handle and a line in the log. */
  async call({ row }: ValueNode): Promise<void> {
    const at = this.#at;
    if (at === undefined || row.getter === undefined) return;
    const code = getterCode(at.value, row.getter);
    if (code === undefined) throw new Error("Only a getter on a path of plain properties can be called.");
    const result = await this.#evaluator.evaluate({ code, module: at.module });
    if (result.valueId === undefined)
      return this.#evaluator.notice(describe(result, { file: fileName, process: at.process }).join("\n"));
    await this.open({ value: result.valueId, process: at.process });
  }

  getTreeItem(node: ValueNode): vscode.TreeItem {
    const { row } = node;
    const { Collapsed, None } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(row.label, row.path === undefined ? None : Collapsed);
    item.description = row.description;
    item.tooltip = row.whole;
    if (row.getter !== undefined) item.contextValue = "getter";
    if (row.next !== undefined) item.command = { command: "agentq.valueMore", title: "More", arguments: [node] };
    if (row.source !== undefined)
      item.command = { command: "agentq.openPlace", title: "Open", arguments: [row.source] };
    return item;
  }

  getParent({ parent }: ValueNode): ValueNode | undefined {
    return parent;
  }

  async getChildren(parent?: ValueNode): Promise<ValueNode[]> {
    const at = this.#at;
    if (at === undefined) return [];
    const path = parent?.row.path ?? [];
    const pages: ValuePage[] = [];
    const count = this.#pages.get(JSON.stringify(path)) ?? 1;
    try {
      for (let number = 1; number <= count; number += 1) pages.push(await this.#page(at, path, number));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return [{ row: { label: "", description: why, whole: why }, parent }];
    }
    return rowsOf(pages).map((row) => ({ row, parent }));
  }

  dispose(): void {
    this.#view.dispose();
    this.#changed.dispose();
  }

  /** Rejects with a sentence for people. */
  async #page({ value, process, module }: ValueAt, path: readonly string[], page: number) {
    const asked = { value, path: [...path], page, ...given({ process, module }) };
    return await this.#agentq.request("agentq/inspectValue", asked).catch((error: unknown) => {
      const { data, message } = error as { readonly data?: { readonly expected?: unknown }; readonly message: string };
      throw new Error(showHidden(typeof data?.expected === "string" ? data.expected : message));
    });
  }
}

/** What the cursor is on in the editor: the selection, else the name with the `$` of a handle. */
export function valueHere(editor: vscode.TextEditor | undefined, module: string | undefined): ValueAt | undefined {
  if (editor === undefined) return undefined;
  const { document, selection } = editor;
  const word = document.getWordRangeAtPosition(selection.active, /[\w$\u0080-\uFFFF]+/);
  const value = document.getText(selection.isEmpty ? word : selection).trim();
  return value === "" || (selection.isEmpty && word === undefined) ? undefined : { value, module };
}
