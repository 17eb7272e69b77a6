/** The two clients for language servers that hold a connection to the server in Emacs. */
import type { Editor } from "../support/editors.ts";

export type ConnectionKind = "eglot" | "lsp-mode";

/** An Emacs, and what holds its connection to the server: Eglot where nothing else is said. */
export interface Emacs extends Editor {
  readonly connection?: ConnectionKind;
}

/** What Emacs evaluates first. Where libraries are it forgets when it is dumped. */
export function connectionSetup(connection: ConnectionKind = "eglot"): string {
  return connection === "eglot" ? "nil" : "(progn (setq load-path agentq-test-driver-load-path) (require 'lsp-mode))";
}
