/** Evaluates parts of a file: the selection or line, the top-level form at the cursor, or every form of the file. */
import * as vscode from "vscode";
import type { Range } from "vscode-languageserver-protocol";
import type { EvalResult } from "../../server/src/protocol/repl-shapes.ts";
import type { Agentq } from "../server/agentq.ts";
import { moduleOf, type Evaluator } from "./evaluator.ts";
import type { Values } from "./values.ts";
import { failed } from "./shown-value.ts";

export interface Parts {
  readonly agentq: Agentq;
  readonly evaluator: Evaluator;
  readonly values: Values;
}

/** A stretch of a document, and whether it is declarations that take the place of the module's own. */
interface Stretch {
  readonly document: vscode.TextDocument;
  readonly range: vscode.Range;
  readonly install: boolean;
}

interface FoundForm {
  readonly range: vscode.Range;
  readonly declares: boolean;
}

const NO_FORM = "The file does not parse, or has nothing to evaluate. Select what you mean.";
const NOTHING = "There is nothing to evaluate here.";

/** The selection, else the line of the cursor. */
export async function evaluateSelection(parts: Parts): Promise<void> {
  const { document, selection } = activeEditor();
  const range = trimmed(document, selection.isEmpty ? document.lineAt(selection.active.line).range : selection);
  if (range === undefined) throw new Error(NOTHING);
  await evaluate(parts, { document, range, install: await declares(parts.agentq, document, range) });
}

export async function evaluateForm(parts: Parts): Promise<void> {
  const { document, selection } = activeEditor();
  if (moduleOf(document) === undefined) return evaluateSelection(parts);
  const form = await formAt(parts.agentq, document, selection.active);
  if (form === undefined) throw new Error(NO_FORM);
  await evaluate(parts, { document, range: form.range, install: form.declares });
}

/** One form after the other, until one fails. Imports are the module's own and not evaluated. */
export async function evaluateFile(parts: Parts): Promise<void> {
  const { document } = activeEditor();
  if (moduleOf(document) === undefined) throw new Error("Only a TypeScript or JavaScript file can be evaluated.");
  const version = document.version;
  const end = document.lineAt(document.lineCount - 1).range.end;
  let at = new vscode.Position(0, 0);
  while (at.isBefore(end) && document.version === version) {
    const form = await formAt(parts.agentq, document, at);
    if (form === undefined && at.line === 0) throw new Error(NO_FORM);
    if (form === undefined || !form.range.end.isAfter(at)) return;
    at = nextPlace(document, form.range.end);
    if (/^(?:import\b(?!\s*\()|export\s*[{*])/.test(document.getText(form.range))) continue;
    const result = await evaluate(parts, { document, range: form.range, install: form.declares });
    if (result === undefined || failed(result)) return;
  }
}

async function evaluate(parts: Parts, { document, range, install }: Stretch): Promise<EvalResult | undefined> {
  const put = parts.values.begin(document, { first: range.start.line, last: range.end.line });
  const { line, character } = range.start;
  const module = moduleOf(document);
  const process = parts.evaluator.process;
  try {
    const result = await parts.evaluator.evaluate({
      code: document.getText(range),
      module,
      install: install ? true : undefined,
      origin: document.uri.scheme === "file" ? { uri: document.uri.toString(), line, character } : undefined,
    });
    put({ result, process });
    return result;
  } catch (error) {
    put(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

/** Whether a stretch of a file is whole definitions, which can take the place of the module's own. */
async function declares(agentq: Agentq, document: vscode.TextDocument, stretch: vscode.Range): Promise<boolean> {
  if (moduleOf(document) === undefined) return false;
  let isFound = false;
  for (let at = stretch.start; at.isBefore(stretch.end);) {
    const form = await formAt(agentq, document, at);
    if (form === undefined || !form.range.end.isAfter(at)) return isFound && form !== undefined;
    if (!form.range.start.isBefore(stretch.end)) return isFound;
    if (!form.declares || !stretch.contains(form.range)) return false;
    isFound = true;
    at = nextPlace(document, form.range.end);
  }
  return isFound;
}

async function formAt(
  agentq: Agentq,
  document: vscode.TextDocument,
  { line, character }: vscode.Position,
): Promise<FoundForm | undefined> {
  const position = { line, character };
  const answer = await agentq.request("agentq/formAt", { uri: document.uri.toString(), position });
  return answer.range === null ? undefined : { range: rangeOf(answer.range), declares: answer.declares === true };
}

/** Where the next form can begin: behind blanks on the line, else on the next line. */
function nextPlace(document: vscode.TextDocument, at: vscode.Position): vscode.Position {
  const rest = document.lineAt(at.line).text.slice(at.character);
  const blank = /^[\s;]*/.exec(rest)?.[0].length ?? 0;
  return blank === rest.length || /^\/[/*]/.test(rest.slice(blank))
    ? new vscode.Position(at.line + 1, 0)
    : at.translate(0, blank);
}

/** Without the blanks around it; undefined where there is nothing else. */
function trimmed(document: vscode.TextDocument, range: vscode.Range): vscode.Range | undefined {
  const text = document.getText(range);
  const from = document.offsetAt(range.start) + text.length - text.trimStart().length;
  const to = document.offsetAt(range.end) - (text.length - text.trimEnd().length);
  return from >= to ? undefined : new vscode.Range(document.positionAt(from), document.positionAt(to));
}

export function rangeOf({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

function activeEditor(): vscode.TextEditor {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) throw new Error("No file is open to evaluate.");
  return editor;
}
