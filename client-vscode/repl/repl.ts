/** The REPL: values at the line, a notebook, and the tests. */
import type * as vscode from "vscode";
import type { Agentq } from "../server/agentq.ts";

export function registerRepl(_context: vscode.ExtensionContext, _agentq: Agentq): void {}
