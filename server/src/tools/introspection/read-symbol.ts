/** The tool `read_symbol`: declarations as they are written, by their addresses. */
import { declarationSources, type DeclarationSource } from "../../typescript/shapes/declaration-source.ts";
import type { SymbolTarget } from "../../typescript/names/tree/declaration.ts";
import { lineAddress, localsAround, type LineAddress } from "../../typescript/names/line-address.ts";
import { importAt, resolveSymbol } from "../../typescript/names/resolve-symbol.ts";
import type { Stretch } from "../../proposals/texts/hunks.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import type { View } from "../../typescript/view.ts";
import { explainResolution, groupedAnswer, pageOf, pageSchema, scopeSchema } from "../answers/answer-text.ts";
import { groupedLines, type GroupedEntry } from "../answers/grouped-lines.ts";
import { lineStretches } from "../answers/line-stretches.ts";
import { isCutLine, numberedLine } from "../answers/numbered-line.ts";
import { ToolFailure, type Tool, type ToolAnswer } from "../tool.ts";
import { defineQuestion } from "./define-question.ts";

const MAX_SYMBOLS = 20;
const MAX_LINES = 400;
const MAX_CHARACTERS = 24_000;
/** A little more than its share is shown to the end. */
const SLACK = 1.2;
/** A line of a longer function is answered with the innermost function around the line. */
const LONG = 80;

const input = {
  type: "object",
  properties: {
    symbol: {
      type: "string",
      description: "name, Outer.member, src/file.ts#Outer.member, pkg#Export, src/file.ts:12.",
    },
    symbols: { type: "array", items: { type: "string" }, maxItems: MAX_SYMBOLS, description: "Several at once." },
    path: scopeSchema,
    cursor: pageSchema.cursor,
  },
  additionalProperties: false,
} as const;

/** Contract: notes that the conversation's model has read these stretches of the file's text, which is `text` now. */
export type NoteRead = (
  conversation: string | undefined,
  file: string,
  read: { readonly text: string; readonly stretches: readonly Stretch[] },
) => void;

/** A line of the answer; a line that quotes a whole line of a file says which one. */
interface Entry extends GroupedEntry {
  readonly source?: DeclarationSource;
  /** Counted from 0. */
  readonly line?: number;
}

export function createReadSymbol(service: TypeScriptService, noteRead: NoteRead = () => undefined): Tool {
  return defineQuestion(service, {
    name: "read_symbol",
    description:
      "The text of declarations of any kind, with line numbers and comments; src/a.ts:12 is the declaration around that line. Of dependencies too.",
    input,
    told: {
      symbol: { type: "string" },
      symbols: { type: "array", items: { type: "string" }, description: "Several at once." },
      path: null,
    },
    answer: async (view, { symbol, symbols = [], path, cursor }, { sessionId }) => {
      const asked = [...new Set([...(symbol === undefined ? [] : [symbol]), ...symbols])];
      if (asked.length === 0) throw new ToolFailure("Name the symbol to read, or several as `symbols`.");
      const found = await Promise.all(asked.map((address) => entriesOf(view, address, path)));
      const entries = asked.length > 1 ? shared(view, found) : found.flat();
      const files = new Set(entries.flatMap(({ source }) => source?.file ?? []));
      const isFound = found.every((each) => each.some(({ source }) => source !== undefined));
      // The text of one file is as true when something is wrong with another project.
      if (files.size === 1 && isFound) [view.onlyFile] = files;
      const page = pageOf(
        entries.map(({ text }) => text),
        { cursor, limit: asked.length > 1 ? entries.length : MAX_LINES, budget: MAX_CHARACTERS },
      );
      noteShown(entries.slice(page.first, page.first + page.lines.length), (...read) => noteRead(sessionId, ...read));
      return withoutFirstLine(groupedAnswer(groupedLines(entries, page), page, entries.length, "lines"));
    },
  });
}

