/** A language server as a child process, and a client that asks it and measures from the moment of the spawn. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection,
} from "vscode-jsonrpc/node";

/** How a language server is started and what it wants to hear. */
export interface ServerCommand {
  readonly command: readonly [string, ...string[]];
  readonly initializationOptions?: object;
  readonly env?: Readonly<Record<string, string>>;
  /** The settings by section: announced once, and what `workspace/configuration` is answered with. */
  readonly configuration?: Readonly<Record<string, object>>;
}

const EXIT_LIMIT_MS = 3_000;
/** Loading a large project on a busy machine takes its time; past this the server hangs. */
const ANSWER_LIMIT_MS = 240_000;

export class LspClient {
  readonly child: ChildProcessWithoutNullStreams;
  readonly startedAt: number;
  readonly #connection: MessageConnection;
  readonly #server: ServerCommand;
  readonly #exited: Promise<string>;
  #lastWords = "";

  constructor(server: ServerCommand, cwd: string) {
    const [program, ...args] = server.command;
    this.#server = server;
    this.startedAt = performance.now();
    this.child = spawn(program, args, {
      cwd,
      // The model's key and address stay out: no measure talks to a model.
      env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...server.env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.child.stderr.on(
      "data",
      (chunk: Buffer) => (this.#lastWords = (this.#lastWords + chunk.toString()).slice(-500)),
    );
    this.child.stdin.on("error", () => undefined);
    this.#exited = new Promise((resolve) => {
      this.child.once("error", (error) => resolve(error.message));
      this.child.once("exit", (code, signal) => resolve(`exit ${String(code ?? signal)}`));
    });
    this.#connection = createMessageConnection(
      new StreamMessageReader(this.child.stdout),
      new StreamMessageWriter(this.child.stdin),
    );
    this.#connection.onRequest((method: string, params: unknown) => {
      if (method !== "workspace/configuration") return null;
      const { items } = params as { items: readonly { section?: string }[] };
      return items.map(({ section = "" }) => server.configuration?.[section] ?? null);
    });
    this.#connection.listen();
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  sinceSpawn(): number {
    return performance.now() - this.startedAt;
  }

  /** Resolves with how the process ended. */
  exited(): Promise<string> {
    return this.#exited;
  }

  /** Calls `heard` for every notification of that method. */
  onNotification(method: string, heard: (params: unknown) => void): void {
    this.#connection.onNotification(method, heard);
  }

  /** Sends `initialize` only; some measures end at its reply. */
  initialize(folder: string): Promise<unknown> {
    const uri = pathToFileURL(folder).href;
    return this.request("initialize", {
      processId: process.pid,
      rootUri: uri,
      workspaceFolders: [{ uri, name: basename(folder) }],
      capabilities: { experimental: { agentq: { version: 1, proposals: true, approvals: true } } },
      initializationOptions: this.#server.initializationOptions ?? {},
    });
  }

  async start(folder: string): Promise<void> {
    await this.initialize(folder);
    await this.notify("initialized", {});
    const settings = this.#server.configuration;
    if (settings !== undefined) await this.notify("workspace/didChangeConfiguration", { settings });
  }

  open(file: string): Promise<void> {
    const textDocument = { uri: pathToFileURL(file).href, languageId: "typescript", version: 1 };
    return this.notify("textDocument/didOpen", { textDocument: { ...textDocument, text: readFileSync(file, "utf8") } });
  }

  request<Result>(method: string, params: unknown): Promise<Result> {
    const answer = this.#connection.sendRequest<Result>(method, params);
    return Promise.race([answer, this.#failure(method, answer)]);
  }

  notify(method: string, params: unknown): Promise<void> {
    return this.#connection.sendNotification(method, params);
  }

  /** `shutdown` and `exit` by the book, then by force. */
  async close(): Promise<void> {
    const goodbye = this.#connection
      .sendRequest("shutdown")
      .then(() => this.#connection.sendNotification("exit"))
      .catch(() => undefined);
    const timer = setTimeout(() => this.child.kill("SIGKILL"), EXIT_LIMIT_MS);
    await Promise.race([goodbye.then(() => this.#exited), this.#exited]);
    clearTimeout(timer);
    this.#connection.dispose();
  }

  async #failure(method: string, answer: Promise<unknown>): Promise<never> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`no answer within ${ANSWER_LIMIT_MS / 1000} s`), ANSWER_LIMIT_MS);
    });
    const stop = (): void => clearTimeout(timer);
    answer.then(stop, stop);
    const reason = await Promise.race([this.#exited, late]);
    stop();
    throw new Error(`${this.#server.command.join(" ")}: ${method} failed: ${reason}. ${this.#lastWords}`);
  }
}
