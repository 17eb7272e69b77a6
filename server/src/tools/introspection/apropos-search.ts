/** The tool `apropos_search`: symbols by part of their name. */
import { hasWrittenType, oneLine } from "../../typescript/names/inspect-declaration.ts";
import { PatternProblem } from "../../typescript/names/name-pattern.ts";
import { quickInfo } from "../../typescript/shapes/describe.ts";
import { bestMatches, inspectMatches, searchSymbols, type SymbolMatch } from "../../typescript/names/search-symbols.ts";
import { formatAddress } from "../../typescript/names/address.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import type { View } from "../../typescript/view.ts";
import { mapLimited } from "../../typescript/yielding.ts";
import { defineTool, ToolFailure, type Tool, type ToolAnswer } from "../tool.ts";
import {
  answerFrom,
  packageSchema,
  pageFields,
  pageLine,
  pageOf,
  pageSchema,
  plural,
  searched,
} from "./answer-text.ts";

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
    package: packageSchema,
    kinds: { type: "array", items: { enum: KINDS }, description: "Only these kinds." },
    ...pageSchema,
  },
  required: ["pattern"],
  additionalProperties: false,
} as const;

const DEFAULT_LIMIT = 30;

interface Query {
  readonly pattern: string;
  readonly package?: string | undefined;
  readonly kinds?: readonly (typeof KINDS)[number][] | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export function createAproposSearch(service: TypeScriptService): Tool {
  return defineTool({
    name: "apropos_search",
    description:
      "Find symbols by part of their name, camel humps or /regex/: the project's own, exported or not, then what dependencies export, then globals. Best matches first, each with kind, one-line type and its address for the other tools.",
    input,
    safety: "safe",
    categories: ["introspection"],
    run: (args, context) => answerFrom(service, context.signal, (view) => search(view, args)),
  });
}

async function search(view: View, query: Query): Promise<ToolAnswer> {
  const { matches, unknownPackage, outermostOnly } = await searchSymbols(view, query.pattern, query.package).catch(
    (error: unknown) => {
      throw error instanceof PatternProblem ? new ToolFailure(error.message) : error;
    },
  );
  if (unknownPackage)
    return { content: `No file, package or tsconfig "${query.package}" is part of the loaded projects.` };
  const kept = await ofKinds(view, matches, query.kinds);
  const limits = outermostOnly.map(
    (file) => `${view.paths.show(file)} is very large: only its outermost names were searched.`,
  );
  if (kept.length === 0)
    return {
      content: `No symbol matches ${query.pattern}.\n${[...limits, ...view.state.notes, searched(view)].join("\n")}`,
      complete: limits.length === 0,
    };
  const first = query.cursor === undefined ? 0 : Number.parseInt(query.cursor, 10) || 0;
  const wanted = query.limit ?? DEFAULT_LIMIT;
  // Only what is shown gets its type looked up; the rest are counted.
  const shown = (await bestMatches(kept, first + wanted)).slice(first);
  const lines = await mapLimited(shown, (match) => lineOf(view, match), view.signal);
  const entries = kept.map((_match, index) => lines[index - first] ?? "");
  const page = pageOf(entries, { ...query, limit: wanted });
  const head = `${plural(kept.length, "symbol")} ${kept.length === 1 ? "matches" : "match"} ${query.pattern}${countsOf(kept)}`;
  return {
    content: [head, ...page.lines, ...pageLine(page, kept.length, "symbols")].join("\n"),
    ...pageFields(page),
    complete: limits.length === 0,
    notes: limits,
  };
}

/** `export { a } from` entries and the wrong kinds out; only what cannot be told from the outline is looked into. */
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

async function lineOf(view: View, match: SymbolMatch): Promise<string> {
  const { declaration } = match;
  // The tree of a file like lib.dom.d.ts is not worth one line.
  const [detail] = match.origin === "global" ? [] : await inspectMatches(view, [match]);
  const address = formatAddress(view.paths.show(declaration.file), declaration.path);
  const kind = detail?.kind ?? declaration.kind;
  // What an object literal inside a function holds is clear from its value; there are very many of them.
  const isLiteral = declaration.local && declaration.kind === "property";
  const isClear = detail !== undefined && (isLiteral || hasWrittenType(detail.node));
  const info = isClear ? undefined : await quickInfo(view, declaration.file, declaration.at);
  const text = oneLine(info ?? detail?.header ?? declaration.name);
  return `  ${address}  ${kind}, line ${declaration.at.line + 1}: ${text.length > 110 ? `${text.slice(0, 109)}…` : text}`;
}
