/** Files that changed while a form ran in an open REPL: they are kept or reverted by a word of the person's, and wait for that. */
import * as vscode from "vscode";
import { plural } from "../../server/src/base/plural.ts";
import { showHidden } from "../../server/src/workspace/hidden-characters.ts";
import type { EvaluationChange } from "../../server/src/protocol/repl-shapes.ts";
import type { Agentq } from "../server/agentq.ts";
import { tell } from "../server/agentq.ts";
import { fileName, type Evaluator } from "./evaluator.ts";

interface Waiting {
  readonly evalId: string;
  readonly changes: readonly EvaluationChange[];
  readonly message: string;
}

export class EvaluationChanges implements vscode.Disposable {
  readonly #agentq: Agentq;
  readonly #evaluator: Evaluator;
  readonly #item = vscode.window.createStatusBarItem("agentq.changes", vscode.StatusBarAlignment.Left, 8);
  readonly #listening: vscode.Disposable;
  /** The oldest first. */
  #waiting: readonly Waiting[] = [];

  constructor(agentq: Agentq, evaluator: Evaluator) {
    this.#agentq = agentq;
    this.#evaluator = evaluator;
    this.#item.name = "Agent-Q: Changed Files";
    this.#item.command = "agentq.evaluationChanges";
    this.#item.tooltip = "Files changed while a form ran: keep or revert";
    agentq.on("agentq/evaluationChanges", ({ evalId, changes, message }) => {
      // The last sentence is meant for the agent.
      const words = showHidden(message.replace(/ The person can keep or revert [^.]*\.$/, ""));
      const waiting = { evalId, changes, message: words };
      evaluator.log.append([words, ""], evalId);
      this.#put([...this.#waiting, waiting]);
      tell(this.#ask(waiting));
    });
    this.#listening = agentq.onDidStop(() => this.#put([]));
  }

  /** Asks about the oldest evaluation whose changes wait. */
  async review(): Promise<void> {
    const [oldest] = this.#waiting;
    if (oldest === undefined) return void (await vscode.window.showInformationMessage("No evaluation changed a file."));
    await this.#ask(oldest);
  }

  dispose(): void {
    this.#item.dispose();
    this.#listening.dispose();
  }

  /** A notification takes no focus, and no key answers it. Closed, the question waits in the status bar. */
  async #ask(waiting: Waiting): Promise<void> {
    const answer = await vscode.window.showWarningMessage(waiting.message, "Show", "Keep", "Revert");
    if (answer === "Show") {
      await show(waiting.changes);
      await this.#ask(waiting);
    } else if (answer !== undefined && this.#waiting.includes(waiting)) await this.#decide(waiting, answer);
  }

  async #decide(waiting: Waiting, answer: "Keep" | "Revert"): Promise<void> {
    const method = answer === "Keep" ? "agentq/keepEvaluationChanges" : "agentq/revertEvaluationChanges";
    const { done, failed } = await this.#agentq.request(method, { evalId: waiting.evalId });
    this.#put(this.#waiting.filter((other) => other !== waiting));
    this.#evaluator.notice(`${answer === "Keep" ? "kept" : "reverted"}: ${plural(done.length, "file")}`);
    if (failed.length === 0) return;
    const words = failed.map(({ uri, reason }) => `${fileName(uri)} was not reverted: ${reason}`).join(" ");
    this.#evaluator.log.append([showHidden(words), ""]);
    await vscode.window.showWarningMessage(showHidden(words));
  }

  #put(waiting: readonly Waiting[]): void {
    this.#waiting = waiting;
    const count = waiting.flatMap(({ changes }) => changes).length;
    this.#item.text = `$(files) ${plural(count, "changed file")}`;
    if (count > 0) this.#item.show();
    else this.#item.hide();
  }
}

async function show(changes: readonly EvaluationChange[]): Promise<void> {
  const items = changes.map(({ uri, kind, canRevert, reason }) => ({
    label: showHidden(fileName(uri)),
    description: canRevert ? kind : showHidden(`${kind}, cannot be reverted: ${reason ?? "no copy was kept"}`),
    place: kind === "deleted" ? undefined : vscode.Uri.parse(uri),
  }));
  const chosen = await vscode.window.showQuickPick(items, { title: "Changed while the form ran" });
  if (chosen?.place !== undefined) await vscode.window.showTextDocument(chosen.place);
}
