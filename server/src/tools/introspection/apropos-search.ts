/** The tool `apropos_search`: symbols by part of their name. */
import { largeNote } from "../../typescript/names/tree/outline.ts";
import { hasWrittenType, oneLine } from "../../typescript/names/tree/inspect-declaration.ts";
import { libraryHeader } from "../../typescript/names/index/library-header.ts";
import { PatternProblem } from "../../typescript/names/index/name-pattern.ts";
import { quickInfo } from "../../typescript/shapes/describe.ts";
import {
  bestMatches,
  inspectMatches,
  searchSymbols,
  type SymbolMatch,
} from "../../typescript/names/index/search-symbols.ts";
import { distinctMatches } from "../../typescript/names/index/distinct-matches.ts";
import { shortAddress } from "../../typescript/names/short-address.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import type { View } from "../../typescript/view.ts";
import { mapLimited } from "../../typescript/yielding.ts";
import { ToolFailure, type Tool, type ToolAnswer } from "../tool.ts";
import { listAnswer, scopeSchema, pageOf, pageSchema, type Paging } from "../answers/answer-text.ts";
import { foldAddresses } from "../answers/fold-addresses.ts";
import { defineQuestion } from "./define-question.ts";
import { readCursor } from "../answers/read-cursor.ts";
import { plural } from "../../base/plural.ts";

const KINDS = [
  "function",
  "class",
  "interface",
  "type",
  "enum",
  "enum member",
  "variable",
  "namespace",
  "method",
  "property",
  "constructor",
] as const;

const input = {
  type: "object",
  properties: {
    pattern: {
      type: "string",
      minLength: 1,
      description: "Part of a name, its camel humps (cUS for createUserSession), or /a regular expression/i.",
    },
    path: scopeSchema,
    kinds: { type: "array", items: { enum: KINDS }, minItems: 1, description: "Only these kinds." },
    ...pageSchema,
  },
  required: ["pattern"],
  additionalProperties: false,
} as const;

const DEFAULT_LIMIT = 30;
const LINE_WIDTH = 90;

interface Query extends Paging {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly kinds?: readonly (typeof KINDS)[number][] | undefined;
}

export function createAproposSearch(service: TypeScriptService): Tool {
  return defineQuestion(service, {
    name: "apropos_search",
    description:
      "Finds symbols by part of their name: the project's own, exported or not, then those of dependencies, then globals.",
    input,
    told: {
      pattern: { type: "string", description: "Part of a name, camel humps (cUS), or /regex/i." },
      path: { type: "string" },
      kinds: { type: "array", items: { type: "string" }, description: "function, class, type, method, …" },
    },
    answer: search,
  });
}

function nothingMatches({ pattern, kinds = [] }: Query, ofOtherKinds: number): string {
  if (kinds.length === 0 || ofOtherKinds === 0) return `No symbol matches ${pattern}.`;
  const others = `${plural(ofOtherKinds, "symbol")} of other kinds ${ofOtherKinds === 1 ? "does" : "do"}`;
  return `No symbol of the kind ${kinds.join(" or ")} matches ${pattern}; ${others}.`;
}

async function search(view: View, query: Query): Promise<ToolAnswer> {
  const { matches, unknownPackage, outermostOnly } = await searchSymbols(view, query.pattern, query.path).catch(
    (error: unknown) => {
      throw error instanceof PatternProblem ? new ToolFailure(error.message) : error;
    },
  );
  if (unknownPackage)
    return { content: `No file, package or tsconfig "${query.path}" is part of the loaded projects.` };
  const distinct = await distinctMatches(view, matches);
  const kept = await ofKinds(view, distinct, query.kinds);
  const limits = outermostOnly.map((file) => largeNote(view.paths, file));
  if (kept.length === 0)
    return {
      content: nothingMatches(query, distinct.length),
      complete: limits.length === 0,
      notes: limits,
    };
  const first = readCursor(query.cursor);
  const wanted = query.limit ?? DEFAULT_LIMIT;
  // Only what is shown gets its type looked up; the rest are counted.
  const shown = (await bestMatches(kept, first + wanted)).slice(first);
  const lines = await mapLimited(shown, (match) => lineOf(view, match, onlyKind(query) === ""), view.signal);
  const entries = kept.map((_match, index) => lines[index - first] ?? "");
  const page = pageOf(entries, { ...query, limit: wanted });
  const head = `${plural(kept.length, "symbol")} ${kept.length === 1 ? "matches" : "match"} ${query.pattern}${onlyKind(query)}${countsOf(kept)}`;
  const answer = listAnswer([head, ...foldAddresses(page.lines)], page, kept.length, "symbols");
  return { ...answer, complete: limits.length === 0, notes: limits };
}

