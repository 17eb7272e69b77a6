/** Links in the log of the REPL: places in files, and the handles of values. */
import * as vscode from "vscode";

export const LOG_LANGUAGE = "agentq-repl-log";

const PLACE = /([^\s():"'`<>]+\.\w+):(\d+):(\d+)/g;
/** `api │ $7 = …` is of a program. */
const HANDLE = /^(?:(\S+) │ )?(\$\d+) = /gm;

export function linkLog(): vscode.Disposable {
  return vscode.languages.registerDocumentLinkProvider({ language: LOG_LANGUAGE }, { provideDocumentLinks: linksIn });
}

function linksIn(document: vscode.TextDocument): vscode.DocumentLink[] {
  const text = document.getText();
  const link = (from: number, length: number, target: vscode.Uri): vscode.DocumentLink =>
    new vscode.DocumentLink(new vscode.Range(document.positionAt(from), document.positionAt(from + length)), target);
  const places = [...text.matchAll(PLACE)].flatMap(({ 0: whole, 1: path = "", 2: line, 3: character, index }) => {
    const target = fileAt(path)?.with({ fragment: `L${line},${character}` });
    return target === undefined ? [] : [link(index, whole.length, target)];
  });
  const values = [...text.matchAll(HANDLE)].map(({ 0: whole, 1: process, 2: value = "", index }) => {
    const query = JSON.stringify([{ value, process }]);
    const target = vscode.Uri.from({ scheme: "command", path: "agentq.inspectValue", query });
    return link(index + whole.indexOf(value, (process ?? "").length), value.length, target);
  });
  return [...places, ...values];
}

function fileAt(path: string): vscode.Uri | undefined {
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return vscode.Uri.file(path);
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  return folder === undefined ? undefined : vscode.Uri.joinPath(folder.uri, path);
}
