/** Names and members that fit at a place of a form, from the values of the running image. Completion runs nothing. */
import { TextDocument } from "vscode-languageserver-textdocument";
import type { CompletionAnswer, ReplCompletion } from "../../protocol/repl-shapes.ts";
import type { EmitOptions } from "../source/compiler-options.ts";
import { completionContext, type CompletionContext } from "./completion-context.ts";
import type { CompleteRequest } from "../image.ts";
import { given } from "../../base/given.ts";
import type { RawName } from "../child/wire/inquiry.ts";
import type { Inquiries } from "./inquiry-client.ts";
import { rootOf, type ModuleScope } from "./root-expression.ts";

export interface CompletionParts {
  /** Undefined while the image does not run: then only the globals that every program has are offered. */
  readonly ask: Inquiries["ask"] | undefined;
  readonly emit: () => EmitOptions;
  readonly scopeOf: (file: string) => ModuleScope | undefined;
  /** The names that the session's forms declared, for when the image cannot answer. */
  readonly declared: () => Iterable<string>;
}

const MAX_ITEMS = 300;
const PATIENCE_MS = 600;
/** `CompletionItemKind` of LSP. */
const KINDS = {
  method: 2,
  function: 3,
  variable: 6,
  class: 7,
  module: 9,
  property: 10,
  getter: 10,
  constant: 21,
} as const;
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;

export async function complete(parts: CompletionParts, request: CompleteRequest): Promise<CompletionAnswer> {
  const { code, offset } = request;
  const text = TextDocument.create("repl:", "", 0, code);
  const context = completionContext(code, offset);
  if (context.kind === "none") return answerOf({ text, offset, prefix: "" }, []);
  const place = { text, offset, prefix: context.prefix };
  const found = context.kind === "name" ? await findNames(parts, request) : await findMembers(parts, request, context);
  const fitting = found.names.filter((each) => fits(each.name, context));
  const rank = ({ name }: RawName): number => later(name) + (name.startsWith(context.prefix) ? 0 : 1);
  const sorted = fitting.toSorted((a, b) => a.depth - b.depth || rank(a) - rank(b) || compare(a.name, b.name));
  const items = sorted.slice(0, MAX_ITEMS).map((each, at) => toItem(each, at, context, place));
  const isIncomplete = found.isPartial || sorted.length > MAX_ITEMS;
  return { ...answerOf(place, items), total: sorted.length, isIncomplete, ...given({ reason: found.reason }) };
}

/** Before the first evaluation, only the globals that every program has are known. */
export function completeWithoutImage(request: CompleteRequest): Promise<CompletionAnswer> {
  return complete({ ask: undefined, emit: () => ({}), scopeOf: () => undefined, declared: () => [] }, request);
}

/** Where in the form completion was asked for. */
interface Place {
  readonly text: TextDocument;
  readonly offset: number;
  /** The part of the name that is already typed. */
  readonly prefix: string;
}

interface Found {
  readonly names: readonly RawName[];
  /** Asking again may give more names. */
  readonly isPartial: boolean;
  readonly reason?: string;
}

async function findMembers(
  { ask, emit, scopeOf }: CompletionParts,
  { module }: CompleteRequest,
  { receiver, awaits }: Extract<CompletionContext, { receiver: string }>,
): Promise<Found> {
  const root = rootOf(receiver, emit(), module === undefined ? undefined : scopeOf(module));
  if (root === undefined)
    return { names: [], isPartial: false, reason: "This cannot be looked at without running it." };
  if (ask === undefined) return { names: [], isPartial: true, reason: "The REPL does not run yet." };
  const answer = await ask({ op: "members", root, ...(awaits === true ? { awaits } : {}) }, PATIENCE_MS);
  if (answer.kind === "members") return { names: answer.members, isPartial: answer.isCut };
  if (answer.kind === "refused") return { names: [], isPartial: false, reason: answer.reason };
  return { names: [], isPartial: true, reason: "The REPL is busy." };
}

async function findNames({ ask, scopeOf, declared }: CompletionParts, { module }: CompleteRequest): Promise<Found> {
  const scope = module === undefined ? undefined : scopeOf(module);
  const bound = [...(scope?.names ?? [])].map((name): RawName => ({
    name,
    kind: "variable",
    type: "of the module",
    depth: 0,
  }));
  const answer = await ask?.({ op: "members" }, PATIENCE_MS);
  if (answer?.kind === "members") {
    const unknown = module === undefined || scope !== undefined ? {} : { reason: NOT_LOADED };
    return { names: unique([...bound, ...answer.members]), isPartial: false, ...unknown };
  }
  const session = [...declared()].map((name): RawName => ({ name, kind: "variable", depth: 0 }));
  const globals = Object.getOwnPropertyNames(globalThis).map((name): RawName => ({ name, kind: "variable", depth: 1 }));
  const reason =
    ask === undefined ? "The REPL does not run yet." : "The REPL is busy: these are the names known without it.";
  return { names: unique([...bound, ...session, ...globals]), isPartial: true, reason };
}

const NOT_LOADED = "The module is not loaded in the REPL: its own names are missing until a form has run in it.";

function unique(names: readonly RawName[]): RawName[] {
  const seen = new Set<string>();
  return names.filter(({ name }) => !seen.has(name) && seen.add(name) !== undefined);
}

function fits(name: string, { kind, prefix }: Exclude<CompletionContext, { kind: "none" }>): boolean {
  if (kind === "name" && !IDENTIFIER.test(name)) return false;
  return name.toLowerCase().startsWith(prefix.toLowerCase());
}

function toItem(
  { name, kind, type, depth }: RawName,
  rank: number,
  context: CompletionContext,
  { text, offset, prefix }: Place,
): ReplCompletion {
  const item = {
    label: name,
    kind: KINDS[kind],
    detail: detailOf(kind, type, depth),
    sortText: String(rank).padStart(4, "0"),
  };
  if (context.kind !== "member" || IDENTIFIER.test(name)) return item;
  // The name is no identifier, so the dot is replaced by brackets.
  const insertText = /^(?:0|[1-9]\d*)$/.test(name) ? `[${name}]` : `[${JSON.stringify(name)}]`;
  const range = { start: text.positionAt(context.dot), end: text.positionAt(offset - prefix.length) };
  const isOptional = text.getText().startsWith("?.", context.dot);
  return { ...item, insertText, additionalTextEdits: [{ range, newText: isOptional ? "?." : "" }] };
}

function detailOf(kind: RawName["kind"], type: string | undefined, depth: number): string {
  const what =
    kind === "getter" ? "getter, not called" : type === undefined || type === "undefined" ? kind : `${kind}, ${type}`;
  return depth > 0 && (kind === "method" || kind === "getter" || kind === "property") ? `${what}, inherited` : what;
}

function answerOf({ text, offset, prefix }: Place, items: readonly ReplCompletion[]): CompletionAnswer {
  const replace = { start: text.positionAt(offset - prefix.length), end: text.positionAt(offset) };
  return { items, total: items.length, isIncomplete: false, replace };
}

/** Names that begin with an underscore are meant to be private, so they come last. */
function later(name: string): number {
  return name.startsWith("_") ? 2 : 0;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
