/** The REPL's state in the status bar, its restart, its lock, and the process that forms go to. */
import * as vscode from "vscode";
import { given } from "../../server/src/base/given.ts";
import { plural } from "../../server/src/base/plural.ts";
import { showHidden } from "../../server/src/workspace/hidden-characters.ts";
import type { ReplStatus, RestartAnswer, RunningProcess } from "../../server/src/protocol/repl-shapes.ts";
import { tell, type Agentq } from "../server/agentq.ts";
import type { Evaluator } from "./evaluator.ts";
import { statusWords } from "./status-words.ts";

const LINKS =
  "[Log](command:agentq.showRepl) · [Restart](command:agentq.restartRepl) · [Lock or unlock](command:agentq.lockRepl) · " +
  "[Where forms go](command:agentq.chooseProcess)";

export class ReplState implements vscode.Disposable {
  readonly #agentq: Agentq;
  readonly #evaluator: Evaluator;
  readonly #item = vscode.window.createStatusBarItem("agentq.repl", vscode.StatusBarAlignment.Left, 10);
  readonly #stop = vscode.window.createStatusBarItem("agentq.stop", vscode.StatusBarAlignment.Left, 9);
  readonly #listening: vscode.Disposable;
  #state: ReplStatus | undefined;
  #pid: number | undefined;
  /** Outlives the server: a new one is told again. */
  #isLocked = false;

