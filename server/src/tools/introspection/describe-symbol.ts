/** The tool `describe_symbol`: what a symbol is, where it comes from, and who touches it. */
import {
  describeTarget,
  moduleEntries,
  type MemberSummary,
  type SymbolDescription,
} from "../../typescript/shapes/describe.ts";
import { headOf } from "../../base/cut-text.ts";
import type { LiveValue } from "../../repl/image.ts";
import { inspectDeclaration, kindOf } from "../../typescript/names/tree/inspect-declaration.ts";
import { livePath } from "../../typescript/names/live-path.ts";
import type { SymbolTarget } from "../../typescript/names/tree/declaration.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import type { View } from "../../typescript/view.ts";
import { writtenAddress } from "../../typescript/expand/written-address.ts";
import type { Tool, ToolAnswer } from "../tool.ts";
import type { expandForm } from "./expand-form.ts";
import { listAnswer, scopeSchema, pageOf, pageSchema, place, type Paging } from "../answers/answer-text.ts";
import { defineSymbolQuestion } from "./define-question.ts";
import { foldedForm } from "../answers/rendered/folded-form.ts";
import { plural } from "../../base/plural.ts";

const input = {
  type: "object",
  properties: {
    symbol: {
      type: "string",
      description: "name, Outer.member, src/file.ts#Outer.member, pkg#Export; overload #2. Globals work too.",
    },
    path: scopeSchema,
    ...pageSchema,
  },
  required: ["symbol"],
  additionalProperties: false,
} as const;

