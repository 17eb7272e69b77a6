/** What fits at the cursor of a notebook's cell, as the live process knows it. */
import * as vscode from "vscode";
import { given } from "../../server/src/base/given.ts";
import type { Agentq } from "../server/agentq.ts";
import type { Evaluator } from "./evaluator.ts";
import { rangeOf } from "./selection.ts";

export function completeCells(agentq: Agentq, evaluator: Evaluator): vscode.Disposable {
  const provider: vscode.CompletionItemProvider = {
    provideCompletionItems: async (document, { line, character }, token) => {
      if (!agentq.isRunning) return undefined;
      const notebook = vscode.workspace.notebookDocuments.find((each) =>
        each.getCells().some((cell) => cell.document === document),
      );
      const module: unknown = notebook?.metadata["module"];
      const where = given({ process: evaluator.process, module: typeof module === "string" ? module : undefined });
      const asked = { code: document.getText(), position: { line, character }, ...where };
      const answer = await agentq.request("agentq/completeInRepl", asked, token);
      const items = answer.items.map((each) => {
        const { label, detail, sortText, insertText } = each;
        // VS Code counts kinds from 0, LSP from 1.
        const told = {
          kind: each.kind - 1,
          detail,
          sortText,
          range: rangeOf(answer.replace),
          ...given({ insertText }),
        };
        const item = Object.assign(new vscode.CompletionItem(label), told);
        item.additionalTextEdits = (each.additionalTextEdits ?? []).map(
          ({ range, newText }) => new vscode.TextEdit(rangeOf(range), newText),
        );
        return item;
      });
      return new vscode.CompletionList(items, answer.isIncomplete);
    },
  };
  return vscode.languages.registerCompletionItemProvider({ language: "agentq-form" }, provider, ".", "$", '"', "'");
}
