/** The compiler writes imports anew that it only sorts: each keeps the text that it had. */
import { isImportDeclaration } from "typescript/unstable/ast";
import type { SourceFile } from "typescript/unstable/ast";
import type { CompilerTextEdit } from "./workspace-edit.ts";

const IMPORT = /^import\b[^]*?["'][^"'\n]*["'](?:\s*with\s*\{[^}]*\})?[ \t]*;?/gm;

/** The edits with imports as they were written, where the compiler's differ in white space and punctuation alone. */
export function withImportsKept(source: SourceFile, edits: readonly CompilerTextEdit[]): CompilerTextEdit[] {
  const written = new Map<string, string>();
  for (const statement of source.statements) {
    if (isImportDeclaration(statement)) {
      const text = statement.getText(source);
      written.set(bare(text), text);
    }
  }
  return edits.map((edit) => ({
    ...edit,
    newText: edit.newText.replaceAll(IMPORT, (text) => written.get(bare(text)) ?? text),
  }));
}

function bare(text: string): string {
  return text.replaceAll(/\s+|;$/g, "").replaceAll(",}", "}");
}
