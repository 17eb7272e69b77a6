/** The tool `who_references`: every mention of a symbol by file, reads and writes told apart, code before tests. */
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import { mentionKinds, variableReferences, type Mention } from "../../typescript/xref/variable-references.ts";
import type { View } from "../../typescript/view.ts";
import type { Tool, ToolAnswer } from "../tool.ts";
import { groupedAnswer, scopeSchema, pageOf, pageSchema, plural, type Paging } from "../answers/answer-text.ts";
import { defineSymbolQuestion } from "./define-question.ts";
import { headline } from "../answers/headline.ts";

const input = {
  type: "object",
  properties: {
    symbol: {
      type: "string",
      description:
        "The variable, property, enum member, type or any other symbol: name, Outer.member, src/file.ts#Outer.member.",
    },
    path: scopeSchema,
    only: {
      enum: mentionKinds,
      description:
        "List only these mentions; all are counted. What reads and writes at once is both a read and a write.",
    },
    ...pageSchema,
  },
  required: ["symbol"],
  additionalProperties: false,
} as const;

interface Asked extends Paging {
  readonly only?: Mention["kind"] | undefined;
}

export function createWhoReferences(service: TypeScriptService): Tool {
  return defineSymbolQuestion(service, {
    name: "who_references",
    description:
      "Every mention of a variable, property, type or other symbol in all loaded projects, by file: reads, writes, calls, types and imports told apart.",
    input,
    told: { only: { type: "string", description: "One kind: write, read, call, new, type, import, …" } },
    categories: ["xref"],
    answer: async (view, target, args) => {
      const mentions = await variableReferences(view, target);
      return mentionsAnswer(view, await headline(view, target), mentions, args);
    },
  });
}

function mentionsAnswer(view: View, head: string, mentions: readonly Mention[], asked: Asked): ToolAnswer {
  const used = mentions.filter(({ kind }) => kind !== "declaration");
  const { only } = asked;
  const listed = (only === undefined ? used : mentions.filter(({ kind }) => isOfKind(kind, only))).toSorted(
    (a, b) => Number(a.isTest) - Number(b.isTest),
  );
  const lines = [head, counts(mentions)];
  if (listed.length === 0) {
    if (asked.only !== undefined && used.length > 0) lines.push(`None of them is of the kind "${asked.only}".`);
    return { content: lines.join("\n") };
  }
  const page = pageOf(
    listed.map((mention) => `  ${mentionLine(mention)}`),
    asked,
  );
  let file: string | undefined;
  let section: boolean | undefined;
  for (const [index, line] of page.lines.entries()) {
    const mention = listed[page.first + index];
    if (mention === undefined) break;
    if (mention.isTest !== section) {
      section = mention.isTest;
      lines.push("", section ? "Tests" : "Code");
    }
    if (mention.file !== file) {
      file = mention.file;
      lines.push(fileLine(view, file, listed));
    }
    lines.push(line);
  }
  return groupedAnswer(lines, page, listed.length, "mentions");
}

/** Declarations are counted apart: they are where the symbol comes from, not who mentions it. */
function counts(mentions: readonly Mention[]): string {
  const used = mentions.filter(({ kind }) => kind !== "declaration");
  if (used.length === 0) return "No mentions besides its declaration";
  const files = new Set(used.map(({ file }) => file)).size;
  const tests = used.filter(({ isTest }) => isTest).length;
  const head = `${plural(used.length, "mention")} in ${plural(files, "file")}: ${used.length - tests} in code, ${tests} in tests`;
  const declared = mentions.length - used.length;
  return `${head} (${kindCounts(used)})${declared === 0 ? "" : `, besides ${plural(declared, "declaration")}`}`;
}

/** `x += 1` is an answer to both "who reads it" and "who writes it". */
function isOfKind(kind: Mention["kind"], only: Mention["kind"]): boolean {
  return kind === only || (kind === "read and write" && (only === "read" || only === "write"));
}

function kindCounts(mentions: readonly Mention[]): string {
  return mentionKinds
    .flatMap((kind) => {
      const count = mentions.filter((mention) => mention.kind === kind).length;
      return count === 0 ? [] : [`${count} ${kind}`];
    })
    .join(", ");
}

function fileLine(view: View, file: string, listed: readonly Mention[]): string {
  return `${view.paths.show(file)} (${kindCounts(listed.filter((mention) => mention.file === file))})`;
}

function mentionLine({ at, kind, detail, enclosing, line }: Mention): string {
  const what = detail === undefined ? kind : `${kind} (${detail})`;
  return `${at.line + 1}:${at.character + 1} ${enclosing} — ${what}: ${line}`;
}
