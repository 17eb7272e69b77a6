/**
 * A server and a client that speaks to it: what the server tests hold in their hands. The server is a program of its own,
 * `agentq --stdio`, where a test is about its process, its environment, its start or its death; else it lives in the test's
 * process, where it is there at once.
 */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createHash } from "node:crypto";
import path from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection,
} from "vscode-jsonrpc/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { TextEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import { given } from "../../server/src/base/given.ts";
import { serveHere } from "./served-here.ts";
import type {
  NotificationMethod,
  NotificationParams,
  RequestMethod,
  RequestParams,
  RequestResults,
} from "../../server/src/protocol/methods.ts";
import type { Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import type { TurnEvent } from "../../server/src/protocol/turn-shapes.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
export const serverProgram: string = path.join(repository, "bin/agentq.js");

/** Nothing of the tester's own environment reaches the server but what it needs to run. */
export function bareEnvironment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { PATH = "", HOME = "", TMPDIR, XDG_STATE_HOME, XDG_CACHE_HOME } = process.env;
  return {
    PATH,
    HOME,
    ...given({ TMPDIR, XDG_STATE_HOME, XDG_CACHE_HOME }),
    // Empty: no server of a test finds another one, where a test does not give both a folder.
    XDG_RUNTIME_DIR: "",
    ...extra,
  };
}

export function spawnServer(
  options: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [serverProgram, "--stdio"], {
    cwd: options.cwd ?? repository,
    env: bareEnvironment(options.env),
    stdio: ["pipe", "pipe", "pipe"],
  });
}

type Received = {
  [Method in NotificationMethod]: { readonly method: Method; readonly params: NotificationParams[Method] };
}[NotificationMethod];

export interface ServerClientOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The server is a process of its own. */
  readonly isProgram?: boolean;
  /** The program's; by default the repository. */
  readonly cwd?: string;
}

export class ServerClient {
  readonly #child: ChildProcessWithoutNullStreams | undefined;
  /** All that the server writes to its client. */
  readonly output: Readable;
  readonly connection: MessageConnection;
  readonly received: Received[] = [];
  readonly logs: string[] = [];
  #stderr = "";
  #isClosed = false;
  /** What the server announced. */
  capabilities: object = {};
  /** The requests whose answers have not come. */
  readonly unanswered = new Set<Promise<unknown>>();
  readonly #waiting = new Set<() => void>();
  readonly #documents = new Map<string, TextDocument>();

