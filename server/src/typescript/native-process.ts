/** One native TypeScript process with its two sides: LSP over stdio and the checker API over a pipe, on one state. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { API } from "typescript/unstable/async";
import {
  CancellationTokenSource,
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection,
} from "vscode-jsonrpc/node";
import { spawn, type ChildProcess } from "../process/spawn.ts";

export interface NativeProcess {
  readonly pid: number;
  /** The checker side; it becomes usable a moment after the LSP side. Rejects when the process dies before. */
  readonly api: Promise<API<true>>;
  /** Settles with the reason when the process is gone; never rejects. */
  readonly exited: Promise<string>;
  request<Result>(method: string, params: unknown, signal?: AbortSignal): Promise<Result>;
  notify(method: string, params: unknown): Promise<void>;
  dispose(): Promise<void>;
}

export interface NativeOptions {
  readonly cwd: string;
  readonly workspaceFolders: readonly string[];
  readonly log: (message: string) => void;
  /** A Node to run the JavaScript launcher with, for platforms whose native binary is not where it is expected. */
  readonly nodePath?: string | undefined;
}

const INITIALIZE_LIMIT_MS = 60_000;
const SHUTDOWN_LIMIT_MS = 1_000;
const require = createRequire(import.meta.url);

export const compilerVersion: string = (require("typescript/package.json") as { version: string }).version;

/** Starts the process and does the whole handshake. Rejects with a sentence when it cannot be started. */
export async function startNative(options: NativeOptions): Promise<NativeProcess> {
  const [command, ...args] = nativeCommand(options.nodePath);
  const child = spawn(command, args, { cwd: options.cwd, stdio: ["pipe", "pipe", "pipe"] });
  const exited = watchExit(child, options.log);
  const connection = connect(child, options.log);
  const handshake = performHandshake(connection, options);
  // A handshake that loses the race below still settles later; its failure is already told by `exited`.
  handshake.catch(() => undefined);
  let api: Promise<API<true>>;
  try {
    ({ api } = await Promise.race([handshake, failWhenGone(exited), failAfter(INITIALIZE_LIMIT_MS)]));
  } catch (error) {
    connection.dispose();
    child.kill("SIGKILL");
    throw error;
  }
  return {
    pid: child.pid ?? -1,
    api,
    exited,
    request: (method, params, signal) => sendRequest(connection, method, params, signal),
    notify: (method, params) => connection.sendNotification(method, params),
    dispose: () => shutDown(child, connection, exited),
  };
}

function nativeCommand(nodePath: string | undefined): [string, ...string[]] {
  const packageFile = require.resolve("typescript/package.json");
  const platformPackage = `@typescript/typescript-${process.platform}-${process.arch}`;
  try {
    const home = dirname(createRequire(packageFile).resolve(`${platformPackage}/package.json`));
    const binary = join(home, "lib", process.platform === "win32" ? "tsc.exe" : "tsc");
    if (existsSync(binary)) return [binary, "--lsp", "--stdio"];
  } catch {
    // The launcher below explains a missing platform package in its own words.
  }
  return [nodePath ?? process.execPath, join(dirname(packageFile), "bin", "tsc"), "--lsp", "--stdio"];
}

function watchExit(child: ChildProcess, log: (message: string) => void): Promise<string> {
  let lastWords = "";
  child.stderr?.setEncoding("utf8");
  child.stderr?.on("data", (text: string) => {
    lastWords = (lastWords + text).slice(-400);
    log(`typescript: ${text.trimEnd()}`);
  });
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(`cannot start the TypeScript compiler: ${error.message}`));
    child.once("exit", (code, signal) => {
      const how = signal === null ? `exit code ${String(code)}` : `signal ${signal}`;
      const said = lastWords.trim() === "" ? "" : `: ${lastWords.trim().split("\n").slice(0, 3).join(" ")}`;
      resolve(`the TypeScript compiler process ended with ${how}${said}`);
    });
  });
}

function connect(child: ChildProcess, log: (message: string) => void): MessageConnection {
  if (child.stdout === null || child.stdin === null) throw new Error("the compiler process has no pipes");
  // Writing to a process that just died fails on the stream; `exited` is what tells.
  child.stdin.on("error", () => undefined);
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  connection.onError(([error]) => log(`typescript connection: ${error.message}`));
  connection.onRequest((method: string, params: unknown) => {
    if (method !== "workspace/configuration") return null;
    const { items } = params as { items: readonly unknown[] };
    return items.map(() => null);
  });
  connection.onNotification((method: string, params: unknown) => {
    if (method !== "window/logMessage") return;
    const { type, message } = params as { type: number; message: string };
    // Errors and warnings; the rest tells of every watched folder.
    if (type <= 2) log(`typescript: ${message}`);
  });
  connection.listen();
  return connection;
}

async function performHandshake(
  connection: MessageConnection,
  options: NativeOptions,
): Promise<{ api: Promise<API<true>> }> {
  const folders = options.workspaceFolders.map((folder) => ({ uri: pathToFileURL(folder).href, name: folder }));
  await connection.sendRequest("initialize", {
    processId: process.pid,
    rootUri: folders[0]?.uri ?? null,
    workspaceFolders: folders,
    capabilities: {
      general: { positionEncodings: ["utf-16"] },
      textDocument: {
        documentSymbol: { hierarchicalDocumentSymbolSupport: true },
        hover: { contentFormat: ["markdown"] },
      },
      workspace: {
        workspaceFolders: true,
        configuration: true,
        // Changes on disk are told by this server; the registrations themselves are accepted and not needed.
        didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
      },
    },
  });
  // TypeScript 7.0.2 ends with SIGSEGV when this notification has no params.
  await connection.sendNotification("initialized", {});
  const checkerSide = openCheckerSide(connection);
  checkerSide.catch(() => undefined);
  // In an object, because a promise that is answered by itself would be waited for.
  return { api: checkerSide };
}

/** Its client is loaded only now: by then the LSP side has been told of the open documents and is loading projects. */
async function openCheckerSide(connection: MessageConnection): Promise<API<true>> {
  const session = await connection.sendRequest<{ pipe: string }>("custom/initializeAPISession", {});
  const client = await import("typescript/unstable/async");
  return client.API.fromLSPConnection({ pipe: session.pipe });
}

async function sendRequest<Result>(
  connection: MessageConnection,
  method: string,
  params: unknown,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return connection.sendRequest<Result>(method, params);
  signal.throwIfAborted();
  const source = new CancellationTokenSource();
  const cancel = (): void => source.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    return await connection.sendRequest<Result>(method, params, source.token);
  } finally {
    signal.removeEventListener("abort", cancel);
    source.dispose();
  }
}

async function shutDown(child: ChildProcess, connection: MessageConnection, exited: Promise<string>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const goodbye = connection
      .sendRequest("shutdown")
      .then(() => connection.sendNotification("exit"))
      .catch(() => undefined);
    await Promise.race([goodbye.then(() => exited), exited, delay(SHUTDOWN_LIMIT_MS)]);
    child.kill("SIGKILL");
  }
  connection.dispose();
  await exited;
}

async function failWhenGone(exited: Promise<string>): Promise<never> {
  throw new Error(await exited);
}

async function failAfter(milliseconds: number): Promise<never> {
  await delay(milliseconds);
  throw new Error(`the TypeScript compiler did not answer its handshake within ${milliseconds / 1000} s`);
}

/** A wait that does not keep the process alive. */
function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}