async function entriesOf(view: View, address: string, scope: string | undefined): Promise<Entry[]> {
  // The text of the line is an import, and the text of what is imported is elsewhere.
  const imported = await importAt(view, address);
  if (imported !== undefined) return explained(address, imported);
  const resolution = await resolveSymbol(view, address, scope, true);
  if (resolution.kind !== "found") return explained(address, explainResolution(view, address, resolution).content);
  const { target } = resolution;
  const whole = await declarationSources(view, target);
  if (whole.length === 0)
    return [{ group: address, text: `${target.address} is no longer part of the loaded projects.` }];
  const inner = await insideOf(view, target, { whole, line: lineAddress(address) });
  const { path, sources } = inner ?? { path: target.path, sources: whole };
  const around = inner === undefined ? "" : `, inside of ${target.path} (${lengthOf(whole)} lines)`;
  return sources.flatMap((source) => {
    const isWhole = inner === undefined && source.file === target.file;
    const name = isWhole ? target.address : `${view.paths.show(source.file)}#${path}`;
    return linesOf(source, `${name} — ${source.kind}${around}`);
  });
}

function explained(address: string, words: string): Entry[] {
  const [group = "", ...lines] = words.split("\n");
  return lines.length === 0 ? [{ group: address, text: group }] : lines.map((text) => ({ group, text }));
}

/** The largest function inside of a long one that is round the line and not long itself. */
async function insideOf(
  view: View,
  target: SymbolTarget,
  { whole, line }: { readonly whole: readonly DeclarationSource[]; readonly line: LineAddress | undefined },
): Promise<{ readonly path: string; readonly sources: readonly DeclarationSource[] } | undefined> {
  if (line === undefined || lengthOf(whole) <= LONG) return undefined;
  const { declarations } = await view.outline(target.file);
  const around = localsAround(declarations, line);
  const inner = around.find(({ range: { start, end } }) => end.line - start.line < LONG) ?? around.at(-1);
  if (inner === undefined) return undefined;
  return { path: inner.path, sources: await declarationSources(view, { ...target, declarations: [inner] }) };
}

function lengthOf(sources: readonly DeclarationSource[]): number {
  return sources.flatMap(({ spans }) => spans).reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

function linesOf(source: DeclarationSource, group: string): Entry[] {
  const lines = source.text.split(/\r?\n/);
  const end = Math.max(...source.spans.map(({ last }) => last + 1));
  return source.spans.flatMap(({ first, last }, index) => [
    ...(index === 0 ? [] : [{ group, text: "…" }]),
    ...lines.slice(first, last + 1).map((text, at): Entry => {
      const line = first + at;
      return { group, text: numberedLine(line + 1, text, end), source, ...(isCutLine(text) ? {} : { line }) };
    }),
  ]);
}

/** Several declarations share the room: long ones get what short ones leave. */
function shared(view: View, found: readonly (readonly Entry[])[]): readonly Entry[] {
  const byLength = found.toSorted((a, b) => a.length - b.length);
  const shown = new Map<readonly Entry[], readonly Entry[]>();
  let room = MAX_LINES;
  for (const [index, entries] of byLength.entries()) {
    const share = Math.floor(room / (byLength.length - index));
    const part = entries.length <= share * SLACK ? entries : withRest(view, entries, share);
    room = Math.max(0, room - part.length);
    shown.set(entries, part);
  }
  return found.flatMap((entries) => shown.get(entries) ?? []);
}

function withRest(view: View, entries: readonly Entry[], share: number): readonly Entry[] {
  const { group, source, line } = entries[share] ?? { group: "" };
  const last = entries.at(-1)?.line;
  const isReadable = source !== undefined && line !== undefined && last !== undefined && view.paths.isOwn(source.file);
  const how = isReadable
    ? `read_file ${view.paths.show(source.file)}, start ${line + 1}, end ${last + 1}`
    : "ask for the symbol alone";
  return [...entries.slice(0, share), { group, text: `… ${entries.length - share} more lines: ${how}` }];
}

function noteShown(shown: readonly Entry[], noteRead: (file: string, read: Parameters<NoteRead>[2]) => void): void {
  const quoted = shown.filter(({ line }) => line !== undefined);
  for (const [source, entries] of Map.groupBy(quoted, (entry) => entry.source)) {
    if (source === undefined) continue;
    const { file, text } = source;
    const lines = entries.map(({ line = 0 }) => line);
    noteRead(file, { text, stretches: lineStretches(text, lines) });
  }
}

/** The empty line before the first group. */
function withoutFirstLine(answer: ToolAnswer): ToolAnswer {
  return { ...answer, content: answer.content.trimStart() };
}
