/** Proposals, decided hunk by hunk in the editor. */
import type * as vscode from "vscode";
import type { Agentq } from "../server/agentq.ts";

export function registerReviews(_context: vscode.ExtensionContext, _agentq: Agentq): void {}
