/** An editor without a screen: starts the server as an editor does and speaks LSP and `agentq/*` with it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import type {
  NotificationMethod,
  NotificationParams,
  RequestMethod,
  RequestParams,
  RequestResults,
} from "../../../server/src/protocol/methods.ts";
import { Buffers } from "./buffers.ts";

export const SERVER = fileURLToPath(new URL("../../../bin/agentq.js", import.meta.url));

export interface AgentqClient {
  readonly buffers: Buffers;
  /** Milliseconds from the start of the process to the answer of `initialize`. */
  readonly readyAfterMs: number;
  request<Method extends RequestMethod>(method: Method, params: RequestParams<Method>): Promise<RequestResults[Method]>;
  on<Method extends NotificationMethod>(method: Method, listen: (params: NotificationParams[Method]) => void): void;
  /** Settles when the server is gone, with the end of what it wrote to stderr. */
  readonly gone: Promise<string>;
  dispose(): Promise<void>;
}

const SHUTDOWN_MS = 2000;

export async function startAgentq(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<AgentqClient> {
  const start = performance.now();
  const child = spawn(process.execPath, [SERVER, "--stdio"], {
    cwd: folder,
    env: { ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-4000);
  });
  child.stdin.on("error", () => {});
  const gone = once(child, "close").then(() => errors.trim());
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
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

  await answered(connection.sendRequest("initialize", initializeParams(folder)));
  const readyAfterMs = performance.now() - start;
  await connection.sendNotification("initialized", {});
  return {
    buffers: new Buffers(connection),
    readyAfterMs,
    gone,
    request: async (method, params) => await answered(connection.sendRequest(method, params)),
    on: (method, listen) => void connection.onNotification(method, listen),
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

function initializeParams(folder: string) {
  const uri = pathToFileURL(folder).href;
  return {
    processId: process.pid,
    clientInfo: { name: "agentq-demo" },
    rootUri: uri,
    workspaceFolders: [{ uri, name: "invoices" }],
    capabilities: {
      general: { positionEncodings: ["utf-16"] },
      workspace: { configuration: true, workspaceFolders: true, workspaceEdit: { documentChanges: true } },
      experimental: { agentq: { version: 1, proposals: true, approvals: true } },
    },
  };
}