  constructor({ isProgram = false, env = {}, ...place }: ServerClientOptions = {}) {
    this.#child = isProgram ? spawnServer({ ...place, env }) : undefined;
    this.#child?.stderr.on("data", (chunk: Buffer) => (this.#stderr += chunk.toString()));
    const { stdout, stdin } = this.#child ?? serveHere(bareEnvironment(env));
    this.output = stdout;
    this.connection = createMessageConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
    this.connection.onNotification((method, params) => {
      if (method === "window/logMessage") this.logs.push((params as { message: string }).message);
      else this.received.push({ method, params } as Received);
      for (const wake of this.#waiting) wake();
    });
    this.connection.onRequest("client/registerCapability", () => null);
    this.connection.listen();
  }

  /** Of a server that is a program. */
  get child(): ChildProcessWithoutNullStreams {
    if (this.#child === undefined) throw new Error("This server has no process: `isProgram` gives it one.");
    return this.#child;
  }

  /** Of a server that is a program. */
  get stderr(): string {
    void this.child;
    return this.#stderr;
  }

  async initialize(
    folders: readonly string[],
    options: { agentq?: object | null; initializationOptions?: object; capabilities?: object } = {},
  ): Promise<unknown> {
    const agentq = options.agentq === undefined ? { version: 1, proposals: true, approvals: true } : options.agentq;
    const result = await this.connection.sendRequest("initialize", {
      // A server watches over the process that it is told, and ends its own when that one is gone.
      processId: this.#child === undefined ? null : process.pid,
      rootUri: folders[0] === undefined ? null : pathToFileURL(folders[0]).href,
      workspaceFolders: folders.map((folder) => ({ uri: pathToFileURL(folder).href, name: path.basename(folder) })),
      capabilities: { ...options.capabilities, ...(agentq === null ? {} : { experimental: { agentq } }) },
      initializationOptions: options.initializationOptions ?? {},
    });
    await this.connection.sendNotification("initialized", {});
    this.capabilities = (result as { readonly capabilities: object }).capabilities;
    return result;
  }

  request<Method extends RequestMethod>(
    method: Method,
    params: RequestParams<Method>,
  ): Promise<RequestResults[Method]> {
    const answer: Promise<RequestResults[Method]> = this.connection.sendRequest(method, params);
    this.unanswered.add(answer);
    const came = (): void => void this.unanswered.delete(answer);
    answer.then(came, came);
    return answer;
  }

  /** What was heard until now is as if it had not been. */
  forget(): void {
    this.received.length = 0;
    this.logs.length = 0;
    this.#stderr = "";
  }

  /** The conversations with a turn that was heard to begin and not to end, each with that turn. */
  running(): Map<string, string> {
    const running = new Map<string, string>();
    for (const { method, params } of this.received) {
      if (method !== "agentq/event") continue;
      if (params.event.kind === "turnStarted") running.set(params.sessionId, params.turnId);
      else if (params.event.kind === "turnEnded") running.delete(params.sessionId);
    }
    return running;
  }

  /** The first notification, past or future, that the function has an answer for. */
  async waitFor<Value>(pick: (message: Received) => Value | undefined, timeoutMs = 40_000): Promise<Value> {
    const deadline = Date.now() + timeoutMs;
    for (let next = 0; ;) {
      for (; next < this.received.length; next += 1) {
        const message = this.received[next];
        const value = message === undefined ? undefined : pick(message);
        if (value !== undefined) return value;
      }
      const left = deadline - Date.now();
      if (left <= 0) {
        throw new Error(
          `Nothing matched within ${timeoutMs} ms. stderr: ${this.#stderr}\nlogs: ${this.logs.slice(-5).join("\n")}`,
        );
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, left);
      this.#waiting.add(resolve);
      await promise;
      clearTimeout(timer);
      this.#waiting.delete(resolve);
    }
  }

  /** The events of a turn once it has ended. */
  async turn(turnId: string, timeoutMs?: number): Promise<TurnEvent[]> {
    await this.waitFor(
      ({ method, params }) =>
        method === "agentq/event" && params.turnId === turnId && params.event.kind === "turnEnded" ? true : undefined,
      timeoutMs,
    );
    return this.events(turnId);
  }

  events(turnId: string): TurnEvent[] {
    return this.received.flatMap(({ method, params }) =>
      method === "agentq/event" && params.turnId === turnId ? [params.event] : [],
    );
  }

  nextProposal(after: readonly string[] = []): Promise<Proposal> {
    return this.waitFor(({ method, params }) =>
      method === "agentq/proposal" && !after.includes(params.proposalId) ? params : undefined,
    );
  }

  async open(file: string, text: string): Promise<string> {
    const uri = pathToFileURL(file).href;
    this.#documents.set(uri, TextDocument.create(uri, "typescript", 1, text));
    await this.connection.sendNotification("textDocument/didOpen", {
      textDocument: { uri, languageId: "typescript", version: 1, text },
    });
    return uri;
  }

  /** Gives an open document another text, as somebody who types; answers its version. */
  async change(uri: string, text: string): Promise<number> {
    const version = Math.max(1, this.#documents.get(uri)?.version ?? 0) + 1;
    this.#documents.set(uri, TextDocument.create(uri, "typescript", version, text));
    await this.connection.sendNotification("textDocument/didChange", {
      textDocument: { uri, version },
      contentChanges: [{ text }],
    });
    return version;
  }

  /** Applies an edit to open documents as an editor does, and tells the server through text sync and `agentq/didApply`. */
  async apply(proposalId: string, edit: WorkspaceEdit | null): Promise<RequestResults["agentq/didApply"]> {
    const documents: { uri: string; version: number; sha256: string }[] = [];
    for (const change of edit?.documentChanges ?? []) {
      if ("kind" in change) continue;
      const { uri } = change.textDocument;
      const document = this.#documents.get(uri) ?? TextDocument.create(uri, "typescript", 0, "");
      if (document.version === 0) await this.open(fileURLToPath(uri), "");
      const text = TextDocument.applyEdits(document, change.edits as TextEdit[]);
      const version = await this.change(uri, text);
      documents.push({ uri, version, sha256: createHash("sha256").update(text).digest("hex") });
    }
    return this.request("agentq/didApply", { proposalId, documents });
  }

  async closeDocuments(): Promise<void> {
    for (const uri of this.#documents.keys()) {
      await this.connection.sendNotification("textDocument/didClose", { textDocument: { uri } });
    }
    this.#documents.clear();
  }

  textOf(uri: string): string | undefined {
    return this.#documents.get(uri)?.getText();
  }

  hasEnded(): boolean {
    return this.#child === undefined
      ? this.#isClosed
      : this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** As a crash or an impatient person ends a server that is a program. */
  async kill(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.kill("SIGKILL");
    await ended;
    this.connection.dispose();
  }

  /** `shutdown` and `exit` by the book; answers the exit code, which a server in the test's process does not have. */
  async close(): Promise<number | null> {
    if (this.#child === undefined) return this.#hangUp();
    const exited = new Promise<number | null>((resolve) => this.child.once("exit", resolve));
    if (this.hasEnded()) return this.child.exitCode;
    try {
      await this.connection.sendRequest("shutdown");
      await this.connection.sendNotification("exit");
    } catch {
      this.child.kill("SIGKILL");
    }
    const code = await exited;
    this.connection.dispose();
    return code;
  }

  async #hangUp(): Promise<null> {
    if (this.#isClosed) return null;
    this.#isClosed = true;
    await this.connection.sendRequest("shutdown");
    this.connection.dispose();
    return null;
  }
}
