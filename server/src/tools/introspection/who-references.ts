/** The tool `who_references`: every mention of a symbol by file, reads and writes told apart, code before tests. */
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import { wordsIn } from "../../typescript/edits/mentions.ts";
import {
  mentionKinds,
  variableReferences,
  type Mention,
} from "../../typescript/xref/references/variable-references.ts";
import type { View } from "../../typescript/view.ts";
import type { Tool, ToolAnswer } from "../tool.ts";
import { groupedAnswer, ofAll, usesScopeSchema, pageOf, pageSchema, type Paging } from "../answers/answer-text.ts";
import { countedPlaces } from "../answers/section-page.ts";
import { defineSymbolQuestion } from "./define-question.ts";
import { foldPlaces } from "../answers/fold-places.ts";
import { foundPlaces } from "../answers/found-places.ts";
import { headline } from "../answers/headline.ts";
import { plural } from "../../base/plural.ts";

const input = {
  type: "object",
  properties: {
    symbol: {
      type: "string",
      description:
        "The variable, property, enum member, type or any other symbol: name, Outer.member, src/file.ts#Outer.member.",
    },
    path: usesScopeSchema,
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
  /** The words for how many mentions there are in all, of which these are a part. */
  readonly part: string;
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
    hasUsesWithin: true,
    answer: async (view, target, args, within = () => true) => {
      const all = await variableReferences(view, target);
      const mentions = all.filter((mention) => mention.kind === "declaration" || within(mention));
      const { alias } = target.declarations[0];
      const head = [await headline(view, target), ...(alias === undefined ? [] : [byName(mentions, alias.name)])];
      return mentionsAnswer(view, head.join("\n"), mentions, { ...args, part: ofAll(mentions, all) });
    },
  });
}

function mentionsAnswer(view: View, head: string, mentions: readonly Mention[], asked: Asked): ToolAnswer {
  const used = mentions.filter(({ kind }) => kind !== "declaration");
  const { only } = asked;
  const listed = (only === undefined ? used : mentions.filter(({ kind }) => isOfKind(kind, only))).toSorted(
    (a, b) => Number(a.isTest) - Number(b.isTest),
  );
  if (listed.length === 0) {
    const none = only === undefined || used.length === 0 ? [] : [`None of them is of the kind "${only}".`];
    return { content: [head, `${counts(mentions)}${asked.part}`, ...none].join("\n") };
  }
  // Where there are many mentions, those that tell least are named by their lines.
  const inShort = only !== undefined ? NOTHING : listed.length > MANY ? TYPES_TOO : IMPORTS;
  const page = pageOf(
    listed.map((mention) => (inShort.has(mention.kind) ? "12345," : `  ${mentionLine([mention])}`)),
    asked,
  );
  const tests = listed.filter(({ isTest }) => isTest).length;
  const hasTests = tests > 0 && tests < listed.length;
  const shown = listed.slice(page.first, page.first + page.lines.length);
  const told: Told = { inShort, said: quotedKind(listed, inShort) };
  // Several kinds are counted.
  const isOnlyKind = only === undefined && used.every(({ kind }) => kind === told.said);
  const lines = [head, `${counts(mentions)}${asked.part}${isOnlyKind ? ` (${told.said})` : ""}`];
  for (const isTest of [false, true]) {
    const section = shown.filter((mention) => mention.isTest === isTest);
    if (section.length === 0) continue;
    lines.push("", ...(hasTests ? [isTest ? "Tests" : "Code"] : []));
    const files = [...Map.groupBy(section, (mention) => mention.file)];
    lines.push(...foldPlaces(files.flatMap(([file, own]) => fileLines(view.paths.show(file), own, told))));
  }
  if (inShort === TYPES_TOO && shown.some(({ kind }) => kind === "type"))
    lines.push("", 'Types are named by their lines: only: "type" quotes them.');
  const lists = () => ({ places: foundPlaces(listed, mentionText) });
  return { ...groupedAnswer(lines, page, listed.length, "mentions"), lists };
}

/** Most use the name that it is declared by. */
function byName(mentions: readonly Mention[], name: string): string {
  const own = mentions.filter(({ line }) => wordsIn(line, name).length > 0);
  const files = new Set(own.map(({ file }) => file));
  return `${plural(own.length, "line")} in ${plural(files.size, "file")} spell it ${name}; all are counted:`;
}

