/**
 * One compiler process has one idea of what its client can do, and two kinds of readers: the editor, whose capabilities it
 * was told, and the agent's tools. Each gets the shapes it reads.
 */
import { memberAt } from "./editor-port.ts";
import { RawJson } from "../../base/raw-json.ts";
import type { LspRange } from "../places.ts";
import { given } from "../../base/given.ts";

interface LocationLink {
  readonly targetUri: string;
  readonly targetSelectionRange: LspRange;
}

interface SymbolTree {
  readonly name: string;
  readonly kind: number;
  readonly tags?: readonly number[];
  readonly deprecated?: boolean;
  readonly range: LspRange;
  readonly children?: readonly SymbolTree[];
}

interface DocumentChange {
  readonly textDocument: { readonly uri: string };
  readonly edits: readonly unknown[];
}

/** For the tools: locations instead of links, `changes` instead of versioned edits, whatever the editor announced. */
export function plainAnswer(answer: unknown): unknown {
  if (Array.isArray(answer))
    return answer.map((item: unknown) => (isLocationLink(item) ? toLocation(item) : plainEdit(item)));
  return isLocationLink(answer) ? toLocation(answer) : plainEdit(answer);
}

/** For the editor: takes back what the compiler was told only because the tools need it. */
export function answerForEditor(method: string, params: unknown, answer: unknown, capabilities: unknown): unknown {
  if (method === "textDocument/hover" && !prefersMarkdown(capabilities)) return plainTextHover(parsed(answer));
  const flat = memberAt(capabilities, "textDocument", "documentSymbol", "hierarchicalDocumentSymbolSupport") !== true;
  if (method !== "textDocument/documentSymbol" || !flat) return answer;
  const symbols = parsed(answer);
  if (!Array.isArray(symbols)) return symbols;
  return flattened(symbols as readonly SymbolTree[], memberAt(params, "textDocument", "uri"), undefined);
}

function parsed(answer: unknown): unknown {
  return answer instanceof RawJson ? answer.parse() : answer;
}

function isLocationLink(value: unknown): value is LocationLink {
  return memberAt(value, "targetUri") !== undefined;
}

function toLocation({ targetUri, targetSelectionRange }: LocationLink): { uri: string; range: LspRange } {
  return { uri: targetUri, range: targetSelectionRange };
}

/** A workspace edit, or a code action that holds one; edits that create or rename files stay as they are. */
function plainEdit(value: unknown): unknown {
  const edit = memberAt(value, "edit");
  if (edit !== undefined) return { ...(value as object), edit: plainEdit(edit) };
  const changes = memberAt(value, "documentChanges");
  if (!Array.isArray(changes) || !changes.every(isDocumentChange)) return value;
  const byUri: Record<string, unknown[]> = {};
  for (const { textDocument, edits } of changes) (byUri[textDocument.uri] ??= []).push(...edits);
  const { documentChanges: _replaced, ...rest } = value as Record<string, unknown>;
  return { ...rest, changes: byUri };
}

function isDocumentChange(value: unknown): value is DocumentChange {
  return memberAt(value, "kind") === undefined && Array.isArray(memberAt(value, "edits"));
}

function prefersMarkdown(capabilities: unknown): boolean {
  const formats = memberAt(capabilities, "textDocument", "hover", "contentFormat");
  return Array.isArray(formats) && formats[0] === "markdown";
}

function plainTextHover(answer: unknown): unknown {
  const value = memberAt(answer, "contents", "value");
  if (typeof value !== "string") return answer;
  // The lines of the fences go, what they hold stays.
  const plain = value.replaceAll(/^```.*\n?/gm, "").trimEnd();
  return { ...(answer as object), contents: { kind: "plaintext", value: plain } };
}

function flattened(symbols: readonly SymbolTree[], uri: unknown, containerName: string | undefined): object[] {
  return symbols.flatMap(({ name, kind, tags, deprecated, range, children }) => [
    {
      name,
      kind,
      ...given({ tags, containerName, deprecated }),
      location: { uri, range },
    },
    ...flattened(children ?? [], uri, name),
  ]);
}
