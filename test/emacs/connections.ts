/** The two clients for language servers that hold a connection to the server in Emacs. */
import { describe } from "vitest";
import { describeContract, describeEachEditor, type Editor } from "../support/editors.ts";

export type ConnectionKind = "eglot" | "lsp-mode";

/** An Emacs, and what holds its connection to the server: Eglot where nothing else is said. */
export interface Emacs extends Editor {
  readonly connection?: ConnectionKind;
}

/** Describes the same behaviour in each Emacs of `describeEachEditor` under Eglot and under lsp-mode. */
export function describeEachConnection(body: (emacs: Emacs) => void): void {
  describeEachEditor("emacs", (editor) => describeConnections(editor, body));
}

/** Describes what every Emacs must be able to do under Eglot and under lsp-mode; see `describeContract`. */
export function describeContractOfConnections(body: (emacs: Emacs) => void): void {
  describeContract("emacs", (editor) => describeConnections(editor, body));
}

function describeConnections(editor: Editor, body: (emacs: Emacs) => void): void {
  for (const connection of ["eglot", "lsp-mode"] as const) {
    describe(`under ${connection}`, () => {
      body({ ...editor, connection });
    });
  }
}

/** What Emacs evaluates first. Where libraries are it forgets when it is dumped. */
export function connectionSetup(connection: ConnectionKind = "eglot"): string {
  return connection === "eglot" ? "nil" : "(progn (setq load-path agentq-test-driver-load-path) (require 'lsp-mode))";
}
