/** Notebooks on the live process: each cell is a form, in the scope of the module that the notebook names. */
import * as vscode from "vscode";
import type { Agentq } from "../server/agentq.ts";
import type { EvalResult } from "../../server/src/protocol/repl-shapes.ts";
import { command, fileName, moduleOf, type Evaluator } from "./evaluator.ts";
import { errorLines, noteLines, outcomeWords, valueLines } from "./describe.ts";
import { readNotebook, writeNotebook } from "./notebook-format.ts";
import { completeCells } from "./notebook-completion.ts";
import { failed } from "./shown-value.ts";
import { showHidden } from "../../server/src/workspace/hidden-characters.ts";

const NOTEBOOK = "agentq-repl";
/** TypeScript to the eye. VS Code's own would not know the names of the module and of other cells. */
export const LANGUAGE = "agentq-form";

const serializer: vscode.NotebookSerializer = {
  deserializeNotebook: (content) => {
    const { module, cells } = readNotebook(new TextDecoder().decode(content));
    const { Code, Markup } = vscode.NotebookCellKind;
    const data = new vscode.NotebookData(
      cells.map(({ kind, value }) =>
        kind === "form"
          ? new vscode.NotebookCellData(Code, value, LANGUAGE)
          : new vscode.NotebookCellData(Markup, value, "markdown"),
      ),
    );
    data.metadata = module === undefined ? {} : { module };
    return data;
  },
  serializeNotebook: ({ metadata, cells }) => {
    const module: unknown = metadata?.["module"];
    const shown = cells.map(({ kind, value }) => {
      return { kind: kind === vscode.NotebookCellKind.Code ? ("form" as const) : ("text" as const), value };
    });
    const text = writeNotebook({ ...(typeof module === "string" ? { module } : {}), cells: shown });
    return new TextEncoder().encode(text);
  },
};

export function registerNotebooks(agentq: Agentq, evaluator: Evaluator): vscode.Disposable {
  const controller = vscode.notebooks.createNotebookController("agentq", NOTEBOOK, "The live REPL");
  controller.supportedLanguages = [LANGUAGE];
  controller.supportsExecutionOrder = true;
  controller.description = "Agent-Q";
  const runs = new Runs(controller, evaluator);
  controller.executeHandler = (cells, notebook) => runs.run(cells, notebook);
  controller.interruptHandler = () => runs.interrupt();
  const changed = new vscode.EventEmitter<void>();
  return vscode.Disposable.from(
    controller,
    changed,
    vscode.workspace.registerNotebookSerializer(NOTEBOOK, serializer, { transientOutputs: true }),
    vscode.notebooks.registerNotebookCellStatusBarItemProvider(NOTEBOOK, {
      onDidChangeCellStatusBarItems: changed.event,
      provideCellStatusBarItems: statusItems,
    }),
    vscode.workspace.onDidChangeNotebookDocument(({ metadata }) => {
      if (metadata !== undefined) changed.fire();
    }),
    completeCells(agentq, evaluator),
    command("agentq.newNotebook", newNotebook),
    command("agentq.chooseModule", chooseModule),
  );
}

/** Cells run one after the other, and none after one that failed. */
class Runs {
  readonly #controller: vscode.NotebookController;
  readonly #evaluator: Evaluator;
  #last: Promise<void> = Promise.resolve();
  #order = 0;
  /** Counts interrupts: cells that waited then do not run. */
  #interrupts = 0;

  constructor(controller: vscode.NotebookController, evaluator: Evaluator) {
    this.#controller = controller;
    this.#evaluator = evaluator;
  }

  async run(cells: readonly vscode.NotebookCell[], notebook: vscode.NotebookDocument): Promise<void> {
    const since = this.#interrupts;
    this.#last = this.#last.then(async () => {
      for (const cell of cells) {
        if (this.#interrupts !== since || !(await this.#runCell(cell, moduleUri(notebook)))) return;
      }
    });
    await this.#last;
  }

  async interrupt(): Promise<void> {
    this.#interrupts += 1;
    await vscode.commands.executeCommand("agentq.interrupt");
  }

  async #runCell(cell: vscode.NotebookCell, module: string | undefined): Promise<boolean> {
    const execution = this.#controller.createNotebookCellExecution(cell);
    execution.start(Date.now());
    await execution.clearOutput();
    const code = cell.document.getText();
    if (code.trim() === "") {
      execution.end(undefined, Date.now());
      return true;
    }
    this.#order += 1;
    execution.executionOrder = this.#order;
    const onOutput = ({ stream, text }: { readonly stream: "stdout" | "stderr"; readonly text: string }): void => {
      void execution.appendOutput(new vscode.NotebookCellOutput([printed(stream, text)]));
    };
    try {
      const result = await this.#evaluator.evaluate({
        code,
        module,
        onOutput,
        origin: { uri: cell.document.uri.toString(), line: 0, character: 0 },
      });
      await execution.replaceOutput(outputsOf(result, this.#evaluator.process));
      execution.end(!failed(result), Date.now());
      return !failed(result);
    } catch (error) {
      const item = vscode.NotebookCellOutputItem.error(asError(error));
      await execution.replaceOutput(new vscode.NotebookCellOutput([item]));
      execution.end(false, Date.now());
      return false;
    }
  }
}

