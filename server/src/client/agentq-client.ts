/** An editor without a screen: starts a server as an editor does and speaks LSP and `agentq/*` with it. */
import { once } from "node:events";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { CompletionList } from "vscode-languageserver-protocol";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import type {
  NotificationMethod,
  NotificationParams,
  RequestMethod,
  RequestParams,
  RequestResults,
} from "../protocol/methods.ts";
import { given } from "../base/given.ts";
import { spawnServer } from "../process/spawn.ts";
import { Buffers } from "./buffers.ts";
import type { Variables } from "../base/variables.ts";

export interface ServerStart {
  /** The command that starts the server, such as `node bin/agentq.js --stdio`. */
  readonly command: readonly string[];
  /** The workspace: an absolute path. */
  readonly folder: string;
  /** What the workspace has besides, likewise. */
  readonly moreFolders?: readonly string[];
  /** As an editor's `initializationOptions`. */
  readonly settings?: object;
  readonly environment: Variables;
  /** What the client calls itself. */
  readonly name: string;
}

export interface AgentqClient {
  readonly buffers: Buffers;
  /** Milliseconds from the start of the process to the answer of `initialize`. */
  readonly readyAfterMs: number;
  request<Method extends RequestMethod>(method: Method, params: RequestParams<Method>): Promise<RequestResults[Method]>;
  /** What fits at the end of a prompt: mentions and commands. */
  completePrompt(text: string): Promise<CompletionList | null>;
  /** What comes back ends the listening. */
  on<Method extends NotificationMethod>(
    method: Method,
    listen: (params: NotificationParams[Method]) => void,
  ): () => void;
  /** Settles when the server is gone, with the end of what it wrote to stderr. */
  readonly gone: Promise<string>;
  dispose(): Promise<void>;
}

/** A busy machine ends slowly, and a server that is killed leaves its folders to the next one. */
const SHUTDOWN_MS = 10_000;
const PROMPT = "agentq:terminal";

export async function startAgentq(server: ServerStart): Promise<AgentqClient> {
  const { command, folder, environment } = server;
  const start = performance.now();
  const [program = process.execPath, ...args] = command;
  const child = spawnServer(program, args, {
    cwd: folder,
    env: { ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error("the server was started without pipes");
  let errors = "";
  let version = 0;
  const listeners = new Map<NotificationMethod, Set<(params: unknown) => void>>();
  stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-4000);
  });
  stdin.on("error", () => {});
  const gone = once(child, "close").then(
    () => errors.trim(),
    (error: unknown) => String(error),
  );
  const connection = createMessageConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
  connection.onRequest("workspace/configuration", (params: { items: unknown[] }) => params.items.map(() => null));
  connection.onRequest("client/registerCapability", () => null);
  connection.onRequest("window/workDoneProgress/create", () => null);
  connection.onError(() => {});
  connection.listen();

  const answered = async <Value>(request: Promise<Value>): Promise<Value> =>
    await Promise.race([
      request,
      gone.then((reason) => {
        throw new Error(`the server has stopped${reason === "" ? "" : `:\n${reason}`}`);
      }),
    ]);

  await answered(connection.sendRequest("initialize", initializeParams(server)));
  const readyAfterMs = performance.now() - start;
  await connection.sendNotification("initialized", {});
  return {
    buffers: new Buffers(connection),
    readyAfterMs,
    gone,
    request: async (method, params) => await answered(connection.sendRequest(method, params)),
    completePrompt: async (text) => {
      const textDocument = { uri: PROMPT, languageId: "agentq-message", version: (version += 1), text };
      const opened = version === 1 ? "textDocument/didOpen" : "textDocument/didChange";
      await connection.sendNotification(opened, { textDocument, contentChanges: [{ text }] });
      const position = { line: 0, character: text.length };
      return await answered(connection.sendRequest("textDocument/completion", { textDocument, position }));
    },
    on: (method, listen) => {
      const heard = listeners.get(method) ?? new Set();
      if (!listeners.has(method)) {
        listeners.set(method, heard);
        connection.onNotification(method, (params: unknown) => {
          for (const each of heard) each(params);
        });
      }
      const hear = listen as (params: unknown) => void;
      heard.add(hear);
      return () => void heard.delete(hear);
    },
    async dispose() {
      const late = setTimeout(() => child.kill("SIGKILL"), SHUTDOWN_MS);
      try {
        await answered(connection.sendRequest("shutdown"));
        await connection.sendNotification("exit");
        await gone;
      } catch {
        child.kill("SIGKILL");
      }
      clearTimeout(late);
      connection.dispose();
    },
  };
}

function initializeParams({ folder, moreFolders = [], settings, name }: ServerStart) {
  const workspaceFolders = [folder, ...moreFolders].map((path) => ({
    uri: pathToFileURL(path).href,
    name: basename(path),
  }));
  return {
    processId: process.pid,
    clientInfo: { name },
    rootUri: pathToFileURL(folder).href,
    workspaceFolders,
    ...given({ initializationOptions: settings }),
    capabilities: {
      general: { positionEncodings: ["utf-16"] },
      textDocument: { completion: {} },
      workspace: { configuration: true, workspaceFolders: true, workspaceEdit: { documentChanges: true } },
      experimental: { agentq: { version: 1, proposals: true, approvals: true } },
    },
  };
}
