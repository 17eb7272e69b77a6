/** The language server: LSP's own messages here, `agentq/*` in agentq-handlers.ts. */
import { fileURLToPath } from "node:url";
import { PROTOCOL_VERSION, requestParams, type SomeNotification } from "../protocol/methods.ts";
import { agentqHandlers } from "./agentq-handlers.ts";
import {
  DidChangeWatchedFilesNotification,
  MessageType,
  TextDocumentSyncKind,
  type Connection,
  type InitializeParams,
  type InitializeResult,
} from "./connection.ts";
import { CodeActions, withCodeActions, type Plain } from "./code-actions.ts";
import { createEditorBuffers } from "./editor-buffers.ts";
import { editorPort, withLanguageFeatures } from "./language-features.ts";
import { createLongWork } from "./long-work.ts";
import { shownIn } from "./plain/kate.ts";
import { PlainCommands } from "./plain/plain-commands.ts";
import { PlainEditor } from "./plain/plain-editor.ts";
import { canShow, plainWire } from "./plain/plain-wire.ts";
import { PromptDocuments } from "./prompt-documents.ts";
import { createQuestions } from "./questions.ts";
import { registerRequests, type RequestHandlers } from "./requests.ts";
import type { ClientPort, Services } from "../services.ts";
import { ToldProposals } from "./told-proposals.ts";
import { readSettings, type Settings } from "../settings/settings.ts";
import type { Documents } from "../workspace/documents.ts";
import type { EditorPort } from "../typescript/session/editor-port.ts";
import { stackOf } from "../base/errors.ts";

const LONGEST_NAME = 40;
/** What the compiler reads whatever its name is. */
const SCRIPT = /\.[cm]?[jt]sx?$/;

export interface ServerOptions {
  readonly connection: Connection;
  readonly version: string;
  readonly compose: (client: ClientPort, setup: ServerSetup) => Services;
}

/** What the client said in `initialize`. */
export interface ServerSetup {
  /** Absolute paths. */
  readonly workspaceFolders: readonly string[];
  readonly settings: Settings;
  /** There with `languageFeatures: "on"`. */
  readonly languageClient?: EditorPort;
}

export function startServer({ connection, version, compose }: ServerOptions): void {
  let services: Services | undefined;
  let warm: Promise<void> = Promise.resolve();
  let setup: InitializeParams | undefined;
  let areFeaturesOn = false;
  let wrongSettings: readonly string[] = [];
  let plain: Plain | undefined;
  let handlers: RequestHandlers | undefined;
  const client = clientPort(
    connection,
    () => setup,
    () => plain,
  );
  const logBug = (error: unknown): void => client.log("error", stackOf(error));

  const prompts = new PromptDocuments();
  const initialized = Promise.withResolvers<void>();

  connection.onInitialize((params) => {
    setup = params;
    const { settings, problems } = readSettings(params.initializationOptions);
    wrongSettings = problems;
    areFeaturesOn = settings.languageFeatures === "on";
    const isOurs = agentqOf(params) !== undefined;
    if (!isOurs && canShow(params)) plain = plainFor(params);
    services = compose(client, {
      workspaceFolders: foldersOf(params),
      settings,
      ...(areFeaturesOn ? { languageClient: editorPort(connection, params, initialized.promise) } : {}),
    });
    syncDocuments(connection, services, prompts, () => plain?.editor.edited());
    prompts.listen(connection, services);
    const { decisions } = services;
    handlers = agentqHandlers(services, client);
    registerRequests(connection, handlers, {
      logBug,
      ready: () => warm,
      onRefused: (...refused) => decisions.refused(...refused),
    });
    // In an editor that can show nothing nobody would see the answer.
    const isShown = isOurs || plain !== undefined;
    const parts = { logBug, plain, takesEdits: () => client.announced().proposals };
    const actions = isShown ? new CodeActions(parts) : undefined;
    actions?.listen(connection, services, params);
    return advertised(initializeResult(version, prompts.capabilities(params)), actions, services);
  });
  async function advertised(
    own: InitializeResult,
    actions: CodeActions | undefined,
    serves: Services,
  ): Promise<InitializeResult> {
    const hears = [prompts, ...(actions === undefined ? [] : [actions])];
    const result = areFeaturesOn ? await withLanguageFeatures(connection, serves, { result: own, hears }, logBug) : own;
    if (actions === undefined) return result;
    return { ...result, capabilities: withCodeActions(result.capabilities, plain !== undefined) };
  }

  function plainFor(params: InitializeParams): Plain {
    const ofServer = (): RequestHandlers => {
      if (handlers === undefined) throw new Error("a plain editor asked before the server was composed");
      return handlers;
    };
    const pathOf = (uri: string): string => {
      const found = services?.paths.resolve(uri);
      return found?.ok === true ? found.path.relative : uri;
    };
    const wire = plainWire(connection, params, client.progress);
    const editor = new PlainEditor({ wire, handlers: ofServer, pathOf, logBug });
    return { editor, commands: new PlainCommands(editor, ofServer) };
  }

  connection.onInitialized(() => {
    initialized.resolve();
    if (services !== undefined) warm = services.warmUp();
    for (const message of wrongSettings) client.warn(message);
    // With language features the compiler registers its own watchers, which see more.
    if (setup !== undefined && !areFeaturesOn) watchFiles(connection, setup, logBug);
    if (setup !== undefined) prompts.register(connection, setup).catch(logBug);
    if (setup !== undefined && services !== undefined) followFolders(connection, setup, services);
  });
  connection.onShutdown(async () => {
    plain?.editor.dispose();
    await services?.dispose();
  });
  connection.listen();
}

