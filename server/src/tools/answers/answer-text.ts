/** How the introspection tools speak: places, candidates, pages, and what was searched. */
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import { TypeScriptUnavailable } from "../../typescript/typescript-unavailable.ts";
import { compilerVersion } from "../../typescript/compiler-version.ts";
import type { Resolution } from "../../typescript/names/resolve-symbol.ts";
import type { SymbolTarget } from "../../typescript/names/tree/declaration.ts";
import type { ProgramView, View } from "../../typescript/view.ts";
import type { LspPosition } from "../../typescript/places.ts";
import { ToolFailure, type ToolAnswer } from "../tool.ts";
import { addressLines } from "./brace-addresses.ts";
import { readNote, searchedNote } from "./coverage.ts";
import { continued } from "./quoted-text.ts";
import { pastTheEnd, readCursor } from "./read-cursor.ts";
import { plural } from "../../base/plural.ts";

/** About 2,000 tokens. */
const BUDGET_CHARACTERS = 7_000;
const MAX_CANDIDATES = 20;

export const pageSchema = {
  limit: { type: "integer", minimum: 1, maximum: 1000, description: "At most this many entries." },
  cursor: { type: "string", minLength: 1, description: "Where to read on: the nextCursor of the previous answer." },
} as const;

export const scopeSchema = {
  type: "string",
  description: "Only look in this file, folder, package or tsconfig.",
} as const;

/** Of a question about who uses a symbol. */
export const usesScopeSchema = {
  type: "string",
  description:
    "A file, folder, package or tsconfig: where the symbol is declared; of a symbol declared elsewhere, only its uses there.",
} as const;

/** `src/a.ts:12`, counted from 1. */
export function place(view: View, file: string, at: LspPosition): string {
  return `${view.paths.show(file)}:${at.line + 1}`;
}

/** The words after a count that say of how many it is a part. */
export function ofAll(shown: readonly unknown[], all: readonly unknown[]): string {
  return shown.length === all.length ? "" : `, of ${all.length} in the workspace`;
}

/** Runs a query and gives its answer the notes that every answer from the compiler carries. */
export async function answerFrom(
  service: TypeScriptService,
  signal: AbortSignal,
  run: (view: View) => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
  try {
    return await service.query(async (view) => {
      const answer = await run(view);
      const { stateNotes, isComplete } = about(view);
      const notes = [...(answer.notes ?? []), ...view.doubts, ...stateNotes];
      return { ...answer, complete: (answer.complete ?? true) && isComplete, notes };
    }, signal);
  } catch (error) {
    if (error instanceof TypeScriptUnavailable) throw new ToolFailure(error.message);
    throw error;
  }
}

/** What the reader must know about the workspace; for an answer that was read from one file, about that file. */
function about(view: View): { readonly stateNotes: readonly string[]; readonly isComplete: boolean } {
  const program = view.onlyFile === undefined ? undefined : view.programOf(view.onlyFile);
  if (program === undefined) {
    return { stateNotes: [...view.state.notes, searched(view.programs)], isComplete: view.isComplete };
  }
  const note = view.state.configNotes.get(program.configFile ?? "");
  return {
    stateNotes: [...(note === undefined ? [] : [note]), readNote(program.name, compilerVersion)],
    isComplete: view.doubts.size === 0,
  };
}

/** "Searched tsconfig.json (12 files) with TypeScript 7.0.2." */
function searched(programs: readonly ProgramView[]): string {
  // A solution has projects and no files of its own.
  const loaded = programs.filter(({ size }) => size > 0);
  const projects = loaded.map(({ name, size }) => `${name} (${plural(size, "file")})`);
  const more = plural(projects.length - 8, "more project");
  const shown = projects.length > 8 ? [...projects.slice(0, 8), more] : projects;
  const what = shown.length === 0 ? "nothing: the workspace has no TypeScript files" : shown.join(", ");
  return searchedNote(what, compilerVersion);
}

/** The answer for a name that is not exactly one symbol. */
export function explainResolution(
  view: View,
  asked: string,
  resolution: Exclude<Resolution, { kind: "found" }>,
): ToolAnswer {
  switch (resolution.kind) {
    case "ambiguous":
      return { content: ambiguous(view, asked, resolution.candidates) };
    case "unknown": {
      const nearest = resolution.nearest.length === 0 ? "" : `\nNearest: ${resolution.nearest.join(", ")}`;
      return { content: continued(resolution.reason) + nearest };
    }
    case "module":
      return {
        content: `${view.paths.show(resolution.file)} is a module; name a symbol in it: ${view.paths.show(resolution.file)}#Name`,
      };
    default:
      return resolution satisfies never;
  }
}

function ambiguous(view: View, asked: string, candidates: readonly SymbolTarget[]): string {
  const all = addressLines(
    candidates.map(({ address, declarations: [{ kind, at }] }) => ({ address, kind, line: at.line + 1 })),
  );
  const left = all.length - MAX_CANDIDATES;
  const rest = left > 0 ? [`  … and ${left} more; name a file too`] : [];
  const [kind, ...kinds] = new Set(candidates.map(({ declarations: [first] }) => first.kind));
  const what = kinds.length > 0 ? "" : ` (${kind})`;
  const head = `"${asked}" means ${plural(candidates.length, "different symbol")}${what}. Ask again with one of these:`;
  return [head, ...all.slice(0, MAX_CANDIDATES).map((line) => `  ${line}`), ...rest].join("\n");
}

/** The parameters of `pageSchema`, as a tool gets them. */
export interface Paging {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface Page {
  readonly lines: readonly string[];
  readonly first: number;
  readonly nextCursor: string | undefined;
}

/** As many entries as the limit and the budget allow, from the cursor on. At least one, so that reading on ends. */
export function pageOf(entries: readonly string[], options: Paging & { readonly budget?: number }): Page {
  const first = readCursor(options.cursor);
  if (first > 0 && first >= entries.length) throw pastTheEnd(first, entries.length);
  const lines: string[] = [];
  let left = options.budget ?? BUDGET_CHARACTERS;
  for (const entry of entries.slice(first, first + (options.limit ?? entries.length))) {
    left -= entry.length + 1;
    if (left < 0 && lines.length > 0) break;
    lines.push(entry);
  }
  const next = first + lines.length;
  return { lines, first, nextCursor: next < entries.length ? String(next) : undefined };
}

/** The fields of an answer that say it goes on. */
export function pageFields(page: Page): Pick<ToolAnswer, "truncated" | "nextCursor"> {
  return page.nextCursor === undefined ? {} : { truncated: true, nextCursor: page.nextCursor };
}

export function pageLine(page: Page, total: number, what: string): string[] {
  if (page.nextCursor === undefined && page.first === 0) return [];
  const last = page.first + page.lines.length;
  return [`Shown: ${page.first + 1} to ${last} of ${total} ${what}.`];
}

/** The answer that a list's lines make, with what was shown of it where that is not all. */
export function listAnswer(lines: readonly string[], page: Page, total: number, what: string): ToolAnswer {
  return { content: [...lines, ...pageLine(page, total, what)].join("\n"), ...pageFields(page) };
}

/** Like `listAnswer`, for a list in groups: an empty line comes between the groups and the line about the page. */
export function groupedAnswer(lines: readonly string[], page: Page, total: number, what: string): ToolAnswer {
  const shown = pageLine(page, total, what);
  return listAnswer(shown.length === 0 ? lines : [...lines, ""], page, total, what);
}
