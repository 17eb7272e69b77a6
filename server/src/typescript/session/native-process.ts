/** One native TypeScript process with its two sides: LSP over stdio and the checker API over a pipe, on one state. */
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { API } from "typescript/unstable/async";
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type CancellationToken,
  type MessageConnection,
} from "vscode-jsonrpc/node";
import { withSignal, withToken } from "../../base/cancellation.ts";
import { childEnvironment } from "../../process/child-environment.ts";
import { joinedWrites } from "../../process/joined-writes.ts";
import { spawn, type ChildProcess } from "../../process/spawn.ts";
import { CompilerSettings, type Indentation } from "./compiler-settings.ts";
import { exitOf, nativeProgram } from "./native-program.ts";
import { capabilitiesForCompiler, withoutNulls, type EditorProfile } from "./editor-port.ts";
import { RawJson, rawJsonDecoder } from "../../base/raw-json.ts";

/** Answers the compiler's requests and hears its notifications, when that is not this server alone. */
/** A method that nobody serves; the compiler logs each refusal. */
export const BARRIER = "agentq/barrier";

export interface NativeClient {
  readonly profile: EditorProfile;
  request(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  notify(method: string, params: unknown): void;
}

export interface NativeProcess {
  readonly pid: number;
  /** What the process answered to `initialize`. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** The checker side; it becomes usable a moment after the LSP side. Rejects when the process dies before. */
  readonly api: Promise<API<true>>;
  /** Settles with the reason when the process is gone; never rejects. */
  readonly exited: Promise<string>;
  request<Result>(method: string, params: unknown, signal?: AbortSignal): Promise<Result>;
  /** Like `request`, for a caller that only hands the answer on: a large answer comes as `RawJson`. */
  requestRaw(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  notify(method: string, params: unknown): Promise<void>;
  /** Runs the work while the compiler writes code with that indentation. */
  indented<Result>(indentation: Indentation, work: () => Promise<Result>): Promise<Result>;
  /** The compiler collects its garbage. Rejects where it knows no such request. */
  collectGarbage(): Promise<void>;
  dispose(): Promise<void>;
}

export interface NativeOptions {
  readonly cwd: string;
  readonly workspaceFolders: readonly string[];
  readonly log: (message: string) => void;
  /** A Node to run the JavaScript launcher with, for platforms whose native binary is not where it is expected. */
  readonly nodePath?: string | undefined;
  readonly client?: NativeClient | undefined;
}

const INITIALIZE_LIMIT_MS = 60_000;
const SHUTDOWN_LIMIT_MS = 1_000;
/**
 * Nearly all that the compiler allocates while it loads stays in use, so that its garbage collections in that time find
 * little. Go collects when the heap has grown by this many per cent; without the setting by 100.
 */
const COLLECT_LATER = { GOGC: "200" };
/** Between the first failed write and the news that the process is gone. */
const EXIT_TOLD_WITHIN_MS = 1_000;
/** The compiler's client when no editor uses the compiler: this server itself. */
const OWN_PROFILE: EditorProfile = { capabilities: { workspace: { workspaceFolders: true, configuration: true } } };
/** Packages that are installed behind the project's back would change answers at any time, and need the network. */
const OWN_SETTINGS = {
  disableAutomaticTypeAcquisition: true,
  tsserver: { automaticTypeAcquisition: { enabled: false } },
};
const SETTINGS_CHANGED = "workspace/didChangeConfiguration";

/** Starts the process and does the whole handshake. Rejects with a sentence when it cannot be started. */
export async function startNative(options: NativeOptions): Promise<NativeProcess> {
  const [command, ...args] = nativeProgram(options.nodePath);
  const child = spawn(command, [...args, "--lsp", "--stdio"], {
    cwd: options.cwd,
    env: { ...childEnvironment(), ...COLLECT_LATER },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const exited = exitOf(child, options.log);
  const settings = new CompilerSettings(
    (sections) => connection.sendNotification(SETTINGS_CHANGED, { settings: sections }),
    options.client !== undefined,
  );
  const connection = connect(child, options, settings);
  const handshake = performHandshake(connection, options);
  // A handshake that loses the race below still settles later; `exited` reports its failure already.
  handshake.catch(() => undefined);
  let hands: Handshake;
  try {
    hands = await Promise.race([untilGone(handshake, exited), failAfter(INITIALIZE_LIMIT_MS)]);
  } catch (error) {
    connection.dispose();
    child.kill("SIGKILL");
    throw error;
  }
  return {
    pid: child.pid ?? -1,
    ...hands,
    exited,
    request: async <Result>(method: string, params: unknown, signal?: AbortSignal): Promise<Result> => {
      const answer = await sendRequest<unknown>(connection, method, params, signal);
      return (answer instanceof RawJson ? answer.parse() : answer) as Result;
    },
    requestRaw: (method, params, signal) => sendRequest(connection, method, params, signal),
    notify: (method, params) => {
      if (method === SETTINGS_CHANGED) settings.changed(params);
      return connection.sendNotification(method, params);
    },
    indented: (indentation, work) => settings.indented(indentation, work),
    // The compiler refuses this request where it has params, even `null`.
    collectGarbage: () => connection.sendRequest("custom/runGC"),
    dispose: () => shutDown(child, connection, exited),
  };
}

/**
 * Work that needs the process: rejects with the reason when it ends, also when a failed write is the first sign of the
 * end.
 */
export async function untilGone<Result>(work: Promise<Result>, exited: Promise<string>): Promise<Result> {
  const gone = exited.then((reason): never => {
    throw new Error(reason);
  });
  try {
    return await Promise.race([work, gone]);
  } catch (error) {
    if (isConnectionFailure(error)) await Promise.race([gone, sleep(EXIT_TOLD_WITHIN_MS, undefined, { ref: false })]);
    throw error;
  }
}

/** How a request fails whose process went away under it, on either side. */
export function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /connection (?:is|got) (?:closed|disposed)|EPIPE|ECONNRESET|^Socket error|stream was destroyed|write after end/i.test(
    error.message,
  );
}

function connect(child: ChildProcess, { log, client }: NativeOptions, settings: CompilerSettings): MessageConnection {
  if (child.stdout === null || child.stdin === null) throw new Error("the compiler process has no pipes");
  // Writing to a process that just died fails on the stream; `exited` is what tells.
  child.stdin.on("error", () => undefined);
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout, { contentTypeDecoder: rawJsonDecoder }),
    new StreamMessageWriter(joinedWrites(child.stdin)),
  );
  connection.onError(([error]) => log(`typescript connection: ${error.message}`));
  connection.onRequest((method: string, params: unknown, token: CancellationToken) => {
    const asksSettings = method === "workspace/configuration";
    if (client !== undefined) {
      const answer = withSignal(token, (signal) => client.request(method, params, signal));
      return asksSettings ? noted(answer, params, settings) : answer;
    }
    if (!asksSettings) return null;
    const values = (params as { items: readonly unknown[] }).items.map(() => OWN_SETTINGS);
    settings.answered(params, values);
    return values;
  });
  connection.onNotification((method: string, params: unknown) => {
    if (method !== "window/logMessage") {
      client?.notify(method, params);
      return;
    }
    const { type, message } = params as { type: number; message: string };
    // Errors and warnings; the rest tells of every watched folder.
    if (type <= 2 && !message.includes(BARRIER)) log(`typescript: ${message}`);
  });
  connection.listen();
  return connection;
}

async function noted(answer: Promise<unknown>, params: unknown, settings: CompilerSettings): Promise<unknown> {
  const values = await answer;
  if (Array.isArray(values)) settings.answered(params, values);
  return values;
}

interface Handshake {
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Wrapped in an object, because an async function that returns a bare promise waits for it. */
  readonly api: Promise<API<true>>;
}

async function performHandshake(connection: MessageConnection, options: NativeOptions): Promise<Handshake> {
  const folders = options.workspaceFolders.map((folder) => ({ uri: pathToFileURL(folder).href, name: folder }));
  const profile = withoutNulls(options.client?.profile ?? OWN_PROFILE);
  const { capabilities } = await connection.sendRequest<{ capabilities: Handshake["capabilities"] }>("initialize", {
    ...profile,
    processId: process.pid,
    rootUri: folders[0]?.uri ?? null,
    workspaceFolders: folders,
    capabilities: capabilitiesForCompiler(profile.capabilities),
  });
  // TypeScript 7.0.2 ends with SIGSEGV when this notification has no params.
  await connection.sendNotification("initialized", {});
  const checkerSide = openCheckerSide(connection);
  checkerSide.catch(() => undefined);
  return { capabilities, api: checkerSide };
}

/**
 * The API's client is loaded only now: by then the LSP side has been told of the open documents and is loading
 * projects.
 */
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
  return withToken(signal, (token) => connection.sendRequest<Result>(method, params, token));
}

async function shutDown(child: ChildProcess, connection: MessageConnection, exited: Promise<string>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const goodbye = connection
      .sendRequest("shutdown")
      .then(() => connection.sendNotification("exit"))
      .catch(() => undefined);
    await Promise.race([goodbye.then(() => exited), exited, sleep(SHUTDOWN_LIMIT_MS, undefined, { ref: false })]);
    child.kill("SIGKILL");
  }
  connection.dispose();
  await exited;
}

async function failAfter(milliseconds: number): Promise<never> {
  await sleep(milliseconds, undefined, { ref: false });
  throw new Error(`the TypeScript compiler did not answer its handshake within ${milliseconds / 1000} s`);
}
