/** The compiler's own edits as plain data: which files, which stretches, what instead. */
import type { View } from "../view.ts";
import type { LspRange } from "../places.ts";

export interface CompilerTextEdit {
  readonly range: LspRange;
  readonly newText: string;
}

export interface FileEdits {
  readonly file: string;
  readonly edits: readonly CompilerTextEdit[];
  /** True for a file that does not exist yet. */
  readonly creates: boolean;
}

/** What LSP requests answer with. Text edits only, unless the compiler also makes, moves or removes files. */
export interface LspWorkspaceEdit {
  readonly changes?: Readonly<Record<string, readonly CompilerTextEdit[]>>;
  readonly documentChanges?: readonly (LspTextDocumentEdit | LspFileOperation)[];
}

interface LspTextDocumentEdit {
  readonly textDocument: { readonly uri: string };
  readonly edits: readonly CompilerTextEdit[];
}

type LspFileOperation =
  | { readonly kind: "create"; readonly uri: string }
  | { readonly kind: "delete"; readonly uri: string }
  | { readonly kind: "rename"; readonly oldUri: string; readonly newUri: string };

/** An edit that cannot become a proposal, in a sentence for the reader. */
export class UnsupportedEdit extends Error {
  override readonly name = "UnsupportedEdit";
}

/** Sorted by file; edits keep their order, which is what tells insertions at one place apart. */
export function fileEditsOf(view: View, edit: LspWorkspaceEdit | null | undefined): FileEdits[] {
  const edits = new Map<string, CompilerTextEdit[]>();
  const created = new Set<string>();
  const add = (uri: string, more: readonly CompilerTextEdit[]): void => {
    const file = view.fileOf(uri);
    edits.set(file, [...(edits.get(file) ?? []), ...more]);
  };
  for (const [uri, more] of Object.entries(edit?.changes ?? {})) add(uri, more);
  for (const change of edit?.documentChanges ?? []) {
    if (!("kind" in change)) add(change.textDocument.uri, change.edits);
    else if (change.kind === "create") {
      created.add(view.fileOf(change.uri));
      add(change.uri, []);
    } else throw new UnsupportedEdit(refusal(view, change));
  }
  return [...edits]
    .map(([file, own]) => ({ file, edits: own, creates: created.has(file) }))
    .toSorted((a, b) => (a.file < b.file ? -1 : 1));
}

function refusal(view: View, change: Exclude<LspFileOperation, { readonly kind: "create" }>): string {
  const shown = (uri: string): string => view.paths.show(view.fileOf(uri));
  if (change.kind === "delete") return `The compiler's edit deletes ${shown(change.uri)}; a proposal cannot do that.`;
  return `The compiler's edit moves ${shown(change.oldUri)} to ${shown(change.newUri)}; a proposal cannot do that.`;
}
