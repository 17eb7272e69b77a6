/** The tool `read_symbol`: declarations as they are written, by their addresses. */
import { declarationSources, type DeclarationSource } from "../../typescript/shapes/declaration-source.ts";
import { resolveSymbol } from "../../typescript/names/resolve-symbol.ts";
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

/** A line of the answer; a line that quotes a file whole says where it stands there. */
interface Entry extends GroupedEntry {
  readonly source?: DeclarationSource;
  /** Counted from 0. */
  readonly line?: number;
}

export function createReadSymbol(service: TypeScriptService, noteRead: NoteRead = () => undefined): Tool {
  return defineQuestion(service, {
    name: "read_symbol",
    description:
      "The text of declarations of any kind, with line numbers, comments and all overloads; src/a.ts:12 is the declaration around that line. Of dependencies too.",
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
      const entries = asked.length > 1 ? found.flatMap((each) => shared(each, asked.length)) : found.flat();
      const files = new Set(entries.flatMap(({ source }) => source?.file ?? []));
      const isFound = found.every((each) => each.some(({ source }) => source !== undefined));
      // The text of one file is as true when something is wrong with another project.
      if (files.size === 1 && isFound) [view.onlyFile] = files;
      const page = pageOf(
        entries.map(({ text }) => text),
        { cursor, limit: MAX_LINES, budget: MAX_CHARACTERS },
      );
      noteShown(entries.slice(page.first, page.first + page.lines.length), (...read) => noteRead(sessionId, ...read));
      return withoutFirstLine(groupedAnswer(groupedLines(entries, page), page, entries.length, "lines"));
    },
  });
}

async function entriesOf(view: View, address: string, path: string | undefined): Promise<Entry[]> {
  const resolution = await resolveSymbol(view, address, path);
  if (resolution.kind !== "found") {
    const [group = "", ...lines] = explainResolution(view, address, resolution).content.split("\n");
    return lines.length === 0 ? [{ group: address, text: group }] : lines.map((text) => ({ group, text }));
  }
  const { target } = resolution;
  const sources = await declarationSources(view, target);
  if (sources.length === 0)
    return [{ group: address, text: `${target.address} is no longer part of the loaded projects.` }];
  return sources.flatMap((source) => {
    const name = source.file === target.file ? target.address : `${view.paths.show(source.file)}#${target.path}`;
    return linesOf(source, `${name} — ${source.kind}`);
  });
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

/** Of several declarations none takes the place of the others. */
function shared(entries: readonly Entry[], count: number): readonly Entry[] {
  const share = Math.floor(MAX_LINES / count);
  const left = entries.length - share;
  if (left <= 1) return entries;
  const text = `… ${left} more lines: ask for it alone, or for one of its members`;
  return [...entries.slice(0, share), { group: entries[0]?.group ?? "", text }];
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
