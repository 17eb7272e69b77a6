/** Evaluates the person's forms where they go, the REPL or a running program, and keeps the log of all forms. */
import * as vscode from "vscode";
import { given } from "../../server/src/base/given.ts";
import type { NotificationParams } from "../../server/src/protocol/methods.ts";
import type { EvalResult } from "../../server/src/protocol/repl-shapes.ts";
import { tell, type Agentq } from "../server/agentq.ts";
import { LOG_LANGUAGE } from "./log-links.ts";
import { ReplLog } from "./log.ts";
import { keyOf, Places, type Place } from "./places.ts";

export interface Form {
  readonly code: string;
  /** URI of the module in whose scope it runs. */
  readonly module?: string | undefined;
  /** The code is declarations, which take the place of the module's own. */
  readonly install?: boolean | undefined;
  /** Where the form begins in the file that it was taken from. */
  readonly origin?: Place | undefined;
  /** Hears what the form prints while it is the only one that can have printed that. */
  readonly onOutput?: (output: NotificationParams["agentq/replOutput"]) => void;
}

export class Evaluator implements vscode.Disposable {
  readonly #agentq: Agentq;
  readonly #channel = vscode.window.createOutputChannel("Agent-Q REPL", LOG_LANGUAGE);
  readonly #changed = new vscode.EventEmitter<void>();
  /** A form begins or ends, or forms go elsewhere. */
  readonly onDidChange = this.#changed.event;
  readonly places = new Places();
  readonly log = new ReplLog((text) => this.#channel.append(text), fileName, this.places);
  readonly #listeners = new Set<(output: NotificationParams["agentq/replOutput"]) => void>();
  /** Questions that belong to no call of the model's: a form of the person's waits for the answer. */
  readonly #asked = new Set<string>();
  #running = 0;
  #process: string | undefined;

  constructor(agentq: Agentq) {
    this.#agentq = agentq;
    agentq.on("agentq/replOutput", (output) => {
      if (output.late !== true && this.log.isAlone(output.process)) for (const hear of this.#listeners) hear(output);
      this.log.output(output);
    });
    agentq.on("agentq/agentEvaluation", (params) => this.log.agent(params));
    agentq.on("agentq/approval", ({ approvalId, toolCallId }) => {
      if (toolCallId === undefined) this.#asked.add(approvalId);
    });
    agentq.on("agentq/approvalChanged", ({ approvalId }) => void this.#asked.delete(approvalId));
    agentq.onDidStop(() => this.#asked.clear());
    agentq.on("agentq/lateNotes", (params) => this.log.lateNotes(params));
  }

  /** The running program that the person's forms go to; undefined for the REPL's own process. */
  get process(): string | undefined {
    return this.#process;
  }

  set process(id: string | undefined) {
    this.#process = id;
    this.#changed.fire();
  }

  /** A form may wait for an answer of the person's. */
  get isAsked(): boolean {
    return this.#asked.size > 0;
  }

  get isBusy(): boolean {
    return this.#running > 0;
  }

  /** Rejects with a sentence where there is no outcome at all. Places in the outcome's error are those of files. */
  async evaluate(form: Form): Promise<EvalResult> {
    const { code, module, install, origin, onOutput } = form;
    const process = this.#process;
    const timeout = vscode.workspace.getConfiguration("agentq").get<number | null>("evaluationTimeout") ?? undefined;
    const logged = this.log.begin(code, module, process);
    if (onOutput !== undefined) this.#listeners.add(onOutput);
    this.#count(1);
    try {
      const asked = { code, ...given({ process, module, install, timeoutMs: timeout }) };
      const result = await this.#agentq.request("agentq/evaluate", asked);
      this.places.remember(keyOf(result.evalId, process), origin);
      const error = result.error === undefined ? undefined : this.places.put(result.error, process);
      const put = { ...result, ...given({ error }) };
      this.log.end(logged, put);
      return put;
    } catch (error) {
      this.log.fail(logged, error instanceof Error ? error.message : String(error));
      throw error;
    } finally {
      if (onOutput !== undefined) this.#listeners.delete(onOutput);
      this.#count(-1);
    }
  }

  /** The notice stands in the log, and for a moment before the person. */
  notice(words: string): void {
    this.log.append([words, ""]);
    vscode.window.setStatusBarMessage(`Agent-Q: ${words.split("\n")[0]}`, 8000);
  }

  show(): void {
    this.#channel.show(true);
  }

  dispose(): void {
    this.#channel.dispose();
    this.#changed.dispose();
  }

  #count(by: number): void {
    this.#running += by;
    this.#changed.fire();
  }
}

/** Of an absolute path or a URI, that of a notebook's cell too. */
export function fileName(file: string): string {
  if (file.startsWith("vscode-notebook-cell:")) {
    const cells = vscode.workspace.notebookDocuments.flatMap((notebook) => notebook.getCells());
    const cell = cells.find(({ document }) => document.uri.toString() === file);
    return cell === undefined ? "a cell that is gone" : `cell ${cell.index + 1}`;
  }
  if (/^[a-z][\w+.-]+:/i.test(file) && !file.startsWith("file:")) return file;
  const uri = file.startsWith("file:") ? vscode.Uri.parse(file) : vscode.Uri.file(file);
  return vscode.workspace.asRelativePath(uri);
}

/** A file in whose scope code can run. */
export function moduleOf(document: vscode.TextDocument | undefined): string | undefined {
  const isSource = document !== undefined && /^(?:type|java)script(?:react)?$/.test(document.languageId);
  return isSource && document.uri.scheme === "file" ? document.uri.toString() : undefined;
}

/** Registers a command whose failure is told to the person. */
export function command(name: string, run: (argument: never) => unknown): vscode.Disposable {
  return vscode.commands.registerCommand(name, (argument?: unknown) => {
    tell(Promise.resolve().then(() => run(argument as never)));
  });
}