/** What no address has outside of quotes. */
const TYPE = /[<>|&{]|^\s*(?:keyof|typeof)\s/;
const MAX_DOCUMENTATION = 1_200;
const MAX_SIGNATURES = 2_400;
const MAX_FILES = 12;
/** Files with the most references; who_references tells all. */
const MAX_COUNTED = 6;
const CONTAINERS = new Set(["class", "interface", "enum", "namespace"]);

/**
 * What a name of a loaded module holds in the running program. Contract: answers undefined, and starts nothing, where
 * there is no value to see; answers within a moment; runs nothing of the user's; never rejects.
 */
export type LiveValuePort = (request: {
  readonly file: string;
  readonly path: readonly string[];
}) => Promise<LiveValue | undefined>;

export function createDescribeSymbol(service: TypeScriptService, liveValue?: LiveValuePort): Tool {
  return defineSymbolQuestion(service, {
    name: "describe_symbol",
    description:
      "What a symbol is: signatures with inferred types, documentation, place, exports, which files refer to it, tests that name it, its members in short, its live value in the REPL; or what a type (Partial<User>) stands for. Globals and dependencies too.",
    input,
    isAboutMentions: true,
    instead: ({ symbol, path }, { signal }) => {
      const isType = TYPE.test(symbol) && writtenAddress(symbol.trim()) === undefined;
      return isType ? whatTypeStandsFor(service, { form: symbol, path, as: "type" }, signal) : undefined;
    },
    answerModule: describeModule,
    answer: async (view, target, args) => {
      const [description, live] = await Promise.all([describeTarget(view, target), liveLines(view, target, liveValue)]);
      return describe(view, description, live, args);
    },
  });
}

/** The parser comes with it. */
async function whatTypeStandsFor(...asked: Parameters<typeof expandForm>): Promise<ToolAnswer> {
  const { expandForm } = await import("./expand-form.ts");
  return expandForm(...asked);
}

async function describeModule(view: View, file: string, paging: Paging): Promise<ToolAnswer> {
  const entries = await moduleEntries(view, file);
  const exported = entries.filter((entry) => entry.exported).length;
  const lines = entries.map((entry) => `  ${entry.at.line + 1}: ${cut(entry.header, 140)}`);
  const page = pageOf(lines, paging);
  const head = `${view.paths.show(file)} — module, ${plural(exported, "export")}, ${entries.length - exported} internal`;
  const star = "Names that `export *` passes on are not listed here.";
  const source = (await view.source(file))?.source.text ?? "";
  const stars = /^\s*export\s*\*\s*from/m.test(source) ? [star] : [];
  const answer = listAnswer([head, ...page.lines], page, lines.length, "names");
  return { ...answer, content: [answer.content, ...stars].join("\n") };
}

async function liveLines(view: View, target: SymbolTarget, port: LiveValuePort | undefined): Promise<string[]> {
  const [declaration] = target.declarations;
  if (port === undefined || !view.paths.isOwn(declaration.file)) return [];
  const detail = await inspectDeclaration(view, declaration);
  const path = detail === undefined ? undefined : livePath(detail.node);
  const found = path === undefined ? undefined : await port({ file: declaration.file, path });
  if (found === undefined) return [];
  if (found.kind === "busy") return ["Live value: not looked at, the REPL is busy"];
  const loaded = found.loadedAt.toTimeString().slice(0, 5);
  const text = found.isUnchanged
    ? "text unchanged since"
    : "its text CHANGED since, so this is the value of the old code";
  const { redefinitions = [] } = found;
  const since = redefinitions.length === 0 ? text : redefined(redefinitions, path?.join("."));
  const value = found.kind === "value" ? found.text : "none yet, the module has not run this declaration";
  return [`Live value: ${value} (REPL, module loaded ${loaded}, ${since})`];
}

/** The note that the running definition is not the one in the source. */
function redefined(all: NonNullable<LiveValue["redefinitions"]>, shown: string | undefined): string {
  const told = all.map(({ name, evalId }) => `${name === shown ? "redefined" : `${name} set`} by form ${evalId}`);
  return `${told.join(", ")} of the REPL: NOT what the file says`;
}

function describe(view: View, description: SymbolDescription, live: readonly string[], paging: Paging): ToolAnswer {
  const lines = [...heading(view, description), ...documentation(description), ...origin(view, description), ...live];
  lines.push(...references(view, description));
  if (description.members.length > MANY_MEMBERS && paging.cursor === undefined && paging.limit === undefined)
    return { content: [...lines, "", ...membersInShort(description)].join("\n"), truncated: true, nextCursor: "0" };
  const members = description.members.map((member) => memberLine(view, description, member));
  const page = pageOf(members, { ...paging, budget: 4_000 });
  if (members.length > 0) lines.push("", `${plural(members.length, "member")}:`, ...page.lines);
  return listAnswer(lines, page, members.length, "members");
}

/** From so many members on only their names are listed, with their lines. */
const MANY_MEMBERS = 20;
const MAX_NAMES = 120;

function membersInShort({ target, members }: SymbolDescription): string[] {
  const names = [...Map.groupBy(members, ({ name, header }) => name || header)].map(([name, [first, ...more]]) => {
    const line = first?.file === target.file ? ` ${first.at.line + 1}` : "";
    return `${cut(name, 60)}${line}${more.length === 0 ? "" : ` ×${more.length + 1}`}`;
  });
  const left = names.length - MAX_NAMES;
  return [
    `${members.length} members with their lines (class_slots: their types; cursor: "0" lists them):`,
    `  ${names.slice(0, MAX_NAMES).join(", ")}${left > 0 ? `, and ${left} more` : ""}`,
  ];
}

function memberLine(view: View, { target }: SymbolDescription, { file, at, header }: MemberSummary): string {
  const where = file === target.file ? String(at.line + 1) : `${view.paths.show(file)}:${at.line + 1}`;
  return `  ${where}: ${cut(header, 140)}`;
}

function heading(view: View, description: SymbolDescription): string[] {
  const { target, details, signatures, members, overloadWords } = description;
  const [first] = details;
  const kinds = details.length === 0 ? [target.declarations[0].kind] : details.map((detail) => detail.kind);
  const kind = [...new Set(kinds)].join(" + ");
  const modifiers = first?.modifiers.filter((modifier) => modifier !== "const") ?? [];
  const line = isFileSaid(view, target) ? `, line ${target.declarations[0].at.line + 1}` : "";
  const what = [...modifiers, kind].join(" ");
  const lines = [`${target.address} — ${what}${line}`];
  const overloads = target.declarations.length;
  const isOverloaded = details.filter((detail) => FUNCTIONS.has(detail.kind)).length > 1;
  const isContainer = details.every((detail) => CONTAINERS.has(detail.kind));
  // For a container the declaration says more than the compiler's short form: what it extends and implements.
  const forms = isContainer && details.length > 0 ? [...new Set(details.map((detail) => detail.header))] : signatures;
  for (const [index, form] of forms.entries()) {
    if (form === `${what} ${target.path}`) continue;
    const isImplementation = isOverloaded && details[index] !== undefined && isImplementationOf(details[index].node);
    lines.push(
      indent(cut(foldedForm(form, members.length), Math.floor(MAX_SIGNATURES / forms.length))) +
        (isImplementation ? "  — implementation, not callable itself" : ""),
    );
    const words = overloadWords[index];
    if (words !== undefined) lines.push(...wordLines(words, forms.length).map(indent));
  }
  if (overloads > 1 && first?.kind !== "getter" && first?.kind !== "setter") {
    lines.push(`  ${plural(overloads, "declaration")}: ${places(view, target)}`);
  }
  return lines;
}

/** The address begins with the file. */
function isFileSaid(view: View, { address, declarations: [{ file }] }: SymbolTarget): boolean {
  return address.startsWith(`${view.paths.show(file)}#`);
}

/** `src/a.ts:12, 13, src/b.ts:4`: each file once. */
function places(view: View, { declarations }: SymbolTarget): string {
  const shown = declarations.map(({ file, at }, index) => {
    const isSame = declarations[index - 1]?.file === file;
    return isSame ? String(at.line + 1) : place(view, file, at);
  });
  return shown.join(", ");
}

const FUNCTIONS: ReadonlySet<string> = new Set(["function", "method", "constructor"]);

/** An implementation beside overloads cannot be called by its own signature. */
function isImplementationOf(node: SymbolDescription["details"][number]["node"]): boolean {
  return FUNCTIONS.has(kindOf(node)) && (node as { readonly body?: unknown }).body !== undefined;
}

function documentation(description: SymbolDescription): string[] {
  const lines = wordLines(description, 1);
  return lines.length === 0 || description.documentation === "" ? lines : ["", ...lines];
}

/** The words of one of so many overloads. */
function wordLines(
  { documentation: text, tags }: Pick<SymbolDescription, "documentation" | "tags">,
  of: number,
): string[] {
  const lines = text === "" ? [] : [indent(cut(text, Math.floor(MAX_DOCUMENTATION / of)))];
  for (const { name, text: words } of tags.slice(0, 12)) lines.push(indent(cut(`@${name} ${words}`.trim(), 300)));
  return lines;
}

function origin(view: View, { target, details, exportedFrom }: SymbolDescription): string[] {
  const [declaration] = target.declarations;
  const [first] = details;
  const isMember = target.path.includes(".");
  const isExported = first?.modifiers.includes("export") === true;
  const own = exportedFrom.filter(({ file }) => file === declaration.file).map(({ name }) => name);
  // The words before the kind say already that a declaration is exported under its own name.
  const aliases = [...new Set(own)].filter((name) => name !== target.path && !(isExported && name === "default"));
  const isByOwnName = aliases.length > 0 && !isExported && own.includes(target.path);
  const names = [...(isByOwnName ? [target.path] : []), ...aliases];
  const isSaid = isMember || (isExported && names.length === 0);
  const exported = isSaid || own.length === 0 ? [] : [`Exported${names.length > 0 ? ` as ${names.join(", ")}` : ""}`];
  const isInternal = !isMember && !isExported && own.length === 0 && view.paths.isOwn(declaration.file);
  const declared = isFileSaid(view, target) ? [] : [`Declared at ${place(view, declaration.file, declaration.at)}`];
  const lines = [...declared, ...exported];
  const passing = exportedFrom.filter(({ file }) => file !== declaration.file);
  const others = passing.map(({ file, name }) => `${view.paths.show(file)} as ${name}`);
  if (others.length > 0) lines.push(`Passed on by ${[...new Set(others)].slice(0, MAX_FILES).join(", ")}`);
  if (isInternal && passing.length === 0) lines.push("Not exported");
  return lines;
}

function references(view: View, { references: files }: SymbolDescription): string[] {
  const total = files.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return [view.isComplete ? "No references in the project" : "No references in what was searched"];
  const shown = files.slice(0, MAX_COUNTED).map(({ file, count }) => `${view.paths.show(file)} ${count}`);
  const left = files.length - shown.length;
  const rest = left > 0 ? `, and ${plural(left, "more file")}` : "";
  const tests = files.filter(({ isTest }) => isTest).map(({ file }) => view.paths.show(file));
  const more = tests.length > MAX_FILES ? ` and ${tests.length - MAX_FILES} more` : "";
  const named = tests.length === 0 ? [] : [`Tests that name it: ${tests.slice(0, MAX_FILES).join(", ")}${more}`];
  const none = tests.length === 0 ? ", none in tests" : "";
  return [
    `${plural(total, "reference")} in ${plural(files.length, "file")}${none}: ${shown.join(", ")}${rest}`,
    ...named,
  ];
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = headOf(text, length);
  return `${head}… (${text.length - head.length} characters left out)`;
}
