/** What the person attached to a prompt, as text for the model. */
import { headOf } from "../protocol/cut-text.ts";
import { fenced as fence } from "../protocol/fenced.ts";
import { InvalidParamsError } from "../protocol/errors.ts";
import type { ContextRef, ToolResult } from "../protocol/shapes.ts";
import { plainLine } from "../surroundings/plain-text.ts";
import { showHidden } from "../workspace/hidden-characters.ts";

/** About 5,000 tokens. */
const MAX_ITEM = 20_000;

export interface ContextPorts {
  /** The current text of a document, or in a sentence why it cannot or must not be read. Contract: never rejects. */
  readonly readForContext: (uri: string) => Promise<ContextDocument | { readonly reason: string }>;
  /** What a tool that only looks answers. Contract: never rejects. */
  readonly look: (tool: string, args: Readonly<Record<string, unknown>>) => Promise<ToolResult>;
}

export interface ContextDocument {
  readonly path: string;
  readonly text: string;
  /** Open in the editor with a text that the disk does not hold. */
  readonly isUnsaved: boolean;
}

export interface PromptText {
  readonly forModel: string;
  /** The attachments that could not be read, as sentences for the person; the model reads them too. */
  readonly missing: readonly string[];
}

export async function promptText(
  text: string,
  context: readonly ContextRef[],
  ports: ContextPorts,
): Promise<PromptText> {
  if (context.length === 0) return { forModel: text, missing: [] };
  const parts: string[] = [];
  const missing: string[] = [];
  for (const [index, ref] of context.entries()) {
    const item = await itemText(ref, index, ports);
    if ("missing" in item) missing.push(item.missing);
    parts.push("missing" in item ? plainLine(item.missing, MAX_ITEM) : item.text);
  }
  return { forModel: `## Context\n\n${parts.join("\n\n")}\n\n## Request\n\n${text}`, missing };
}

type Item = { readonly text: string } | { readonly missing: string };

async function itemText(ref: ContextRef, index: number, ports: ContextPorts): Promise<Item> {
  const { kind, uri, text } = ref;
  // What the client wrote out itself needs no looking up.
  if (text !== undefined) return { text: cutAndFenced(ref.label ?? ref.symbol ?? uri ?? kind, text) };
  switch (kind) {
    case "file":
    case "buffer":
    case "selection":
      return documentText(ref, required(uri, "uri", ref, index), ports);
    case "diagnostics": {
      const document = await ports.readForContext(required(uri, "uri", ref, index));
      if ("reason" in document) return { missing: `${kind} could not be read: ${document.reason}` };
      return looked(`diagnostics of ${document.path}`, await ports.look("get_diagnostics", { path: document.path }));
    }
    case "symbol": {
      const symbol = required(ref.symbol ?? ref.label, "symbol", ref, index);
      const document = uri === undefined ? undefined : await ports.readForContext(uri);
      const place = document === undefined || "reason" in document ? {} : { path: document.path };
      return looked(`symbol ${symbol}`, await ports.look("describe_symbol", { symbol, ...place }));
    }
    case "replValue": {
      const value = required(ref.symbol ?? ref.label, "symbol", ref, index);
      return looked(`REPL value ${value}`, await ports.look("inspect_object", { value }));
    }
    case "text":
      return { text: cutAndFenced(ref.label ?? kind, required(text, "text", ref, index)) };
    default:
      return kind satisfies never;
  }
}

function required(value: string | undefined, name: string, { kind }: ContextRef, index: number): string {
  if (value !== undefined && value !== "") return value;
  const expected = `a string: context of kind ${kind} needs it`;
  throw new InvalidParamsError([{ path: `/context/${index}/${name}`, expected, received: undefined }]);
}

function looked(what: string, result: ToolResult): Item {
  if (!result.success) return { missing: `${what} could not be read: ${result.error ?? "no reason given"}` };
  return { text: cutAndFenced(what, result.content) };
}

async function documentText({ kind, label, range }: ContextRef, uri: string, ports: ContextPorts): Promise<Item> {
  const document = await ports.readForContext(uri);
  if ("reason" in document)
    return { missing: `${kind} ${label === undefined ? "" : `${label} `}could not be had: ${document.reason}` };
  const lines = document.text.split("\n");
  if (range === undefined) return { text: numberedPart(document, lines, 0, lines.length) };
  const { start, end } = range;
  // A range that ends before a line's first character does not reach into that line.
  const past = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  if (start.line >= lines.length) {
    return { missing: `${kind} ${document.path}:${start.line + 1} could not be read: it has ${lines.length} lines` };
  }
  return { text: numberedPart(document, lines, start.line, Math.min(past, lines.length)) };
}

/** Lines from `first` (counted from 0) up to `past`, whole ones as far as there is room, under a label that names them. */
function numberedPart(document: ContextDocument, lines: readonly string[], first: number, past: number): string {
  const { path, isUnsaved } = document;
  const unsaved = isUnsaved ? " (not saved)" : "";
  let room = MAX_ITEM;
  let end = first;
  while (end < past && (room -= (lines[end]?.length ?? 0) + 1) >= 0) end += 1;
  const shown = lines.slice(first, end).join("\n");
  const isWhole = first === 0 && past === lines.length;
  if (end === past) return fenced(`${isWhole ? path : `${path}:${span(first, past)}`}${unsaved}`, shown);
  if (end === first) {
    const cut = headOf(lines[first] ?? "", MAX_ITEM);
    return fenced(
      `${path}:${first + 1}${unsaved} (cut: only the first ${MAX_ITEM} characters of the line are here)`,
      cut,
    );
  }
  const rest = `cut: lines ${span(first, end)} of ${lines.length} are here; read_file shows lines ${span(end, past)}`;
  return fenced(`${path}${unsaved} (${rest})`, shown);
}

function span(first: number, past: number): string {
  return past - first === 1 ? `${first + 1}` : `${first + 1}-${past}`;
}

function cutAndFenced(label: string, text: string): string {
  if (text.length <= MAX_ITEM) return fenced(label, text);
  return fenced(`${label} (cut: the first ${MAX_ITEM} of ${text.length} characters)`, headOf(text, MAX_ITEM));
}

/** What the person does not see in what they attach is written out for the model. */
function fenced(label: string, text: string): string {
  return fence(showHidden(label), showHidden(text));
}
