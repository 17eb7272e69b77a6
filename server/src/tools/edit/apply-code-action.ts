/** `apply_code_action`: lists what the compiler offers to do by itself, and makes a proposal of what is chosen. */
import {
  diagnosticsOf,
  quickFixes,
  sourceActions,
  type CodeAction,
  type FileDiagnostic,
} from "../../typescript/edits/code-actions.ts";
import { findOwnFile } from "../../typescript/names/find-file.ts";
import { resolveSymbol } from "../../typescript/names/resolve-symbol.ts";
import type { View } from "../../typescript/view.ts";
import { explainResolution, pageFields, pageLine, pageOf, pageSchema } from "../answers/answer-text.ts";
import { ToolFailure, type Tool, type ToolAnswer } from "../tool.ts";
import { describeDiagnostic } from "./edit-verdict.ts";
import { prepareEdit } from "./compiler-edit.ts";
import { defineCompilerEdit } from "./define-compiler-edit.ts";
import type { EditPorts } from "./define-edit.ts";
import { plural } from "../../base/plural.ts";

interface Lines {
  /** Counted from 0, both included. */
  readonly first: number;
  readonly last: number;
}

interface Offer {
  readonly file: string;
  readonly lines: Lines | undefined;
  readonly diagnostics: readonly FileDiagnostic[];
  readonly actions: readonly CodeAction[];
}

const NO_REFACTORINGS = "This compiler offers quick fixes and source actions, but no refactorings.";

export function createApplyCodeAction(ports: EditPorts): Tool {
  return defineCompilerEdit(ports, {
    name: "apply_code_action",
    description:
      "What the compiler can fix by itself. Without `action`: lists the quick fixes for a file, line or symbol, and the file's " +
      "source actions (fix all, organize imports), with ids. With `action`: proposes that one.",
    isAlsoAnswering: true,
    input: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1, description: "Path relative to the workspace folder." },
        line: { type: "integer", minimum: 1, description: "Only problems on this line." },
        end_line: { type: "integer", minimum: 1, description: "With line: to this line." },
        symbol: { type: "string", minLength: 1, description: "Only problems inside this symbol of the file." },
        action: { type: ["string", "integer"], description: "The id (sure), number or exact title from the list." },
        ...pageSchema,
      },
      required: ["path"],
      additionalProperties: false,
    },
    told: {
      path: { type: "string" },
      line: { type: "integer" },
      end_line: null,
      symbol: { type: "string" },
      action: { type: ["string", "integer"], description: "Id, number or title from the list." },
    },
    plan: async (view, args) => {
      const offer = await offerFor(view, args);
      if ("content" in offer) return offer;
      if (args.action === undefined) return list(view, offer, args);
      const { action: wanted } = args;
      const isKind = String(wanted).startsWith("source.");
      if (isKind && !offer.actions.some(({ kind }) => kind === wanted))
        return { content: `Nothing to propose: ${view.paths.show(offer.file)} is already like that.` };
      const action = choose(offer, wanted);
      const unavailable = ports.unavailable();
      if (unavailable !== undefined) throw new ToolFailure(unavailable);
      if (action.unsupported !== undefined) throw new ToolFailure(action.unsupported);
      const { title } = action;
      const edit = await prepareEdit(ports, view, action.files);
      const paths = edit.documents.map((document) => document.path).join(", ");
      return {
        title,
        why: () => `The compiler's own fix, in ${paths}.`,
        edit,
        summary: [`${title}: ${paths}`],
        nothing: `Nothing to propose: "${title}" changes nothing here.`,
      };
    },
  });
}

interface Asked {
  readonly path: string;
  readonly line?: number;
  readonly end_line?: number;
  readonly symbol?: string;
}

