/** The documents in which prompts are written: completion there, and nothing that tools or the compiler would see. */
import type { CompletionList, TextDocumentIdentifier } from "vscode-languageserver-protocol";
import { withSignal } from "../base/cancellation.ts";
import { Documents } from "../workspace/documents.ts";
import type { CancellationToken, Connection, InitializeParams, InitializeResult } from "./connection.ts";
import type { Services } from "../services.ts";

type Capabilities = InitializeResult["capabilities"];

/** Who serves a request about any other document: the compiler, where it serves the editor. */
export type Elsewhere = (method: string, params: unknown, token: CancellationToken) => Promise<unknown>;

const LANGUAGE = "agentq-message";
const SCHEME = "agentq:";
const COMPLETION = "textDocument/completion";
const TRIGGERS: readonly string[] = ["@", "#", "$", "/"];

export class PromptDocuments {
  readonly #documents = new Documents();
  /** Set once the compiler serves the editor. */
  elsewhere: Elsewhere | undefined;

  /** The documents to which one belongs: those of prompts, or the others. */
  of(others: Documents, document: { readonly uri: string; readonly languageId?: string }): Documents {
    const { uri, languageId } = document;
    const isPrompt = languageId === LANGUAGE || uri.startsWith(SCHEME) || this.#documents.get(uri) !== undefined;
    return isPrompt ? this.#documents : others;
  }

  listen(connection: Connection, { prompts }: Pick<Services, "prompts">): void {
    connection.onRequest(COMPLETION, async (params: CompletionParams, token: CancellationToken): Promise<unknown> => {
      const document = this.#documents.get(params.textDocument.uri);
      if (document === undefined) return (await this.elsewhere?.(COMPLETION, params, token)) ?? null;
      const complete = (signal: AbortSignal): Promise<CompletionList> =>
        prompts.complete(document.text, params.position, signal);
      return withSignal(token, complete);
    });
  }

  /** What is advertised at once: to a client that can be told later, nothing is. */
  capabilities({ capabilities }: InitializeParams): Pick<Capabilities, "completionProvider"> {
    const isLater = capabilities.textDocument?.completion?.dynamicRegistration === true;
    return isLater ? {} : { completionProvider: { triggerCharacters: [...TRIGGERS] } };
  }

  /** Tells a client that takes it for which documents there is completion. Rejects where the client refuses. */
  async register(connection: Connection, { capabilities }: InitializeParams): Promise<void> {
    if (capabilities.textDocument?.completion?.dynamicRegistration !== true) return;
    const documentSelector = [{ language: LANGUAGE }, { scheme: SCHEME.slice(0, -1) }];
    const registerOptions = { documentSelector, triggerCharacters: TRIGGERS };
    const registrations = [{ id: "agentq-prompts", method: COMPLETION, registerOptions }];
    await connection.sendRequest("client/registerCapability", { registrations });
  }
}

interface CompletionParams {
  readonly textDocument: TextDocumentIdentifier;
  readonly position: { readonly line: number; readonly character: number };
}
