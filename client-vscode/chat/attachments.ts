/** What the person attached to what they write: the selected text, pictures and files. */
import * as vscode from "vscode";
import type { ContextRef } from "../../server/src/protocol/shapes.ts";
import type { Chip } from "./page-messages.ts";
import { selectedText } from "./place.ts";

/** Where pasted pictures lie: the server reads pictures of the workspace alone. */
const FOLDER = [".agentq", "pictures"];
const SELECTION = "selection";

export class Attachments {
  readonly #refs = new Map<string, ContextRef>();
  #selection = selectedText();
  /** What the person took off, or what has gone along: another selection goes along again. */
  #without = "";
  #count = 0;

  /** To be called when the selection has changed. */
  look(): void {
    this.#selection = selectedText();
    if (this.#selection !== undefined && this.#without !== JSON.stringify(this.#selection)) this.#without = "";
  }

  get chips(): Chip[] {
    const selection = this.#goesAlong();
    return [
      ...(selection === undefined ? [] : [{ id: SELECTION, label: selection.label, icon: "selection" as const }]),
      ...[...this.#refs].map(([id, ref]) => ({
        id,
        label: ref.label ?? nameOf(ref),
        icon: ref.kind === "image" ? ("picture" as const) : ("file" as const),
      })),
    ];
  }

  async remove(id: string): Promise<void> {
    if (id === SELECTION) this.#without = JSON.stringify(this.#selection);
    const { kind, uri = "" } = this.#refs.get(id) ?? {};
    this.#refs.delete(id);
    if (kind === "image" && uri.includes(`/${FOLDER.join("/")}/`))
      await vscode.workspace.fs.delete(vscode.Uri.parse(uri));
  }

  add(refs: readonly ContextRef[]): void {
    for (const ref of refs) {
      this.#count += 1;
      this.#refs.set(`c${this.#count}`, ref);
    }
  }

  /** All of it, which goes along with one message: the model keeps that. */
  take(): ContextRef[] {
    const selection = this.#goesAlong();
    const all = [...(selection === undefined ? [] : [selection]), ...this.#refs.values()];
    this.#refs.clear();
    if (selection !== undefined) this.#without = JSON.stringify(selection);
    return all;
  }

  /** A new conversation knows nothing of what went along with another one. */
  renew(): void {
    this.#without = "";
  }

  /** A picture from the clipboard becomes a file that git does not see. */
  async addPicture(name: string, base64: string): Promise<void> {
    const root = vscode.workspace.workspaceFolders?.[0]?.uri;
    if (root === undefined) throw new Error("Pictures need a folder that is open.");
    const folder = vscode.Uri.joinPath(root, ...FOLDER);
    await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder, ".gitignore"), Buffer.from("*\n"));
    const ending = /\.(?:png|jpe?g|gif|webp)$/i.exec(name)?.[0].toLowerCase() ?? ".png";
    const stamp = new Date().toISOString().replaceAll(/[:.]/g, "-");
    const uri = vscode.Uri.joinPath(folder, `${stamp}${ending}`);
    await vscode.workspace.fs.writeFile(uri, Buffer.from(base64, "base64"));
    this.add([{ kind: "image", uri: uri.toString(), label: name }]);
  }

  /** Files that were dropped. */
  addFiles(uris: readonly string[]): void {
    const inside = uris.filter((uri) => vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(uri)) !== undefined);
    this.add(
      inside.map((uri) => ({
        kind: /\.(?:png|jpe?g|gif|webp)$/i.test(uri) ? "image" : "file",
        uri,
        label: vscode.workspace.asRelativePath(vscode.Uri.parse(uri)),
      })),
    );
    if (inside.length < uris.length) throw new Error("Only files of the folders that are open can be attached.");
  }

  #goesAlong(): ReturnType<typeof selectedText> {
    return this.#without === "" ? this.#selection : undefined;
  }
}

function nameOf({ kind, uri, symbol }: ContextRef): string {
  return symbol ?? (uri === undefined ? kind : vscode.workspace.asRelativePath(vscode.Uri.parse(uri)));
}