  constructor(agentq: Agentq, evaluator: Evaluator) {
    this.#agentq = agentq;
    this.#evaluator = evaluator;
    this.#item.name = "Agent-Q REPL";
    this.#item.command = "agentq.showRepl";
    this.#stop.name = "Agent-Q: Stop What the REPL Runs";
    this.#stop.text = "$(debug-stop) Stop";
    this.#stop.tooltip = "Stop what the REPL runs";
    this.#stop.command = "agentq.interrupt";
    agentq.on("agentq/replState", (state) => this.#changed(state));
    agentq.on("agentq/processesChanged", ({ processes }) => this.#told(processes));
    this.#listening = vscode.Disposable.from(
      agentq.onDidStart(() => tell(this.#started())),
      agentq.onDidStop(() => this.#ended()),
      evaluator.onDidChange(() => this.#draw()),
    );
  }

  async restart(): Promise<void> {
    const [plain, again] = ["Restart", "Restart and Run Again"];
    const hasProcess = this.#state?.pid !== undefined;
    const question = "Restart the REPL? What you and the agent defined in it goes; it can be run again.";
    // A notification takes no focus, and no key answers it.
    const answer = hasProcess ? await vscode.window.showWarningMessage(question, again, plain) : plain;
    if (answer !== undefined) await this.#restart(answer === again ? ["all"] : undefined);
  }

  async lock(): Promise<void> {
    const locked = this.#state?.locked !== true;
    this.#changed(await this.#agentq.request("agentq/lockRepl", { locked }));
    this.#isLocked = locked;
    this.#evaluator.notice(
      locked
        ? "the REPL is locked: the agent runs nothing in it until you unlock it"
        : "the REPL is unlocked: the agent may run forms in it again",
    );
  }

  async chooseProcess(): Promise<void> {
    const { processes } = await this.#agentq.request("agentq/listProcesses", {});
    const now = this.#evaluator.process;
    if (processes.length === 0 && now === undefined) {
      const how = "No program runs here. “agentq run --name api -- COMMAND” in a terminal starts one.";
      return void (await vscode.window.showInformationMessage(how));
    }
    const mark = (id: string | undefined): string => (id === now ? " · now" : "");
    const items = [
      { label: "The REPL", description: mark(undefined), program: undefined as RunningProcess | undefined },
      ...processes.map((program) => ({
        label: showHidden(program.id),
        description: showHidden(`process ${program.pid}: node ${program.command}${mark(program.id)}`),
        program,
      })),
    ];
    const chosen = await vscode.window.showQuickPick(items, { title: "Where do forms go?" });
    if (chosen === undefined) return;
    this.#pid = chosen.program?.pid;
    this.#evaluator.process = chosen.program?.id;
    const { level, why } = chosen.program ?? {};
    const globals = level === "globals" ? `; ${why ?? "forms run among its globals, and not inside of modules"}` : "";
    this.#evaluator.notice(showHidden(`forms go to ${chosen.program?.id ?? "the REPL"} from now on${globals}`));
  }

  dispose(): void {
    for (const each of [this.#item, this.#stop, this.#listening]) each.dispose();
  }

  async #restart(replay: string[] | undefined): Promise<void> {
    const answer = await this.#agentq.request("agentq/restartRepl", given({ replay }));
    this.#evaluator.places.clear();
    this.#evaluator.notice(restartWords(answer));
    if (answer.lost === undefined || replay !== undefined) return;
    const again = "Run Again";
    const told = `The REPL is ${answer.state}. Gone with the old process: ${showHidden(answer.lost)}.`;
    if ((await vscode.window.showInformationMessage(told, again)) === again) await this.#restart(["all"]);
  }

  async #started(): Promise<void> {
    const { repl } = await this.#agentq.request("agentq/status", {});
    this.#changed(repl);
    if (this.#isLocked) this.#changed(await this.#agentq.request("agentq/lockRepl", { locked: true }));
    const { processes } = await this.#agentq.request("agentq/listProcesses", {});
    this.#told(processes);
  }

  #ended(): void {
    this.#evaluator.log.serverEnded(this.#state?.pid !== undefined);
    this.#evaluator.places.clear();
    this.#state = undefined;
    this.#draw();
  }

  #changed(state: ReplStatus): void {
    const before = this.#state;
    this.#state = state;
    // While a form runs, its outcome says so instead.
    if (state.state === "dead" && before !== undefined && before.state !== "dead" && !this.#evaluator.isBusy)
      this.#evaluator.notice(showHidden(state.reason ?? "The REPL's process is gone."));
    this.#draw();
  }

  /** The chosen program may have ended, or be another process than before. */
  #told(processes: readonly RunningProcess[]): void {
    const id = this.#evaluator.process;
    const pid = processes.find((program) => program.id === id)?.pid;
    if (id === undefined || pid === this.#pid) return;
    if (this.#pid !== undefined)
      this.#evaluator.notice(`${id} has ended, or was detached: what was defined in it is gone.`);
    this.#pid = pid;
    if (pid !== undefined) this.#evaluator.notice(`${id} runs again (process ${pid}).`);
    this.#draw();
  }

  #draw(): void {
    const id = this.#evaluator.process;
    const { isBusy } = this.#evaluator;
    const words = statusWords(this.#state, isBusy, id === undefined ? undefined : { id, ...given({ pid: this.#pid }) });
    this.#item.text = words.text;
    const details = new vscode.MarkdownString(`${words.details}\n\n${LINKS}`, true);
    details.isTrusted = {
      enabledCommands: ["agentq.showRepl", "agentq.restartRepl", "agentq.lockRepl", "agentq.chooseProcess"],
    };
    this.#item.tooltip = details;
    this.#item.backgroundColor = words.isBad ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    if (this.#agentq.isRunning) this.#item.show();
    else this.#item.hide();
    if (isBusy || this.#state?.state === "busy") this.#stop.show();
    else this.#stop.hide();
  }
}

function restartWords({ state, lost, replayed, unknown }: RestartAnswer): string {
  if (unknown !== undefined) return `nothing was restarted: no form that succeeded has the id ${unknown.join(", ")}`;
  const parts = [`the REPL is ${state}`];
  if (replayed !== undefined) {
    const bad = replayed.filter(({ outcome }) => outcome !== "value").length;
    parts.push(`${plural(replayed.length, "form")} run again${bad === 0 ? "" : `, ${bad} of them failed`}`);
  }
  if (lost !== undefined) parts.push(`gone with the old process: ${lost}`);
  return showHidden(parts.join("; "));
}