/** All of what the form printed comes with the result; what came before was for who waits. */
function outputsOf(result: EvalResult, process: string | undefined): vscode.NotebookCellOutput[] {
  const Item = vscode.NotebookCellOutputItem;
  const outputs: vscode.NotebookCellOutput[] = [];
  const put = (item: vscode.NotebookCellOutputItem, metadata?: Record<string, unknown>): void =>
    void outputs.push(new vscode.NotebookCellOutput([item], metadata));
  if (result.stdout !== "") put(printed("stdout", result.stdout));
  if (result.stderr !== "") put(printed("stderr", result.stderr));
  const notes = noteLines(result).map(showHidden).join("\n");
  if (result.error !== undefined) {
    const { name, message } = result.error;
    const stack = showHidden(errorLines(result.error, fileName).join("\n"));
    put(Item.error({ name, message: showHidden(message), stack }));
  } else if (failed(result)) put(Item.stderr(outcomeWords(result)));
  else {
    const words = result.installed ?? (result.valueId === undefined ? undefined : valueLines(result).join("\n"));
    if (words !== undefined) put(Item.text(showHidden(words)), { value: result.valueId, process });
  }
  if (notes !== "") put(Item.stderr(notes));
  if (!result.stateKept) put(Item.stderr("The process ended: definitions and values are gone."));
  return outputs;
}

function printed(stream: "stdout" | "stderr", text: string): vscode.NotebookCellOutputItem {
  const shown = visible(text);
  return stream === "stdout"
    ? vscode.NotebookCellOutputItem.stdout(shown)
    : vscode.NotebookCellOutputItem.stderr(shown);
}

/** Which module the cell runs in, and the way to its value. */
function statusItems(cell: vscode.NotebookCell): vscode.NotebookCellStatusBarItem[] {
  if (cell.kind !== vscode.NotebookCellKind.Code) return [];
  const { Left, Right } = vscode.NotebookCellStatusBarAlignment;
  const module: unknown = cell.notebook.metadata["module"];
  const scope = new vscode.NotebookCellStatusBarItem(
    `$(symbol-namespace) ${typeof module === "string" ? showHidden(module) : "no module"}`,
    Right,
  );
  scope.command = "agentq.chooseModule";
  scope.tooltip = "The module in whose scope the cells run";
  const [shown] = cell.outputs.flatMap(({ metadata }) => (metadata?.["value"] === undefined ? [] : [metadata]));
  if (shown === undefined) return [scope];
  const open = new vscode.NotebookCellStatusBarItem(`$(inspect) Open ${String(shown["value"])}`, Left);
  open.command = {
    command: "agentq.inspectValue",
    title: "Open the value",
    arguments: [{ value: shown["value"], process: shown["process"] }],
  };
  open.tooltip = "Look inside the value";
  return [open, scope];
}

async function newNotebook(): Promise<void> {
  const module = moduleOf(vscode.window.activeTextEditor?.document);
  const data = new vscode.NotebookData([new vscode.NotebookCellData(vscode.NotebookCellKind.Code, "", LANGUAGE)]);
  data.metadata = module === undefined ? {} : { module: named(module) };
  await vscode.window.showNotebookDocument(await vscode.workspace.openNotebookDocument(NOTEBOOK, data));
  // What is typed goes into the first cell.
  await vscode.commands.executeCommand("notebook.cell.edit");
}

async function chooseModule(): Promise<void> {
  const notebook = vscode.window.activeNotebookEditor?.notebook;
  if (notebook?.notebookType !== NOTEBOOK) throw new Error("No REPL notebook is active.");
  const files = await vscode.workspace.findFiles("**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}", "**/node_modules/**", 5000);
  const items = files
    .map((uri) => ({ label: named(uri.toString()) }))
    .sort((one, other) => (one.label < other.label ? -1 : 1));
  const none = { label: "No module", description: "the REPL's own scope" };
  const chosen = await vscode.window.showQuickPick([none, ...items], {
    title: "The module in whose scope the cells run",
  });
  if (chosen === undefined) return;
  const { module: _old, ...others } = notebook.metadata as { readonly module?: string };
  const edit = new vscode.WorkspaceEdit();
  const metadata = chosen === none ? others : { ...others, module: chosen.label };
  edit.set(notebook.uri, [vscode.NotebookEdit.updateNotebookMetadata(metadata)]);
  await vscode.workspace.applyEdit(edit);
}

/** Readable, where one folder alone is meant. */
function named(uri: string): string {
  return vscode.workspace.workspaceFolders?.length === 1 ? fileName(uri) : uri;
}

/** As the server takes it: a URI, or a path that it finds in the workspace. */
function moduleUri({ metadata }: vscode.NotebookDocument): string | undefined {
  const module: unknown = metadata["module"];
  return typeof module === "string" ? module : undefined;
}

/** Colours stay. */
function visible(text: string): string {
  return text
    .split(/(\u001B\[[\d;]*m)/)
    .map((part, index) => (index % 2 === 1 ? part : showHidden(part)))
    .join("");
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
