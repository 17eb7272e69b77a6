/** One test's workbench: a copy of the example project, the scripted model, and an Emacs that has both. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as pause } from "node:timers/promises";
import type { Script } from "../../examples/demo/model/script.ts";
import type { ScriptedModel } from "../../examples/demo/model/server.ts";
import { Stage } from "../support/editor-stage.ts";
import { whenEditorsEnd } from "../support/editors.ts";
import { restoreFolder } from "../support/restore-folder.ts";
import { Replay, type ReplayOptions } from "../support/traffic/replay.ts";
import { lispString } from "./batch.ts";
import { connectionSetup, type Emacs } from "./connections.ts";
import { poll, stringOfLisp, TERMINAL_SIZE, TerminalEmacs } from "./emacs.ts";
import { farMachine, type FarMachine } from "./far-machine.ts";

const exampleProject = fileURLToPath(new URL("../../examples/invoices", import.meta.url));
const server = fileURLToPath(new URL("../../bin/agentq.js", import.meta.url));

export const chatBuffer = "*agentq: invoices*";
export const reviewBuffer = "*agentq-review: invoices*";
export const questionBuffer = "*agentq-approve: invoices*";
export const replBuffer = "*agentq-repl: invoices*";

/** Number of proposals and questions that wait for the user. */
export const waiting = "(agentq-waiting-count (car agentq--servers))";

/** The REPL has all rights, and asks before each form of the agent's. */
export const askingForms = `(setq agentq-program (append agentq-program '(:initializationOptions (:repl (:confinement "openWithoutAsking")))))`;

/** For so long keys that were typed may stay unread. */
const READ_MS = 10_000;
const QUIET_MS = 200;
const QUIT_AGAIN_MS = 3_000;

export interface WorkbenchOptions {
  /** Evaluated before the file is visited. */
  readonly setup?: string;
  /** Lines and columns of the terminal. */
  readonly size?: readonly [number, number];
  /** Variables of this test, and what each is set to. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The project lies on another machine (TRAMP), and another project lies here under the same names. */
  readonly far?: boolean;
  /** Emacs starts its server as it does for a person. Left out, the server is in the process of the tests; a far one never is. */
  readonly startsServer?: boolean;
  /**
   * No other test has this Emacs and its server: what is tested is a start, or leaves something behind. Under lsp-mode
   * it is so for every test.
   */
  readonly isAlone?: boolean;
}

/** What an Emacs has beside its stage. */
interface Equipment extends WorkbenchOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Where somebody listens in place of a process that Emacs would start. */
  readonly socket?: string;
  readonly model?: ScriptedModel;
  readonly replay?: Replay;
  readonly machine?: FarMachine;
  /** What an Emacs that is started anew would have in common with this one; undefined for one that serves one test. */
  readonly likeness?: string | undefined;
}

/*
 * A start of Emacs takes a tenth of a processor second, that of a server with its first turn half a one, or a whole one in
 * a process of its own, and a test with both at hand a quarter: so the tests of a file share them where they are about neither.
 */

/** Those that serve a test now, and those that wait for the next test whose Emacs is to be like them. */
const inUse = new Set<Workbench>();
const idle = new Map<string, Workbench>();
const MOST_IDLE = 3;

export class Workbench {
  readonly emacs: TerminalEmacs;
  /** Where this process finds the files of the project. */
  readonly project: string;
  /** Where Emacs finds files of the project's names on this machine, which are others where the project is far. */
  readonly here: string;
  readonly #stage: Stage;
  readonly #equipment: Equipment;
  #size: readonly [number, number] = TERMINAL_SIZE;

  private constructor(emacs: TerminalEmacs, stage: Stage, equipment: Equipment) {
    this.emacs = emacs;
    this.here = stage.project;
    this.project = equipment.machine?.project ?? stage.project;
    this.#stage = stage;
    this.#equipment = equipment;
    inUse.add(this);
  }

