/** One notification about a question that nobody sees: the card in the chat alone takes the answer. */
import * as vscode from "vscode";
import type { Approval } from "../../server/src/protocol/tool-shapes.ts";
import { showHidden } from "../../server/src/workspace/hidden-characters.ts";

const SHOW = "Show";

export class Notice {
  #isShown = false;

  async show({ tool, question = `May the agent call ${tool}?` }: Approval): Promise<void> {
    if (this.#isShown) return;
    this.#isShown = true;
    const asked = showHidden(question).split("\n", 1)[0];
    const answer = await vscode.window.showInformationMessage(`Agent-Q asks: ${asked}`, SHOW);
    this.#isShown = false;
    if (answer === SHOW) await vscode.commands.executeCommand("agentq.chat.focus");
  }
}
