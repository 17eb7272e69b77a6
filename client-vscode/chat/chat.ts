/** The chat in the side bar. */
import type * as vscode from "vscode";
import type { Agentq } from "../server/agentq.ts";

export function registerChat(_context: vscode.ExtensionContext, _agentq: Agentq): void {}
