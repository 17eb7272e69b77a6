/** The REPL: values at the line, a notebook, and the tests. */
import * as vscode from "vscode";
import type { Agentq } from "../server/agentq.ts";
import { EvaluationChanges } from "./changes.ts";
import { command, Evaluator, moduleOf } from "./evaluator.ts";
import { Inspector, valueHere, type ValueAt, type ValueNode } from "./inspector.ts";
import { interrupt } from "./interrupt.ts";
import { registerNotebooks } from "./notebook.ts";
import { linkLog } from "./log-links.ts";
import type { Place } from "./places.ts";
import { evaluateFile, evaluateForm, evaluateSelection } from "./selection.ts";
import { ReplState } from "./state.ts";
import { Tests } from "./tests.ts";
import { Values } from "./values.ts";

export function registerRepl(context: vscode.ExtensionContext, agentq: Agentq): void {
  const evaluator = new Evaluator(agentq);
  const values = new Values(() => evaluator.isAsked);
  const inspector = new Inspector(agentq, evaluator);
  const state = new ReplState(agentq, evaluator);
  const changes = new EvaluationChanges(agentq, evaluator);
  const parts = { agentq, evaluator, values };
  const inspect = async (at?: ValueAt): Promise<void> => {
    const editor = vscode.window.activeTextEditor;
    const value = at ?? valueHere(editor, moduleOf(editor?.document));
    if (value === undefined) throw new Error("Put the cursor on a name, or select an expression.");
    await inspector.open(at === undefined ? { ...value, process: evaluator.process } : value);
  };
  const openPlace = async (place: Place): Promise<void> => {
    const { uri, line, character } = evaluator.places.find(place);
    const at = new vscode.Position(line, character);
    await vscode.window.showTextDocument(vscode.Uri.parse(uri), { selection: new vscode.Range(at, at) });
  };
  context.subscriptions.push(
    evaluator,
    values,
    inspector,
    state,
    changes,
    new Tests(agentq),
    linkLog(),
    registerNotebooks(agentq, evaluator),
    command("agentq.evaluate", () => evaluateSelection(parts)),
    command("agentq.evaluateForm", () => evaluateForm(parts)),
    command("agentq.evaluateFile", () => evaluateFile(parts)),
    command("agentq.clearValues", () => values.clear()),
    command("agentq.interrupt", () => interrupt(agentq, evaluator)),
    command("agentq.restartRepl", () => state.restart()),
    command("agentq.lockRepl", () => state.lock()),
    command("agentq.chooseProcess", () => state.chooseProcess()),
    command("agentq.showRepl", () => evaluator.show()),
    command("agentq.evaluationChanges", () => changes.review()),
    command("agentq.inspectValue", inspect),
    command("agentq.openPlace", openPlace),
    command("agentq.valueMore", (node: ValueNode) => inspector.more(node)),
    command("agentq.valueRefresh", () => inspector.refresh()),
    command("agentq.valueClose", () => inspector.close()),
    command("agentq.callGetter", (node: ValueNode) => inspector.call(node)),
  );
}
