/** One test's workbench: a copy of the example project, the scripted model, and an Emacs that has both. */
import { cp, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Script } from "../../examples/demo/model/script.ts";
import { startScriptedModel, type ScriptedModel } from "../../examples/demo/model/server.ts";
import { Replay, type ReplayOptions } from "../support/traffic/replay.ts";
import { lispString, temporaryFolder } from "./batch.ts";
import { connectionSetup, type Emacs } from "./connections.ts";
import { poll, TerminalEmacs, type TerminalEmacsOptions } from "./emacs.ts";

const exampleProject = fileURLToPath(new URL("../../examples/invoices", import.meta.url));
const server = fileURLToPath(new URL("../../bin/agentq.js", import.meta.url));

export const chatBuffer = "*agentq: invoices*";
export const reviewBuffer = "*agentq-review: invoices*";
export const questionBuffer = "*agentq-approve: invoices*";
export const replBuffer = "*agentq-repl: invoices*";

/** Number of proposals and questions that wait for the user. */
export const waiting = "(agentq-waiting-count (car agentq--servers))";

export interface WorkbenchOptions {
  /** Evaluated before the file is visited. */
  readonly setup?: string;
  /** Lines and columns of the terminal. */
  readonly size?: readonly [number, number];
}

/** What plays the server's part, and its end. */
interface Counterpart {
  readonly program: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly model?: ScriptedModel;
  readonly replay?: Replay;
}

export class Workbench {
  readonly emacs: TerminalEmacs;
  readonly project: string;
  readonly #counterpart: Counterpart;

  private constructor(emacs: TerminalEmacs, project: string, counterpart: Counterpart) {
    this.emacs = emacs;
    this.project = project;
    this.#counterpart = counterpart;
  }

  /** Starts Emacs with `src/allocate.ts` in its window, the server and a model that follows the script. */
  static async start(editor: Emacs, script: Script, options: WorkbenchOptions = {}): Promise<Workbench> {
    const [folder, project] = await Workbench.#project();
    const model = await startScriptedModel(script, { project });
    const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "scripted" };
    const program = [process.execPath, server, "--stdio"];
    return Workbench.#open({ editor, folder, cwd: project, ...options }, { program, env, model });
  }

  /** The same with a recording in place of the server. */
  static async replay(
    editor: Emacs,
    recording: string | Pick<ReplayOptions, "recording" | "holdAt">,
    options: WorkbenchOptions = {},
  ): Promise<Workbench> {
    const [folder, project] = await Workbench.#project();
    const played = typeof recording === "string" ? { recording } : recording;
    const replay = await Replay.start({ folder, project, ...played });
    return Workbench.#open({ editor, folder, cwd: project, ...options }, { program: replay.command, replay });
  }

  static async #project(): Promise<[folder: string, project: string]> {
    const folder = await temporaryFolder();
    const project = join(folder, "invoices");
    await mkdir(project);
    await cp(exampleProject, project, { recursive: true });
    return [folder, project];
  }

  static async #open(options: TerminalEmacsOptions & WorkbenchOptions, counterpart: Counterpart): Promise<Workbench> {
    const { setup = "nil", ...terminal } = options;
    const program = counterpart.program.map(lispString).join(" ");
    const before = [
      connectionSetup(options.editor.connection),
      `(setq agentq-program '(${program}))`,
      setup,
      `(find-file "src/allocate.ts")`,
    ];
    const emacs = await TerminalEmacs.start({
      ...terminal,
      ...(counterpart.env === undefined ? {} : { env: counterpart.env }),
      args: before.flatMap((form) => ["--eval", form]),
    });
    await emacs.until(`(get-buffer "allocate.ts")`);
    return new Workbench(emacs, options.cwd, counterpart);
  }

  get model(): ScriptedModel {
    if (this.#counterpart.model === undefined) throw new Error("a recording has no model");
    return this.#counterpart.model;
  }

  /** Goes on with the recording from where it stops. */
  goOn(): void {
    this.#counterpart.replay?.goOn();
  }

  /** Types M-x, the command, and then what the command asks for. */
  async command(name: string, answer?: string): Promise<void> {
    this.emacs.type("\u001bx");
    await this.emacs.until("(active-minibuffer-window)");
    this.emacs.type(`${name}\r`);
    if (answer !== undefined) await this.answer(answer);
  }

  /** Types an answer once something is asked. */
  async answer(text: string): Promise<void> {
    await this.untilAsked();
    this.emacs.type(`${text}\r`);
    await this.untilAnswered();
  }

  /** Answers a question of one key. */
  async press(key: string): Promise<void> {
    await this.untilAsked();
    this.emacs.type(key);
    await this.untilAnswered();
  }

  /** Leaves the question that is asked. */
  async quit(): Promise<void> {
    this.emacs.type("\u0007");
    await this.untilAnswered();
  }

  /** Waits for a question that is not the one of M-x. */
  async untilAsked(): Promise<void> {
    await this.emacs.until(
      `(and (active-minibuffer-window) (with-selected-window (active-minibuffer-window) (not (string-prefix-p "M-x" (minibuffer-prompt)))))`,
    );
  }

  private async untilAnswered(): Promise<void> {
    await this.emacs.until("(not (active-minibuffer-window))");
  }

  /** Starts the server as M-x agentq does, and leaves the windows as they are. */
  async connect(): Promise<void> {
    await this.emacs.evaluate(`(with-current-buffer "allocate.ts" (save-window-excursion (agentq)) t)`);
  }

  /** Asks the agent and waits until the transcript shows `wanted`. */
  async ask(prompt: string, wanted: string): Promise<string> {
    await this.command("agentq-prompt", prompt);
    return this.emacs.untilText(chatBuffer, wanted);
  }

  /** Opens the oldest proposal for review and answers its buffer's text. */
  async review(wanted: string): Promise<string> {
    await this.command("agentq-review");
    return this.emacs.untilText(reviewBuffer, wanted);
  }

  file(path: string): Promise<string> {
    return readFile(join(this.project, path), "utf8");
  }

  /** Waits until a file on disk satisfies the condition. */
  async untilFile(path: string, isRight: (text: string) => boolean): Promise<void> {
    await poll(async () => isRight(await this.file(path).catch(() => "")), `the right text in ${path}`);
  }

  async dispose(): Promise<void> {
    await this.emacs.dispose();
    await this.#counterpart.model?.dispose();
    this.#counterpart.replay?.dispose();
  }
}
