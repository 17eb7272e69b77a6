/** `initializationOptions.languageFeatures: "on"`: LSP's standard messages between the editor and the compiler. */
import { withSignal, withToken } from "../base/cancellation.ts";
import { RelayError, type LanguageRelay } from "../typescript/relay/language-relay.ts";
import type { EditorPort } from "../typescript/session/editor-port.ts";
import {
  ErrorCodes,
  LSPErrorCodes,
  ResponseError,
  type CancellationToken,
  type Connection,
  type InitializeParams,
  type InitializeResult,
} from "./connection.ts";
import type { Elsewhere } from "./prompt-documents.ts";
import type { Services } from "../services.ts";
import { given } from "../base/given.ts";
import { errorText } from "../base/errors.ts";

type Capabilities = InitializeResult["capabilities"];

/** A compiler that takes longer to say what it serves must not keep the editor from everything else. */
const START_LIMIT_MS = 10_000;

/** LSP's own requests, and the compiler's additions to them; nothing that opens other doors of the process. */
const LANGUAGE_REQUEST =
  /^(?:textDocument|workspace|completionItem|codeAction|codeLens|documentLink|inlayHint|callHierarchy|typeHierarchy|workspaceSymbol|custom\/textDocument)\//;
const LANGUAGE_NOTIFICATION = /^workspace\/did(?:ChangeConfiguration|CreateFiles|RenameFiles|DeleteFiles)$/;
const DIAGNOSTIC = "textDocument/diagnostic";
/** What the compiler reads, by its name or by its language. */
const SCRIPT_FILE = /\.[cm]?[jt]sx?$/;
const SCRIPT_LANGUAGES = new Set(["typescript", "typescriptreact", "javascript", "javascriptreact"]);
const PROGRESS_CANCEL = "window/workDoneProgress/cancel";

/** The editor as the compiler may speak to it. `ready` settles with the editor's `initialized`. */
export function editorPort(connection: Connection, params: InitializeParams, ready: Promise<void>): EditorPort {
  const { capabilities, initializationOptions, clientInfo, locale } = params;
  return {
    profile: {
      capabilities: { ...capabilities },
      ...(initializationOptions === undefined ? {} : { initializationOptions: initializationOptions as unknown }),
      ...given({ clientInfo, locale }),
    },
    ready,
    request: (method, request, signal) =>
      withToken(signal, (token) => connection.sendRequest<unknown>(method, request, token)),
    notify: (method, notification) => {
      connection.sendNotification(method, notification).catch(() => undefined);
    },
  };
}

/**
 * Starts the compiler, hands it every message that no handler of our own takes, and answers the capabilities of both:
 * text synchronization and workspace folders stay in our hands.
 */
export async function withLanguageFeatures(
  connection: Connection,
  services: Services,
  {
    result: own,
    hears,
  }: { readonly result: InitializeResult; readonly hears: readonly { elsewhere: Elsewhere | undefined }[] },
  logBug: (error: unknown) => void,
): Promise<InitializeResult> {
  try {
    const relay = await services.languageRelay();
    if (relay === undefined) return own;
    const ask: Elsewhere = async (method, params, token) =>
      isForeign(services.documents, params) ? nothingFor(method) : relayed(relay, method, params, token);
    relayMessages(connection, relay, ask);
    for (const each of hears) each.elsewhere = ask;
    const served = (await relay.capabilities(AbortSignal.timeout(START_LIMIT_MS))) as Capabilities;
    return { ...own, capabilities: merged(own.capabilities, served) };
  } catch (error) {
    const reason = errorText(error);
    logBug(new Error(`The TypeScript compiler serves no language features: ${reason}`));
    return own;
  }
}

function merged(own: Capabilities, served: Capabilities): Capabilities {
  return {
    ...served,
    ...own,
    ...(served.completionProvider === undefined ? {} : { completionProvider: served.completionProvider }),
    workspace: { ...served.workspace, ...own.workspace },
    experimental: { ...(served.experimental as object | undefined), ...(own.experimental as object | undefined) },
  };
}

/** Whether a request is about an open document that the compiler was not told of, such as a style sheet. */
function isForeign(documents: Services["documents"], params: unknown): boolean {
  const { textDocument } = (params ?? {}) as { readonly textDocument?: { readonly uri?: unknown } };
  const document = typeof textDocument?.uri === "string" ? documents.get(textDocument.uri) : undefined;
  return document !== undefined && !SCRIPT_FILE.test(document.uri) && !SCRIPT_LANGUAGES.has(document.languageId);
}

function nothingFor(method: string): unknown {
  return method === DIAGNOSTIC ? { kind: "full", items: [] } : null;
}

function relayMessages(connection: Connection, relay: LanguageRelay, ask: Elsewhere): void {
  connection.onRequest((method: string, params: unknown, token: CancellationToken) => {
    if (LANGUAGE_REQUEST.test(method)) return ask(method, params, token);
    return new ResponseError(ErrorCodes.MethodNotFound, `Unhandled method ${method}`);
  });
  connection.onNotification((method: string, params: unknown) => {
    if (LANGUAGE_NOTIFICATION.test(method)) relay.notify(method, params);
  });
  // vscode-languageserver keeps this notification for progress of our own, none of which can be cancelled.
  connection.onNotification(PROGRESS_CANCEL, (params: unknown) => relay.notify(PROGRESS_CANCEL, params));
}

/** The request reaches the compiler in the same turn of the event loop as it reached us: after every edit before it. */
async function relayed(
  relay: LanguageRelay,
  method: string,
  params: unknown,
  token: CancellationToken,
): Promise<unknown> {
  return withSignal(token, async (signal) => {
    try {
      return await relay.request(method, params, signal);
    } catch (error) {
      if (signal.aborted) return new ResponseError(LSPErrorCodes.RequestCancelled, `${method} was cancelled.`);
      return toResponseError(error);
    }
  });
}

function toResponseError(error: unknown): ResponseError<unknown> {
  const { code, message, data } = error as { code?: unknown; message: string; data?: unknown };
  if (error instanceof RelayError) return new ResponseError(error.code, message);
  return new ResponseError(typeof code === "number" ? code : ErrorCodes.InternalError, message, data);
}
