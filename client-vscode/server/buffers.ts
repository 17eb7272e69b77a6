/**
 * What the server asks of VS Code's documents: those that text sync does not carry are named and read, and those that the
 * disk has otherwise are read again. VS Code lets no extension read a terminal.
 */
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import * as vscode from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import type {
  ClientRequestMethod,
  ClientRequestParams,
  ClientRequestResults,
} from "../../server/src/protocol/buffer-methods.ts";
import type { BufferText, EditorBuffer } from "../../server/src/protocol/buffer-shapes.ts";
import { withoutByteOrderMark } from "../../server/src/workspace/utf8-text.ts";

/** Documents of other kinds belong to VS Code itself or to an extension, as sides of a diff and settings do. */
const SHOWN = new Set(["file", "untitled", "output", "vscode-notebook-cell"]);
/** VS Code reads a changed file again by itself, a moment after the change. */
const FOLLOWS_WITHIN_MS = 2_000;
const LOOK_AGAIN_MS = 20;
const MAX_LINE = 5_000;

type Answers = {
  readonly [Method in ClientRequestMethod]: (
    params: ClientRequestParams<Method>,
  ) => ClientRequestResults[Method] | Promise<ClientRequestResults[Method]>;
};

const answers: Answers = {
  "agentq/listBuffers": () => ({ buffers: shown().map(describe) }),
  "agentq/readBuffer": ({ id, start, end }) => read(id, start, end),
  "agentq/reloadBuffers": async ({ uris }) => {
    await Promise.all(uris.map(follow));
    return { reloaded: true };
  },
};

export function answerBuffers(client: BaseLanguageClient): void {
  for (const [method, answer] of Object.entries(answers)) {
    client.onRequest(method, async (params: never): Promise<unknown> => await answer(params));
  }
}

function shown(): vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter(({ uri, isClosed }) => !isClosed && SHOWN.has(uri.scheme));
}

function describe(document: vscode.TextDocument): EditorBuffer {
  const { uri, languageId, lineCount, isDirty } = document;
  const editors = vscode.window.visibleTextEditors.map((editor) => editor.document);
  return {
    id: uri.toString(),
    name: uri.scheme === "file" ? uri.fsPath : uri.path,
    kind: languageId,
    ...fileOf(uri),
    lines: lineCount,
    modified: isDirty,
    isCurrent: vscode.window.activeTextEditor?.document === document,
    isVisible: editors.includes(document),
  };
}

/** The file that a document shows or would write: also that of one without a file yet, and that of a notebook's cell. */
function fileOf(uri: vscode.Uri): { uri?: string } {
  const hasFile = uri.scheme !== "output" && uri.path.startsWith("/");
  return hasFile ? { uri: uri.with({ scheme: "file", fragment: "" }).toString() } : {};
}

function read(id: string, start: number, end: number): BufferText {
  const document = shown().find(({ uri }) => uri.toString() === id);
  if (document === undefined) throw new Error("There is no such document.");
  const last = Math.min(end, document.lineCount);
  const lines = Array.from({ length: Math.max(0, last - start) }, (_, at) => document.lineAt(start + at).text);
  const cut = lines.map((line) => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line));
  return { buffer: describe(document), version: document.version, lines: cut };
}

/** A document that the person has edited stays what it is. */
async function follow(uri: string): Promise<void> {
  const wanted = vscode.Uri.parse(uri).toString();
  const document = vscode.workspace.textDocuments.find((each) => each.uri.toString() === wanted);
  if (document === undefined) return;
  const until = Date.now() + FOLLOWS_WITHIN_MS;
  while (!document.isDirty && Date.now() < until) {
    const disk = await readFile(document.uri.fsPath, "utf8").catch(() => undefined);
    if (disk === undefined || isSame(document, disk)) return;
    await pause(LOOK_AGAIN_MS);
  }
}

function isSame(document: vscode.TextDocument, disk: string): boolean {
  return plain(document.getText()) === plain(disk);
}

function plain(text: string): string {
  return withoutByteOrderMark(text).replaceAll("\r\n", "\n");
}
