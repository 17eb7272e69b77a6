/** What the compiler offers to do to a file by itself: quick fixes for its problems, and the file's source actions. */
import { createHash } from "node:crypto";
import type { SourceFile } from "typescript/unstable/ast";
import { uriOf } from "../../workspace/file-uri.ts";
import { shortened } from "../../base/cut-text.ts";
import { indentationOf } from "./indentation.ts";
import { withImportsKept } from "./kept-imports.ts";
import type { View } from "../view.ts";
import type { LspRange } from "../places.ts";
import { fileEditsOf, UnsupportedEdit, type FileEdits, type LspWorkspaceEdit } from "./workspace-edit.ts";

export interface FileDiagnostic {
  readonly range: LspRange;
  /** 1 error, 2 warning, 3 information, 4 hint. */
  readonly severity: number;
  readonly code: number | string | undefined;
  readonly message: string;
}

export interface CodeAction {
  /**
   * A hash of the action's title, kind and edits, so that an id means the same action or, once the code changed, none.
   */
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly diagnostics: readonly FileDiagnostic[];
  readonly files: readonly FileEdits[];
  /** Why the action cannot be applied, when it is more than text edits. */
  readonly unsupported: string | undefined;
}

interface LspCodeAction {
  readonly title: string;
  readonly kind?: string;
  readonly diagnostics?: readonly FileDiagnostic[];
  readonly edit?: LspWorkspaceEdit;
}

const LONGEST_TEXT = 80;
const WHOLE_FILE: LspRange = { start: { line: 0, character: 0 }, end: { line: 2 ** 31 - 1, character: 0 } };

export async function diagnosticsOf(view: View, file: string): Promise<readonly FileDiagnostic[]> {
  const report = await view.request<{ items?: readonly FileDiagnostic[] } | null>("textDocument/diagnostic", {
    textDocument: { uri: uriOf(file) },
  });
  return report?.items ?? [];
}

/** Quick fixes for these problems. The compiler looks only at the problems it is handed. */
export async function quickFixes(
  view: View,
  file: string,
  diagnostics: readonly FileDiagnostic[],
): Promise<CodeAction[]> {
  if (diagnostics.length === 0) return [];
  return askFor(view, file, { diagnostics, only: ["quickfix"] });
}

/** `source.organizeImports`, `source.fixAll`, …; those that would change nothing are not among them. */
export async function sourceActions(
  view: View,
  file: string,
  kind: string,
  diagnostics: readonly FileDiagnostic[] = [],
): Promise<CodeAction[]> {
  return askFor(view, file, { diagnostics, only: [kind] });
}

async function askFor(view: View, file: string, context: object): Promise<CodeAction[]> {
  const ask = (): Promise<readonly LspCodeAction[] | null> =>
    view.request("textDocument/codeAction", { textDocument: { uri: uriOf(file) }, range: WHOLE_FILE, context });
  const indentation = indentationOf(view, file);
  const found = indentation === undefined ? await ask() : await view.state.native.indented(indentation, ask);
  const source = (await view.source(file))?.source;
  const actions = (found ?? []).map((action) => keepingImports(actionOf(view, action), file, source));
  const offered = actions.filter(({ files, unsupported }) => files.length > 0 || unsupported !== undefined);
  return toldApart([...new Map(offered.map((action) => [action.id, action])).values()]);
}

/** `Add import from "./a"` may be an `import` or an `import type`: of actions with one title the text tells which is which. */
function toldApart(actions: readonly CodeAction[]): CodeAction[] {
  const byTitle = Map.groupBy(actions, ({ title }) => title);
  return actions.map((action) => {
    const alike = byTitle.get(action.title) ?? [];
    const [own = "", ...others] = [action, ...alike.filter((each) => each !== action)].map(textOf);
    return others.length === 0 || others.includes(own) ? action : { ...action, title: `${action.title}: ${own}` };
  });
}

/** What the action writes, on one line. */
function textOf({ files }: CodeAction): string {
  const written = files.flatMap(({ edits }) => edits.map(({ newText }) => newText.trim()));
  return shortened(written.join(" … ").replaceAll(/\s+/g, " "), LONGEST_TEXT);
}

function keepingImports(action: CodeAction, file: string, source: SourceFile | undefined): CodeAction {
  if (source === undefined || !/imports/i.test(action.kind)) return action;
  const files = action.files.map((each) =>
    each.file === file ? { ...each, edits: withImportsKept(source, each.edits) } : each,
  );
  return { ...action, files };
}

function actionOf(view: View, { title, kind = "", diagnostics = [], edit }: LspCodeAction): CodeAction {
  try {
    const files = fileEditsOf(view, edit).filter(({ edits, creates }) => creates || edits.length > 0);
    const shown = files.map((each) => [view.paths.show(each.file), each.edits]);
    return { id: idOf([title, kind, shown]), title, kind, diagnostics, files, unsupported: undefined };
  } catch (error) {
    if (!(error instanceof UnsupportedEdit)) throw error;
    const { message } = error;
    return { id: idOf([title, kind, message]), title, kind, diagnostics, files: [], unsupported: message };
  }
}

function idOf(facts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 6);
}
