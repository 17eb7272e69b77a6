/** Drives a real Emacs: batch runs, and an Emacs on a terminal that is typed into and asked through emacsclient. */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Editor } from "../support/editors.ts";

export const clientFolder = fileURLToPath(new URL("../../client-emacs", import.meta.url));

export interface BatchResult {
  readonly code: number;
  readonly output: string;
}

/** Runs Emacs without a terminal, in `home`, and answers what it printed. */
export function runBatch(editor: Editor, home: string, args: readonly string[]): Promise<BatchResult> {
  return new Promise((resolve) => {
    execFile(
      editor.path,
      ["-Q", "--batch", ...args],
      { cwd: home, env: { ...process.env, HOME: home }, timeout: 60_000 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
        resolve({ code, output: `${stdout}${stderr}` });
      },
    );
  });
}

/** A folder of its own for one test; the caller removes it. */
export async function temporaryFolder(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), "agentq-emacs-")));
}

export interface TerminalEmacsOptions {
  readonly editor: Editor;
  /** Holds HOME and the socket; removed by `dispose`. */
  readonly folder: string;
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Lines and columns of the terminal, by default 40 and 100. */
  readonly size?: readonly [number, number];
}

/** An Emacs on a terminal. */
export class TerminalEmacs {
  readonly #client: string;
  readonly #socket: string;
  readonly #folder: string;
  readonly #terminal: ChildProcess;

  private constructor(client: string, socket: string, folder: string, terminal: ChildProcess) {
    this.#client = client;
    this.#socket = socket;
    this.#folder = folder;
    this.#terminal = terminal;
  }

  static async start(options: TerminalEmacsOptions): Promise<TerminalEmacs> {
    const { editor, folder, cwd } = options;
    if (editor.client === undefined) throw new Error(`Emacs ${editor.version} came without emacsclient`);
    const home = join(folder, "home");
    await mkdir(home, { recursive: true });
    const socket = join(folder, "socket");
    const server = `(progn (require 'server) (setq server-socket-dir ${lispString(folder)} server-name "socket") (server-start))`;
    const [rows, columns] = options.size ?? [40, 100];
    const command = [editor.path, "-Q", "-nw", "-L", clientFolder, "--eval", server, ...(options.args ?? [])];
    // script(1) gives the terminal that `emacs -nw` needs and that this process does not have.
    const terminal = spawn(
      "script",
      ["-qfec", `stty rows ${rows} cols ${columns}; exec ${command.map(shellWord).join(" ")}`, "/dev/null"],
      {
        cwd,
        // In a terminal of today keys are UTF-8, whatever the locale of who runs the tests.
        env: {
          ...process.env,
          LC_ALL: "C.UTF-8",
          ...options.env,
          HOME: home,
          TERM: "xterm-256color",
          SHELL: "/bin/sh",
        },
        stdio: ["pipe", "ignore", "ignore"],
      },
    );
    const emacs = new TerminalEmacs(editor.client, socket, folder, terminal);
    // The file of the socket is there a moment before Emacs listens on it.
    const answers = (): Promise<boolean> =>
      emacs.evaluate("t").then(
        () => true,
        () => false,
      );
    await poll(async () => existsSync(socket) && (await answers()), `the socket of Emacs in ${folder}`);
    return emacs;
  }

  /** The value of an expression, printed as Lisp. */
  evaluate(expression: string): Promise<string> {
    return new Promise((resolve, reject) => {
      execFile(
        this.#client,
        [`--socket-name=${this.#socket}`, "--eval", expression],
        { timeout: 10_000 },
        (error, stdout, stderr) => {
          if (error === null) resolve(stdout.trimEnd());
          else reject(new Error(`${expression}: ${stderr}`, { cause: error }));
        },
      );
    });
  }

  /** The text of a buffer without properties, "" while it does not exist. */
  async text(buffer: string): Promise<string> {
    const name = lispString(buffer);
    const printed = await this.evaluate(
      `(if (get-buffer ${name}) (base64-encode-string (encode-coding-string (with-current-buffer ${name} (save-restriction (widen) (buffer-substring-no-properties (point-min) (point-max)))) 'utf-8) t) "")`,
    );
    return Buffer.from(printed.slice(1, -1), "base64").toString("utf8");
  }

  /** Types keys as a person would: what they do depends on the selected window. */
  type(keys: string): void {
    this.#terminal.stdin?.write(keys);
  }

  /** Waits until the expression is non-nil. */
  async until(expression: string): Promise<void> {
    await poll(async () => (await this.evaluate(expression)) !== "nil", expression);
  }

  /** Waits until a buffer contains a text, and answers the whole. */
  async untilText(buffer: string, wanted: string): Promise<string> {
    let seen = "";
    await poll(
      async () => {
        seen = await this.text(buffer);
        return seen.includes(wanted);
      },
      () => `"${wanted}" in ${buffer}, which is:\n${seen}`,
    );
    return seen;
  }

  async dispose(): Promise<void> {
    const gone = new Promise<void>((resolve) => {
      if (this.#terminal.exitCode !== null || this.#terminal.signalCode !== null) resolve();
      else this.#terminal.once("exit", () => resolve());
    });
    await this.evaluate("(let ((kill-emacs-query-functions nil)) (run-at-time 0 nil #'kill-emacs) nil)").catch(() => {
      this.#terminal.kill("SIGHUP");
    });
    await gone;
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A string as Lisp reads it. */
export function lispString(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

const POLL_MS = 50;
const PATIENCE_MS = 40_000;

/** For tests that drive an Emacs: many steps, each of which is polled for. */
export const TERMINAL_TEST_MS = 120_000;

/** Polls until `isTrue`; `wanted` says in the error what never came. */
export async function poll(isTrue: () => Promise<boolean>, wanted: string | (() => string)): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await isTrue())) {
    if (Date.now() > deadline) {
      throw new Error(`waited in vain for ${typeof wanted === "string" ? wanted : wanted()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function shellWord(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
