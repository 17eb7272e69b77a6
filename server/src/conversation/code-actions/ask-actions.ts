/**
 * Code actions that say something to the agent. They are made of the document's text alone: no menu of an editor waits for
 * the compiler, which reads the place only when an action is chosen.
 */
import type { CodeAction, CodeActionParams, Diagnostic, Range } from "vscode-languageserver-protocol";
import type { RequestParams } from "../../protocol/methods.ts";
import { plainLine } from "../../workspace/plain-text.ts";
import { diagnosticsText, linesAround } from "./diagnostics-text.ts";

/** What `agentq.ask` takes: a client says it in its conversation. */
export type AskArguments = Pick<RequestParams<"agentq/prompt">, "text" | "context" | "sessionId">;

export const ASK_COMMAND = "agentq.ask";
/** Kinds of our own: no action on save, and no other filter of an editor, takes one of them for the compiler's. */
export const ASK_KINDS: readonly string[] = [
  "quickfix",
  "agentq.explain",
  "agentq.document",
  "agentq.test",
  "agentq.review",
];

export interface AskedDocument {
  readonly uri: string;
  readonly text: string;
  /** As tools take the path. */
  readonly path: string;
  /** Whether the client can be proposed edits. */
  readonly takesEdits: boolean;
}

type Asked = Pick<CodeActionParams, "range" | "context">;
/** `CodeActionTriggerKind.Automatic`: an editor looks whether to show a light bulb. */
const AUTOMATIC = 2;
const SHOWN_MESSAGE = 60;
const CODE = /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/;
/** Lines that begin no declaration that could be documented or tested. */
const NO_DECLARATION = /^\s*(?:import\b|export\s*[*{]|\/\/|\/?\*|$)/;

export function askActions(document: AskedDocument, { range, context }: Asked): CodeAction[] {
  const wanted = context.only?.filter((kind) => kind !== "") ?? [];
  const all = [
    ...fix(document, context.diagnostics),
    // What can be asked anywhere makes no light bulb.
    ...(context.triggerKind === AUTOMATIC ? [] : [...about(document, range), review()]),
  ];
  if (wanted.length === 0) return all;
  return all.filter(({ kind = "" }) => wanted.some((each) => kind === each || kind.startsWith(`${each}.`)));
}

function action(kind: string, title: string, asked: AskArguments, more: Partial<CodeAction> = {}): CodeAction {
  return { title, kind, command: { title, command: ASK_COMMAND, arguments: [asked] }, ...more };
}

function fix(document: AskedDocument, diagnostics: readonly Diagnostic[]): CodeAction[] {
  const [first] = diagnostics;
  if (first === undefined) return [];
  const { path, uri, text } = document;
  const what = diagnostics.length === 1 ? `"${messageOf(first)}"` : `these ${diagnostics.length} diagnostics`;
  const range = linesAround(text, diagnostics);
  const asked: AskArguments = {
    text: `Fix ${diagnostics.length === 1 ? "this diagnostic" : "these diagnostics"} in ${path}: find the cause, and ${editOf(document)}.`,
    context: [
      { kind: "text", label: `diagnostics of ${path}`, text: diagnosticsText(path, diagnostics) },
      { kind: "file", uri, range, label: labelOf(path, range) },
    ],
  };
  return [action("quickfix", `Agent-Q: fix ${what}`, asked, { diagnostics: [...diagnostics] })];
}

function editOf({ takesEdits }: AskedDocument): string {
  return takesEdits ? "propose the edit" : "show what is to be changed";
}

function messageOf({ message }: Diagnostic): string {
  return plainLine(typeof message === "string" ? message : message.value, SHOWN_MESSAGE);
}

/** What is asked about the selection, or about the place. */
function about(document: AskedDocument, range: Range): CodeAction[] {
  const { path, text } = document;
  const { line, character } = range.start;
  const isSelected = line !== range.end.line || character !== range.end.character;
  const written = lineOf(text, line);
  const isDeclared = CODE.test(path) && (isSelected || !NO_DECLARATION.test(written));
  const place = `${path}:${line + 1}`;
  const word = wordAt(written, character);
  const context = [
    isSelected ? selection(document, range) : isDeclared ? declaration(place) : wholeLine(document, line),
  ];
  const at = word === "" ? `what stands at ${place}` : `\`${word}\` at ${place}`;
  const declared = isSelected ? "the selected code" : `the declaration at ${place}`;
  const explain = `Explain ${isSelected ? declared : at}: what the code does, and why it is there.`;
  const describe = `Write the documentation comment of ${declared} in the manner of the project, or mend the one that is there, and ${editOf(document)}.`;
  const test = `Write tests of ${declared} in the manner of the project's tests, run them, and ${editOf(document)}.`;
  const title = `Agent-Q: explain${isSelected ? " the selection" : ""}`;
  return [
    action("agentq.explain", title, { text: explain, context }),
    ...(isDeclared ? [action("agentq.document", "Agent-Q: document this", { text: describe, context })] : []),
    ...(isDeclared ? [action("agentq.test", "Agent-Q: test this", { text: test, context })] : []),
  ];
}

type Ref = NonNullable<AskArguments["context"]>[number];

function selection({ uri, path }: AskedDocument, range: Range): Ref {
  return { kind: "selection", uri, range, label: labelOf(path, range) };
}

/** The compiler says which declaration is there when the prompt is read. */
function declaration(place: string): Ref {
  return { kind: "symbol", symbol: place, label: place };
}

function wholeLine({ uri, path }: AskedDocument, line: number): Ref {
  const range = { start: { line, character: 0 }, end: { line: line + 1, character: 0 } };
  return { kind: "file", uri, range, label: labelOf(path, range) };
}

function labelOf(path: string, { start, end }: Range): string {
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return last > start.line + 1 ? `${path}:${start.line + 1}-${last}` : `${path}:${last}`;
}

function review(): CodeAction {
  const text =
    "Review what is not committed yet: mistakes, cases that are missed, and what no test covers. Name the places, the worst first, and change nothing.";
  return action("agentq.review", "Agent-Q: review the diff", { text, context: [{ kind: "diff", label: "@diff" }] });
}

function lineOf(text: string, line: number): string {
  let from = 0;
  for (let count = 0; count < line; count += 1) {
    const end = text.indexOf("\n", from);
    if (end < 0) return "";
    from = end + 1;
  }
  const end = text.indexOf("\n", from);
  return text.slice(from, end < 0 ? undefined : end).replace(/\r$/, "");
}

function wordAt(line: string, character: number): string {
  for (const match of line.matchAll(/[\p{L}_$#][\p{L}\p{N}_$]*/gu)) {
    if (match.index <= character && character <= match.index + match[0].length) return match[0];
  }
  return "";
}