/**
 * Leaves out `export { a } from` entries and the wrong kinds; only declarations that the outline does not tell are
 * inspected.
 */
async function ofKinds(view: View, matches: readonly SymbolMatch[], kinds: Query["kinds"]): Promise<SymbolMatch[]> {
  const wanted = kinds === undefined ? undefined : new Set<string>(kinds);
  const unclear = new Set(
    matches.filter(({ declaration, origin }) => {
      return declaration.maybeAlias || (wanted !== undefined && origin === "project" && isUnclear(declaration.kind));
    }),
  );
  const looked = new Map((await inspectMatches(view, [...unclear])).map((detail) => [detail.match, detail]));
  return matches.filter((match) => {
    const detail = looked.get(match);
    if (detail === undefined && unclear.has(match)) return false;
    return wanted === undefined || wanted.has(plainKind(detail?.kind ?? match.declaration.kind));
  });
}

function isUnclear(kind: string): boolean {
  return kind === "class" || kind === "variable" || kind === "property";
}

function plainKind(kind: string): string {
  if (["const", "let", "var", "using"].includes(kind)) return "variable";
  return ["getter", "setter", "parameter property"].includes(kind) ? "property" : kind;
}

function countsOf(matches: readonly SymbolMatch[]): string {
  const groups = Map.groupBy(matches, (match) => match.origin);
  if (groups.size < 2 && groups.has("project")) return "";
  const names = { project: "in the project", dependency: "in dependencies", global: "global" } as const;
  const origins = (["project", "dependency", "global"] as const).filter((origin) => groups.has(origin));
  return `: ${origins.map((origin) => `${groups.get(origin)?.length ?? 0} ${names[origin]}`).join(", ")}`;
}

/** The one kind that was asked for is told once. */
function onlyKind({ kinds }: Query): string {
  return kinds?.length === 1 ? ` (${kinds[0]})` : "";
}

async function lineOf(view: View, match: SymbolMatch, tellsKind: boolean): Promise<string> {
  const { declaration } = match;
  // The tree of a file like lib.dom.d.ts is not worth one line.
  const [detail] = match.origin === "global" ? [] : await inspectMatches(view, [match]);
  const address = await shortAddress(view, declaration);
  const kind = detail?.kind ?? declaration.kind;
  // What an object literal inside a function holds is clear from its value; there are very many of them.
  const isLiteral = declaration.local && declaration.kind === "property";
  // For a declaration that fills the line, the compiler is not asked for a type that would not be seen.
  const isClear =
    detail !== undefined && (isLiteral || detail.header.length > LINE_WIDTH || hasWrittenType(detail.node));
  const info =
    match.origin === "global"
      ? await libraryHeader(declaration)
      : isClear
        ? undefined
        : await quickInfo(view, declaration.file, declaration.at);
  const { words, rest } = withoutName(oneLine(info ?? detail?.header ?? declaration.name), kind, declaration.name);
  const shown = rest.length > LINE_WIDTH ? `${rest.slice(0, LINE_WIDTH - 1)}…` : rest;
  // What a dependency offers is exported.
  const modifiers = match.origin === "project" ? words : "";
  // A type tells a property from a method.
  const isMember = (kind === "property" || kind === "method") && declaration.path.includes(".");
  const what = `${modifiers}${tellsKind && !isMember ? kind : ""}`.trimEnd();
  return `  ${address}  ${declaration.at.line + 1}: ${[what, shown].filter((part) => part !== "").join(" ")}`;
}

/** `export function add(a: number): void` is an "export" function with the type `(a: number): void`: the address has the name. */
function withoutName(text: string, kind: string, name: string): { readonly words: string; readonly rest: string } {
  for (const head of [`${kind} ${name}`, name]) {
    const at = text.indexOf(head);
    const before = text.slice(0, at);
    const rest = text.slice(at + head.length);
    const isWhole = at >= 0 && /^(?:[a-z]+ )*$/.test(before) && /^(?:[:(<=]| (?:extends|implements|=)|$)/.test(rest);
    if (isWhole) return { words: before.replace(/(?:var|let|const) $/, ""), rest: rest.replace(/^: |^ (?:= )?/, "") };
  }
  return { words: "", rest: text };
}
