/** A person who reviews proposals, as an editor's client does: for measures of what a review waits for. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { TextEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import type { Check, DecideResult, HunkDecision, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import type { LspClient } from "./lsp-client.ts";

const LIMIT_MS = 60_000;

export class Reviewer {
  readonly #client: LspClient;
  readonly #proposals = new Map<string, Proposal>();
  #wake: () => void = () => undefined;

  constructor(client: LspClient) {
    this.#client = client;
    for (const method of ["agentq/proposal", "agentq/proposalChanged"]) {
      client.onNotification(method, (params) => {
        const proposal = params as Proposal;
        this.#proposals.set(proposal.proposalId, proposal);
        this.#wake();
      });
    }
  }

  /** Calls a tool that proposes; answers the proposal once the compiler has judged all of it. */
  async propose(name: string, args: object): Promise<Proposal> {
    const known = new Set(this.#proposals.keys());
    const failed = Promise.withResolvers<never>();
    this.#client.request<{ readonly content: string }>("agentq/callTool", { name, arguments: args }).then(
      ({ content }) => failed.reject(new Error(`the tool answered before anybody decided: ${content}`)),
      () => undefined,
    );
    failed.promise.catch(() => undefined);
    return this.#when(failed.promise, () =>
      [...this.#proposals.values()].find(
        ({ proposalId, check }) => !known.has(proposalId) && check.state !== "running",
      ),
    );
  }

  check({ proposalId }: Proposal, hunks: readonly HunkDecision[]): Promise<Check> {
    return this.#client.request<Check>("agentq/checkSubset", { proposalId, hunks });
  }

  /** Decides, and writes the edit to the files, none of which is open. */
  async decide({ proposalId }: Proposal, hunks: readonly HunkDecision[]): Promise<void> {
    const { edit } = await this.#client.request<DecideResult>("agentq/decide", { proposalId, hunks });
    if (edit === null) return;
    const changes = write(edit).map((uri) => ({ uri, type: 2 }));
    await this.#client.notify("workspace/didChangeWatchedFiles", { changes });
    await this.#client.request("agentq/didApply", { proposalId, documents: [] });
  }

  async #when<Value>(failed: Promise<never>, look: () => Value | undefined): Promise<Value> {
    const deadline = performance.now() + LIMIT_MS;
    for (;;) {
      const value = look();
      if (value !== undefined) return value;
      if (performance.now() > deadline) throw new Error(`no proposal within ${LIMIT_MS / 1_000} s`);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await Promise.race([promise, failed]);
    }
  }
}

function write({ documentChanges = [] }: WorkspaceEdit): string[] {
  return documentChanges.flatMap((change) => {
    if ("kind" in change) return [];
    const { uri } = change.textDocument;
    const file = fileURLToPath(uri);
    const document = TextDocument.create(uri, "typescript", 1, readFileSync(file, "utf8"));
    writeFileSync(file, TextDocument.applyEdits(document, change.edits as TextEdit[]));
    return uri;
  });
}
