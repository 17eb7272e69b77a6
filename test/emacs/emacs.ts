/** Drives an Emacs on a terminal: a test types into it, and asks it over a socket. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { clientFolder, lispString } from "./batch.ts";
import type { Emacs } from "./connections.ts";
import { dumpOf } from "./dump.ts";

/** Lines and columns of the terminal at first. */
export const TERMINAL_SIZE = [40, 100] as const;

export interface TerminalEmacsOptions {
  readonly editor: Emacs;
  /** Holds HOME and the socket. */
  readonly folder: string;
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

/** An Emacs on a terminal, which is typed into there and asked through a connection of its own. */
export class TerminalEmacs {
  readonly #terminal: ChildProcess;
  readonly #requests = new Map<number, Request>();
  #connection: Socket | undefined;
  /** Makes Emacs look again, while a request waits for something to become true. */
  #reminder: NodeJS.Timeout | undefined;
  #lastId = 0;
  #incomplete = "";
  #pid = 0;

  private constructor(terminal: ChildProcess) {
    this.#terminal = terminal;
    terminal.once("exit", () => this.#endRequests("Emacs ended"));
  }

  static async start(options: TerminalEmacsOptions): Promise<TerminalEmacs> {
    const { editor, folder, cwd } = options;
    const home = join(folder, "home");
    await mkdir(home, { recursive: true });
    const socket = join(folder, "socket");
    const listener = createServer().listen(socket);
    const connect = `(agentq-test-driver-connect ${lispString(socket)})`;
    const [rows, columns] = TERMINAL_SIZE;
    const emacs = [editor.path, "--dump-file", await dumpOf(editor), "-Q", "-nw", "-L", clientFolder, ...HERE];
    const command = [...emacs, "--eval", connect, ...(options.args ?? [])];
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
    const started = new TerminalEmacs(terminal);
    try {
      await started.#connect(listener);
    } finally {
      listener.close();
    }
    return started;
  }

  /** Takes the connection that Emacs opens, and learns its process. */
  async #connect(listener: Server): Promise<void> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const [connection] = (await once(listener, "connection", { signal }).catch((error: unknown) => {
      this.#terminal.kill("SIGHUP");
      throw new Error(`Emacs did not start`, { cause: error });
    })) as [Socket];
    this.#connection = connection;
    connection.setEncoding("utf8").on("data", (text: string) => this.#receive(text));
    connection.on("error", () => this.#endRequests("the connection broke"));
    this.#pid = Number(await this.evaluate("(emacs-pid)"));
  }

  /** The value of an expression, printed as Lisp. */
  async evaluate(expression: string): Promise<string> {
    return this.#request(expression, undefined).catch((error: Error) => {
      throw new Error(`${expression}: ${error.message}`, { cause: error });
    });
  }

  /** The text of a buffer without properties, "" while it does not exist. */
  async text(buffer: string): Promise<string> {
    return stringOfLisp(await this.evaluate(`(agentq-test-driver-text ${lispString(buffer)})`));
  }

  /** Types keys as a person would: what they do depends on the selected window. */
  type(keys: string): void {
    this.#terminal.stdin?.write(keys);
  }

  /** Makes the terminal as large as that many lines and columns, as a person does with a window. */
  async resize([rows, columns]: readonly [number, number]): Promise<void> {
    execFileSync("stty", ["-F", `/proc/${this.#pid}/fd/0`, "rows", `${rows}`, "cols", `${columns}`]);
    // A line is that of the menu bar.
    await this.until(`(and (<= ${rows - 1} (frame-height) ${rows}) (= (frame-width) ${columns}))`);
  }

  /** Waits until the expression is non-nil. Emacs looks by itself and answers once. */
  async until(expression: string): Promise<void> {
    await this.#request(expression, PATIENCE_MS / 1000).catch((error: Error) => {
      throw new Error(`waited in vain for ${expression}: ${error.message}`, { cause: error });
    });
  }

  /** Waits until a buffer contains a text, and answers the whole. */
  async untilText(buffer: string, wanted: string): Promise<string> {
    const expression = `(agentq-test-driver-text-with ${lispString(buffer)} ${lispString(wanted)})`;
    const shown = await this.#request(expression, PATIENCE_MS / 1000).catch(async (error: unknown) => {
      const text = await this.text(buffer);
      throw new Error(`waited in vain for "${wanted}" in ${buffer}, which is:\n${text}`, { cause: error });
    });
    return stringOfLisp(shown);
  }

  #request(form: string, seconds: number | undefined): Promise<string> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const silence = setTimeout(
      () => this.#end(id, { error: "Emacs does not answer" }),
      (seconds ?? 0) * 1000 + SILENCE_MS,
    );
    this.#requests.set(id, { resolve, reject, silence, waits: seconds !== undefined });
    if (seconds !== undefined) this.#reminder ??= setInterval(() => this.#connection?.write("\n"), LOOK_MS);
    if (this.#connection === undefined || this.#terminal.exitCode !== null) this.#end(id, { error: "Emacs ended" });
    else this.#connection.write(`${JSON.stringify({ id, form, ...(seconds === undefined ? {} : { seconds }) })}\n`);
    return promise;
  }

  #receive(text: string): void {
    const lines = `${this.#incomplete}${text}`.split("\n");
    this.#incomplete = lines.pop() ?? "";
    for (const line of lines) {
      const { id, ...answer } = JSON.parse(line) as { id: number } & Answer;
      this.#end(id, answer);
    }
  }

  #end(id: number, answer: Answer): void {
    const request = this.#requests.get(id);
    if (request === undefined) return;
    this.#requests.delete(id);
    clearTimeout(request.silence);
    if (![...this.#requests.values()].some(({ waits }) => waits)) {
      clearInterval(this.#reminder);
      this.#reminder = undefined;
    }
    if (answer.value === undefined) request.reject(new Error(answer.error ?? "no value"));
    else request.resolve(answer.value);
  }

  #endRequests(error: string): void {
    for (const id of this.#requests.keys()) this.#end(id, { error });
  }

  /** Ends Emacs as it stands: its servers see that it is gone. */
  async dispose(): Promise<void> {
    if (this.#terminal.exitCode === null && this.#terminal.signalCode === null) {
      const gone = once(this.#terminal, "exit");
      process.kill(this.#pid, "SIGKILL");
      await gone;
    }
    this.#connection?.destroy();
  }
}

interface Answer {
  readonly value?: string;
  readonly error?: string;
}

interface Request {
  readonly resolve: (value: string) => void;
  readonly reject: (error: Error) => void;
  readonly silence: NodeJS.Timeout;
  readonly waits: boolean;
}

/** The text of a string that Lisp printed. */
export function stringOfLisp(printed: string): string {
  return printed.slice(1, -1).replaceAll(/\\(["\\])/g, "$1");
}

/** A dump holds the folder for temporary files of whoever made it. */
const HERE = ["--eval", "(custom-reevaluate-setting 'temporary-file-directory)"];

const LOOK_MS = 10;
const POLL_MS = 20;
const PATIENCE_MS = 60_000;

/** How long an Emacs may be busy before it counts as stuck. */
const SILENCE_MS = 40_000;

/** For tests that drive an Emacs: many steps, each of which is polled for. */
export const TERMINAL_TEST_MS = 240_000;

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
