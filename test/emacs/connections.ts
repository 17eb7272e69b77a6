/** The two clients for language servers that hold a connection to the server in Emacs. */
import { describe } from "vitest";
import { describeEachEditor, type Editor } from "../support/editors.ts";

export type ConnectionKind = "eglot" | "lsp-mode";

/** Describes the same behaviour in each Emacs of `describeEachEditor` under Eglot and under lsp-mode. */
export function describeEachConnection(body: (editor: Editor, connection: ConnectionKind) => void): void {
  describeEachEditor("emacs", (editor) => {
    for (const connection of ["eglot", "lsp-mode"] as const) {
      describe(`under ${connection}`, () => {
        body(editor, connection);
      });
    }
  });
}

/** What Emacs evaluates first. Without lsp-mode being loaded nothing has to be set for Eglot. */
export function connectionSetup(connection: ConnectionKind = "eglot"): string {
  return connection === "eglot"
    ? "nil"
    : "(progn (setq load-path agentq-test-driver-load-path agentq-connection nil) (require 'lsp-mode))";
}