/** Declarations are counted apart: they are where the symbol comes from, not who mentions it. */
function counts(mentions: readonly Mention[]): string {
  const used = mentions.filter(({ kind }) => kind !== "declaration");
  if (used.length === 0) return "No mentions besides its declaration";
  const sorted = used.toSorted((a, b) => mentionKinds.indexOf(a.kind) - mentionKinds.indexOf(b.kind));
  const declared = mentions.length - used.length;
  return `${countedPlaces(sorted, "mention")}${declared < 2 ? "" : `, besides ${declared} declarations`}`;
}

/** `x += 1` is an answer to both "who reads it" and "who writes it". */
function isOfKind(kind: Mention["kind"], only: Mention["kind"]): boolean {
  return kind === only || (kind === "read and write" && (only === "read" || only === "write"));
}

/** Where there are so many mentions, not every one is quoted. */
const MANY = 40;
type Kinds = ReadonlySet<Mention["kind"]>;
const NOTHING: Kinds = new Set();
/** An import goes with what it is imported for. */
const IMPORTS: Kinds = new Set(["import", "type-only import"]);
const TYPES_TOO: Kinds = new Set([...IMPORTS, "type"]);

interface Told {
  readonly inShort: Kinds;
  /** The kind of all that is quoted: said above once. */
  readonly said: Mention["kind"] | undefined;
}

/** The one kind of the mentions that are quoted. */
function quotedKind(listed: readonly Mention[], inShort: Kinds): Mention["kind"] | undefined {
  const files = Map.groupBy(listed, ({ file }) => file);
  const kinds = new Set([...files.values()].flatMap((own) => quotedOf(own, inShort).map(({ kind }) => kind)));
  const [first] = kinds;
  return kinds.size === 1 ? first : undefined;
}

/** Where a file only imports the name, the import is quoted. */
function quotedOf(mentions: readonly Mention[], inShort: Kinds): readonly Mention[] {
  const quoted = mentions.filter(({ kind }) => !inShort.has(kind));
  return quoted.length === 0 && inShort === IMPORTS ? mentions : quoted;
}

/** A file with its mentions; a single mention is on the file's own line. */
function fileLines(file: string, mentions: readonly Mention[], told: Told): string[] {
  const { inShort } = told;
  const shown = quotedOf(mentions, inShort);
  const short = mentions.filter((mention) => !shown.includes(mention));
  const kinds = [...Map.groupBy(short, ({ kind }) => (kind === "type" ? "type" : "import"))];
  const parts = kinds.map(([kind, own]) => `${kind}: ${[...new Set(own.map(({ at }) => at.line + 1))].join(",")}`);
  const tail = parts.length === 0 ? "" : `  (${parts.join("; ")})`;
  const groups = Map.groupBy(shown, ({ at, enclosing, line }) => `${at.line} ${enclosing} ${line}`);
  const [only, ...others] = [...groups.values()].map((own) => mentionLine(own, told.said));
  if (only !== undefined && others.length === 0) return [`${file}:${only}${tail}`];
  return [`${file}${tail}`, ...(only === undefined ? [] : [only, ...others]).map((line) => `  ${line}`)];
}

/** Mentions on one line: `12 Outer.member — read ×2, write: …`. */
function mentionLine(mentions: readonly Mention[], said?: Mention["kind"]): string {
  const [first] = mentions;
  if (first === undefined) return "";
  const { at, enclosing, line } = first;
  const kinds = Map.groupBy(mentions, ({ kind, detail }) =>
    kind === said ? (detail ?? "") : detail === undefined ? kind : `${kind} (${detail})`,
  );
  const words = [...kinds]
    .map(([what, { length }]) => [what, length > 1 ? `×${length}` : ""].filter((word) => word !== "").join(" "))
    .filter((word) => word !== "")
    .join(", ");
  return `${at.line + 1} ${enclosing}${words === "" ? "" : ` — ${words}`}: ${line}`;
}

function mentionText({ enclosing, kind, detail, line }: Mention): string {
  return `${enclosing} — ${detail === undefined ? kind : `${kind} (${detail})`}: ${line}`;
}
