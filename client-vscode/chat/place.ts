/** Where the person is in the editor, and what goes along with what they say. */
import * as vscode from "vscode";
import type { ContextRef } from "../../server/src/protocol/shapes.ts";
import type { RequestParams } from "../../server/src/protocol/methods.ts";

type Active = NonNullable<RequestParams<"agentq/prompt">["active"]>;

const MOST_DIAGNOSTICS = 20;

/** The file of the workspace in which the person is; undefined elsewhere. */
function fileEditor(): vscode.TextEditor | undefined {
  const editor = vscode.window.activeTextEditor;
  const uri = editor?.document.uri;
  return uri?.scheme === "file" && vscode.workspace.getWorkspaceFolder(uri) !== undefined ? editor : undefined;
}

/** For the model: the file, the cursor or the selection, the lines on the screen, the errors and warnings. */
export function activePlace(): { readonly active?: Active } {
  const editor = fileEditor();
  if (editor === undefined) return {};
  const { document, selection, visibleRanges } = editor;
  const [first, last] = [visibleRanges[0], visibleRanges.at(-1)];
  const diagnostics = diagnosticsOf(document.uri, selection.active.line);
  return {
    active: {
      uri: document.uri.toString(),
      range: plain(selection),
      ...(first === undefined || last === undefined ? {} : { visible: plain(new vscode.Range(first.start, last.end)) }),
      ...(diagnostics.length === 0 ? {} : { diagnostics }),
    },
  };
}

/** What is selected in the editor, by the name under which people know the place. */
export function selectedText(): (ContextRef & { readonly label: string }) | undefined {
  const editor = fileEditor();
  if (editor === undefined || editor.selection.isEmpty) return undefined;
  const { document, selection } = editor;
  const { start, end } = selection;
  // A selection that ends before a line's first character does not reach into that line.
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  const lines = last > start.line + 1 ? `${start.line + 1}-${last}` : `${last}`;
  const label = `${vscode.workspace.asRelativePath(document.uri)}:${lines}`;
  return { kind: "selection", uri: document.uri.toString(), range: plain(selection), label };
}

/** The worst first, of those the nearest. */
function diagnosticsOf(uri: vscode.Uri, line: number): NonNullable<Active["diagnostics"]> {
  return vscode.languages
    .getDiagnostics(uri)
    .filter(({ severity }) => severity <= vscode.DiagnosticSeverity.Warning)
    .toSorted(
      (one, other) =>
        one.severity - other.severity ||
        Math.abs(one.range.start.line - line) - Math.abs(other.range.start.line - line),
    )
    .slice(0, MOST_DIAGNOSTICS)
    .map(({ range, severity, message, source }) => ({
      range: plain(range),
      severity: severity === vscode.DiagnosticSeverity.Error ? 1 : 2,
      message,
      ...(source === undefined ? {} : { source }),
    }));
}

function plain({ start, end }: vscode.Range): Active["range"] & {} {
  return {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
}