async function offerFor(view: View, asked: Asked): Promise<Offer | ToolAnswer> {
  const file = findOwnFile(view, asked.path);
  if (typeof file !== "string") throw new ToolFailure(file.reason);
  let lines: Lines | undefined;
  if (asked.line !== undefined) {
    lines = { first: asked.line - 1, last: Math.max(asked.line, asked.end_line ?? asked.line) - 1 };
  } else if (asked.symbol !== undefined) {
    const resolution = await resolveSymbol(view, asked.symbol, view.paths.show(file));
    if (resolution.kind !== "found") return explainResolution(view, asked.symbol, resolution);
    const { start, end } = resolution.target.declarations[0].range;
    lines = { first: start.line, last: end.line };
  }
  const all = await diagnosticsOf(view, file);
  const diagnostics = all.filter(({ range }) => {
    return lines === undefined || (range.start.line <= lines.last && range.end.line >= lines.first);
  });
  const fixes = await quickFixes(view, file, diagnostics);
  const source = lines === undefined ? await sourceActions(view, file, "source", all) : [];
  // The compiler's own order, but for the source actions, which have none.
  source.sort((a, b) => (a.kind < b.kind ? -1 : 1));
  const actions = [...new Map([...fixes, ...source].map((action) => [action.id, action])).values()];
  return { file, lines, diagnostics, actions };
}

function list(
  view: View,
  { file, lines, diagnostics, actions }: Offer,
  paging: { limit?: number; cursor?: string },
): ToolAnswer {
  const shown = view.paths.show(file);
  const { first: from, last: to } = lines ?? { first: 0, last: 0 };
  const range = from === to ? `line ${from + 1}` : `lines ${from + 1}–${to + 1}`;
  const where = lines === undefined ? shown : `${shown} ${range}`;
  const entries: string[] = [];
  const fixed = new Set<string>();
  for (const [index, { title, kind, id, diagnostics: own, files }] of actions.entries()) {
    const first = own[0];
    if (first !== undefined) fixed.add(keyOf(first));
    const reason = first === undefined ? "whole file" : describeDiagnostic(view, file, first);
    const others = files.map((each) => each.file).filter((each) => each !== file);
    const also = others.length === 0 ? "" : `, also changes ${others.map((each) => view.paths.show(each)).join(", ")}`;
    entries.push(`${index + 1}. ${title}  [${kind}, id ${id}${also}]\n     ${reason}`);
  }
  const unfixed = diagnostics.filter((each) => !fixed.has(keyOf(each)));
  for (const each of unfixed) entries.push(`no fix: ${describeDiagnostic(view, file, each)}`);
  const page = pageOf(entries, paging);
  const head = `${where}: ${plural(actions.length, "action")} for ${plural(diagnostics.length, "problem")}, ${unfixed.length} without a fix.`;
  const next = actions.length === 0 ? [] : ["Ask again with action set to an id to propose it."];
  return {
    content: [head, ...page.lines, ...pageLine(page, entries.length, "entries"), ...next].join("\n"),
    ...pageFields(page),
    notes: [NO_REFACTORINGS],
  };
}

function choose({ actions }: Offer, wanted: string | number): CodeAction {
  const text = String(wanted).trim();
  const byId = actions.filter((action) => action.id === text);
  const byTitle = actions.filter(({ title, kind }) => title === text || kind === text);
  const byNumber = /^\d+$/.test(text) ? actions.slice(Number(text) - 1, Number(text)) : [];
  const [only, ...more] = [byId, byTitle, byNumber].find((found) => found.length > 0) ?? [];
  if (only !== undefined && more.length === 0) return only;
  const offered = actions.map(({ id, title }, index) => `${index + 1}. ${title} [id ${id}]`).join("\n");
  if (only !== undefined) throw new ToolFailure(`"${text}" is the title of several actions; use an id.\n${offered}`);
  const now = actions.length === 0 ? "There is none here now." : `What there is now:\n${offered}`;
  throw new ToolFailure(`There is no action "${text}" here (the code may have changed). ${now}`);
}

function keyOf({ range, code, message }: FileDiagnostic): string {
  return `${range.start.line}:${range.start.character} ${String(code)} ${message}`;
}
