/** Agent-Q in VS Code: the rooms of the extension, and the server that they speak with. */
import * as vscode from "vscode";
import { registerChat } from "./chat/chat.ts";
import { registerRepl } from "./repl/repl.ts";
import { registerReviews } from "./review/reviews.ts";
import { Agentq, tell } from "./server/agentq.ts";
import { ServerProcess } from "./server/process.ts";

let server: ServerProcess | undefined;

/** The commands are there before the server: each says by itself what it lacks. */
export function activate(context: vscode.ExtensionContext): void {
  const agentq = new Agentq();
  const process = new ServerProcess(agentq, context.secrets);
  server = process;
  const commands: Readonly<Record<string, () => Promise<unknown> | void>> = {
    "agentq.start": () => process.start(),
    "agentq.restartServer": () => process.restart(),
    "agentq.chooseCommand": () => process.chooseCommand(),
    "agentq.setKey": () => process.setKey(),
    "agentq.showLog": () => process.showLog(),
    "agentq.walkthrough": async () => {
      await vscode.commands.executeCommand("workbench.action.openWalkthrough", `${context.extension.id}#agentq.start`);
    },
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, () => tell(run())));
  }
  registerReviews(context, agentq);
  registerChat(context, agentq);
  registerRepl(context, agentq);
  const isRunning = (): void => void vscode.commands.executeCommand("setContext", "agentq.isRunning", agentq.isRunning);
  context.subscriptions.push(
    agentq,
    agentq.onDidStart(isRunning),
    agentq.onDidStop(isRunning),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("agentq.command") || change.affectsConfiguration("agentq.settings"))
        void process.restart();
    }),
  );
  void process.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