function initializeResult(version: string, more: InitializeResult["capabilities"]): InitializeResult {
  return {
    serverInfo: { name: "agentq", version },
    capabilities: {
      ...more,
      positionEncoding: "utf-16",
      textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: { includeText: false } },
      workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      experimental: { agentq: { version: PROTOCOL_VERSION, methods: Object.keys(requestParams) } },
    },
  };
}

function syncDocuments(connection: Connection, services: Services, prompts: PromptDocuments, edited: () => void): void {
  const { documents, paths } = services;
  // No tool may read these, whoever holds them.
  const isClosed = (file: string | undefined): boolean =>
    file !== undefined && !SCRIPT.test(file) && paths.isClosed(file);
  const of = (document: { uri: string; languageId?: string }): Documents => prompts.of(documents, document);
  connection.onDidOpenTextDocument(({ textDocument }) => {
    if (!isClosed(toPath(textDocument.uri))) of(textDocument).open(textDocument);
  });
  connection.onDidChangeTextDocument(({ textDocument, contentChanges }) => {
    edited();
    of(textDocument).change(textDocument.uri, textDocument.version, contentChanges);
  });
  connection.onDidCloseTextDocument(({ textDocument }) => of(textDocument).close(textDocument.uri));
  connection.onDidSaveTextDocument(({ textDocument }) => {
    if (of(textDocument) !== documents) return;
    documents.saved(textDocument.uri);
    services.didChangeWatchedFiles([{ uri: textDocument.uri, type: 2 }]);
  });
  connection.onDidChangeWatchedFiles(({ changes }) => services.didChangeWatchedFiles(changes));
}

function watchFiles(connection: Connection, setup: InitializeParams, logBug: (error: unknown) => void): void {
  if (setup.capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration !== true) return;
  const globPattern = "**/{*.ts,*.tsx,*.mts,*.cts,*.js,*.jsx,*.mjs,*.cjs,tsconfig*.json,package.json}";
  connection.client.register(DidChangeWatchedFilesNotification.type, { watchers: [{ globPattern }] }).catch(logBug);
}

function followFolders(connection: Connection, setup: InitializeParams, services: Services): void {
  if (setup.capabilities.workspace?.workspaceFolders !== true) return;
  connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
    const gone = new Set(removed.map((folder) => toPath(folder.uri)));
    const kept = services.paths.folders().filter((folder) => !gone.has(folder));
    const come = added.map((folder) => toPath(folder.uri)).filter((path) => path !== undefined);
    services.setWorkspaceFolders([...kept, ...come]);
  });
}

function clientPort(
  connection: Connection,
  setup: () => InitializeParams | undefined,
  plain: () => Plain | undefined,
): ClientPort {
  const announced = (name: string): boolean => agentqOf(setup())?.[name] === true;
  const told = new ToldProposals();
  const shown = (text: string): string => shownIn(setup(), text);
  return {
    name: () => setup()?.clientInfo?.name.slice(0, LONGEST_NAME) ?? "the editor",
    announced: () => ({
      proposals:
        announced("proposals") || (plain() !== undefined && setup()?.capabilities.workspace?.applyEdit === true),
      approvals: announced("approvals") || plain() !== undefined,
      buffers: announced("buffers"),
    }),
    notify: (method, params) => {
      plain()?.editor.notify(method, params);
      // An editor that knows nothing of `agentq/*` would warn its user of each such notification.
      if (agentqOf(setup()) === undefined) return;
      const whole = { method, params } as SomeNotification;
      const sent = announced("hunkChanges") ? told.shortened(whole) : whole;
      // A client that hung up ends the process; there is nobody to tell about the failed message.
      connection.sendNotification(sent.method, sent.params).catch(() => undefined);
    },
    progress: (title) => {
      // Shows nothing where the client has no progress to show.
      const created = connection.window.createWorkDoneProgress().then((progress) => {
        progress.begin(shown(title));
        return progress;
      });
      created.catch(() => undefined);
      return {
        report: (message) => void created.then((progress) => progress.report(shown(message))).catch(() => undefined),
        end: () => void created.then((progress) => progress.done()).catch(() => undefined),
      };
    },
    showLong: createLongWork({
      canCreate: () => setup()?.capabilities.window?.workDoneProgress === true,
      create: (token) => connection.sendRequest("window/workDoneProgress/create", { token }),
      send: (token, value) => connection.sendNotification("$/progress", { token, value }),
    }),
    buffers: createEditorBuffers((method, params, token) => connection.sendRequest(method, params, token)),
    choose: createQuestions((params, token) => connection.sendRequest("window/showMessageRequest", params, token)),
    warn: (text) => {
      const message = shown(text);
      connection.sendNotification("window/showMessage", { type: MessageType.Warning, message }).catch(() => undefined);
    },
    log: (level, message) => connection.console[level === "warning" ? "warn" : level](shown(message)),
  };
}

/** What the client announced of `agentq/*`; undefined when it announced nothing. */
function agentqOf(setup: InitializeParams | undefined): Readonly<Record<string, unknown>> | undefined {
  const { agentq } = (setup?.capabilities.experimental ?? {}) as { agentq?: unknown };
  return typeof agentq === "object" && agentq !== null ? (agentq as Record<string, unknown>) : undefined;
}

function foldersOf(params: InitializeParams): string[] {
  const uris = params.workspaceFolders?.map((folder) => folder.uri) ?? [];
  // Older clients only send rootUri or rootPath.
  const fallback = params.rootUri ?? undefined;
  const folders = (uris.length > 0 || fallback === undefined ? uris : [fallback]).map(toPath);
  const found = folders.filter((folder) => folder !== undefined);
  return found.length === 0 && typeof params.rootPath === "string" ? [params.rootPath] : found;
}

function toPath(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