  /**
   * An Emacs with `src/allocate.ts` in its window, the server and a model that follows the script: that of an earlier test
   * of the file with a new conversation, or a new one.
   */
  static async start(editor: Emacs, script: Script, options: WorkbenchOptions = {}): Promise<Workbench> {
    const { isAlone = false, setup, far: isFar = false, startsServer = isFar } = options;
    const { connection = "eglot", version } = editor;
    const likeness =
      isAlone || connection === "lsp-mode"
        ? undefined
        : JSON.stringify([connection, version, setup, isFar, startsServer, script.models]);
    const earlier = likeness === undefined ? undefined : idle.get(likeness);
    if (likeness !== undefined) idle.delete(likeness);
    if (earlier !== undefined && (await earlier.#beginAgain(script))) return earlier.#with(options);
    const stage = Stage.take();
    const machine = isFar ? await farMachine(stage.folder, stage.project) : undefined;
    const model = await stage.play(script, machine?.project);
    const home = join(stage.folder, "home");
    // A server of its own finds nothing of what an earlier one on this stage kept.
    const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "scripted", XDG_STATE_HOME: home };
    const { socket } = stage.servers;
    stage.servers.useVariables({ ...env, HOME: home, PATH: process.env["PATH"] ?? "" });
    if (isAlone) await stage.servers.startAnew();
    const own = { ...options, env, model, likeness, ...(startsServer ? {} : { socket }), ...(machine && { machine }) };
    return (await Workbench.#open(editor, stage, own)).#with(options);
  }

  /** The end of a test: what it used waits for the next one, unless the test failed. */
  static async leaveAll(isGood: boolean): Promise<void> {
    await Promise.all([...inUse].map((bench) => bench.#leave(isGood)));
  }

  /** The end of a file. */
  static async endAll(): Promise<void> {
    const all = [...idle.values()];
    idle.clear();
    await Promise.all(all.map((each) => each.#end()));
  }

  /** The same with a recording in place of the server. */
  static async replay(
    editor: Emacs,
    recording: string | Pick<ReplayOptions, "recording" | "holdAt">,
    options: WorkbenchOptions = {},
  ): Promise<Workbench> {
    const stage = Stage.take();
    const { folder, project } = stage;
    const played = typeof recording === "string" ? { recording } : recording;
    const replay = await Replay.start({ folder, project, ...played });
    return (await Workbench.#open(editor, stage, { ...options, replay, socket: replay.socket })).#with(options);
  }

  static async #open(editor: Emacs, stage: Stage, equipment: Equipment): Promise<Workbench> {
    const { setup = "nil", socket, env = {}, machine } = equipment;
    const program = `'(${[process.execPath, server, "--stdio"].map(lispString).join(" ")})`;
    const before = [
      connectionSetup(editor.connection),
      `(setq agentq-program ${program})`,
      socket === undefined ? "nil" : `(agentq-test-driver-serve ${program} ${lispString(socket)})`,
      // Most tests look at the files; what is so without this is a test of its own.
      "(setq agentq-save-after-apply t)",
      // The dumped Emacs was made without a terminal, and so without this mode, which is on by default.
      "(transient-mark-mode 1)",
      setup,
      machine?.setup ?? "nil",
      `(find-file "src/allocate.ts")`,
    ];
    const args = before.flatMap((form) => ["--eval", form]);
    const emacs = await TerminalEmacs.start({ editor, folder: stage.folder, cwd: stage.project, env, args });
    await emacs.until(`(get-buffer "allocate.ts")`);
    return new Workbench(emacs, stage, equipment);
  }

  async #with({ size = TERMINAL_SIZE, variables = {} }: WorkbenchOptions): Promise<this> {
    if (String(size) !== String(this.#size)) await this.emacs.resize(size);
    this.#size = size;
    for (const [name, value] of Object.entries(variables))
      await this.emacs.evaluate(`(agentq-test-driver-set '${name} ${value})`);
    return this;
  }

  /** The next test begins with a new conversation, the files of the example project and no buffers, if that can be had. */
  async #beginAgain(script: Script): Promise<boolean> {
    try {
      if ((await this.emacs.evaluate("(agentq-test-driver-leave)")) === "t") {
        await this.emacs.until("(agentq-test-driver-left)");
        if ((await this.emacs.evaluate("(agentq-test-driver-tidy)")) === "t") {
          restoreFolder(exampleProject, this.project);
          await this.#stage.play(script, this.#equipment.machine?.project);
          await this.emacs.evaluate("(agentq-test-driver-visit)");
          inUse.add(this);
          return true;
        }
      }
    } catch (error) {
      process.stderr.write(`An Emacs serves no further test: ${String(error)}\n`);
    }
    await this.#end();
    return false;
  }

  get model(): ScriptedModel {
    if (this.#equipment.model === undefined) throw new Error("a recording has no model");
    return this.#equipment.model;
  }

  /** Goes on with the recording from where it stops. */
  goOn(): void {
    this.#equipment.replay?.goOn();
  }

  /** Types M-x, the command, and then what the command asks for. */
  async command(name: string, answer?: string): Promise<void> {
    this.emacs.type("\u001bx");
    await this.emacs.until("(active-minibuffer-window)");
    this.emacs.type(`${name}\r`);
    if (answer !== undefined) await this.answer(answer);
  }

  /**
   * Types an answer once something is asked. Of some hundred answers that are typed while the first proposal arrives, Emacs 30.2
   * has read only the first keys of one: as a person would, this types the rest again.
   */
  async answer(text: string): Promise<void> {
    await this.untilAsked();
    this.emacs.type(`${text}\r`);
    const again = setTimeout(() => void this.typeRest(text).catch(() => undefined), READ_MS);
    await this.untilAnswered().finally(() => clearTimeout(again));
  }

  private async typeRest(text: string): Promise<void> {
    const printed = await this.emacs.evaluate(
      `(with-selected-window (active-minibuffer-window) (minibuffer-contents-no-properties))`,
    );
    const held = stringOfLisp(printed);
    let read = text.length;
    while (!held.endsWith(text.slice(0, read))) read -= 1;
    const said = (await this.emacs.text("*Messages*")).slice(-500);
    process.stderr.write(
      `Emacs holds ${printed} where "${text}" was typed; the rest is typed again. It said:\n${said}\n`,
    );
    this.emacs.type(`${text.slice(read)}\r`);
  }

  /** Answers a question of one key. */
  async press(key: string): Promise<void> {
    await this.untilAsked();
    this.emacs.type(key);
    await this.untilAnswered();
  }

  /** Leaves the question that is asked. */
  async quit(): Promise<void> {
    await this.quitUntil("(not (active-minibuffer-window))");
  }

  /**
   * Quits, and waits for what shows that. A quit that comes while Emacs answers this test is lost, and typed again; so the test
   * asks nothing for a moment. Of two quits in short time the second would be an emergency, in which Emacs answers nobody.
   */
  async quitUntil(expression: string): Promise<void> {
    let again = 0;
    await poll(async () => {
      if (Date.now() >= again) {
        again = Date.now() + QUIT_AGAIN_MS;
        this.emacs.type("\u0007");
        await pause(QUIET_MS);
      }
      return (await this.emacs.evaluate(expression)) !== "nil";
    }, `${expression} after a quit`);
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

  /** The server of the project is gone at once, and what it had not said is never said. */
  async killServer(): Promise<void> {
    if (this.#equipment.socket === undefined) await this.emacs.evaluate("(agentq-test-driver-kill-server)");
    else await this.#stage.servers.cut(this.project);
  }

  /** Asks the agent and waits until the transcript shows `wanted`. */
  async ask(prompt: string, wanted: string): Promise<string> {
    await this.command("agentq-prompt", prompt);
    return this.emacs.untilText(chatBuffer, wanted);
  }

  /** Opens the oldest proposal for review and answers its buffer's text. */
  async review(wanted: string): Promise<string> {
    await this.command("agentq-review");
    await this.emacs.until(`(equal (window-buffer) (get-buffer "${reviewBuffer}"))`);
    return this.emacs.untilText(reviewBuffer, wanted);
  }

  file(path: string): Promise<string> {
    return readFile(join(this.project, path), "utf8");
  }

  /** Waits until a file on disk satisfies the condition. */
  async untilFile(path: string, isRight: (text: string) => boolean): Promise<void> {
    await poll(async () => isRight(await this.file(path).catch(() => "")), `the right text in ${path}`);
  }

  async #leave(isGood: boolean): Promise<void> {
    const { likeness } = this.#equipment;
    inUse.delete(this);
    if (!isGood || likeness === undefined) return this.#end();
    const [oldest] = idle.values();
    const replaced = idle.get(likeness) ?? (idle.size < MOST_IDLE ? undefined : oldest);
    if (replaced !== undefined) idle.delete(replaced.#equipment.likeness ?? "");
    idle.set(likeness, this);
    if (replaced !== undefined) await replaced.#end();
  }

  async #end(): Promise<void> {
    await this.emacs.evaluate("(agentq-test-driver-end-servers)").catch(() => undefined);
    await this.emacs.dispose();
    this.#equipment.replay?.dispose();
    await this.#stage.giveBack();
  }
}

whenEditorsEnd(() => Workbench.endAll());
