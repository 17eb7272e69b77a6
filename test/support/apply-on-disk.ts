/** Carries out what `agentq/decide` answers, as a client without buffers would: on the files themselves. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { TextEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";

export function applyOnDisk(edit: WorkspaceEdit | null): void {
  for (const change of edit?.documentChanges ?? []) {
    if (!("kind" in change)) {
      const file = fileURLToPath(change.textDocument.uri);
      const now = existsSync(file) ? readFileSync(file, "utf8") : "";
      const document = TextDocument.create(change.textDocument.uri, "typescript", 0, now);
      writeFileSync(file, TextDocument.applyEdits(document, change.edits as TextEdit[]));
    } else if (change.kind === "delete") rmSync(fileURLToPath(change.uri));
    else if (change.kind === "rename") {
      mkdirSync(path.dirname(fileURLToPath(change.newUri)), { recursive: true });
      renameSync(fileURLToPath(change.oldUri), fileURLToPath(change.newUri));
    } else mkdirSync(path.dirname(fileURLToPath(change.uri)), { recursive: true });
  }
}
