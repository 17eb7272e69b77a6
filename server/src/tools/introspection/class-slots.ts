/** The tool `class_slots`: what a class, interface, object type, enum or object consists of, inherited members by origin. */
import { classMembers, type ClassMembers } from "../../typescript/shapes/class-members.ts";
import type { MemberGroup, ClassMember } from "../../typescript/shapes/member-facts.ts";
import { isLibFile } from "../../typescript/names/index/external-names.ts";
import { syntaxWarning } from "../answers/rendered/syntax-warning.ts";
import type { SymbolTarget } from "../../typescript/names/tree/declaration.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import type { View } from "../../typescript/view.ts";
import type { Tool, ToolAnswer } from "../tool.ts";
import { groupedAnswer, scopeSchema, pageOf, pageSchema, place, type Paging } from "../answers/answer-text.ts";
import { defineSymbolQuestion } from "./define-question.ts";
import { cut, groupedLines } from "../answers/grouped-lines.ts";
import { plural } from "../../base/plural.ts";

const input = {
  type: "object",
  properties: {
    symbol: {
      type: "string",
      description:
        "The class, interface, object type, enum or object: name, Outer.member, src/file.ts#Name, pkg#Export. Globals work too.",
    },
    path: scopeSchema,
    ...pageSchema,
  },
  required: ["symbol"],
  additionalProperties: false,
} as const;

const MAX_TYPE = 300;
const MAX_INITIALIZER = 60;
const MAX_DOCUMENTATION = 60;
const MAX_INDENT = 6;
const MAX_FOLDED_NAMES = 12;
const MANY_INHERITED = 15;

export function createClassSlots(service: TypeScriptService): Tool {
  return defineSymbolQuestion(service, {
    name: "class_slots",
    description:
      "All members of a class, interface, object type, enum or object: modifiers, types, initialisers; then the inherited ones by origin.",
    input,
    categories: ["clos"],
    whenNameless: "Name the class, interface, type or enum to look up.",
    answer: async (view, target, args) => {
      const found = await classMembers(view, target);
      if (found === undefined) return { content: `${target.address} is no longer part of the loaded projects.` };
      if (found.shape === "other") return { content: withoutMembers(target, found) };
      return answer(view, { target, found, warnings: await syntaxWarning(view, found.detail) }, args);
    },
  });
}

/** What a symbol without members is instead, and which tool answers about that. */
function withoutMembers(target: SymbolTarget, { detail, type }: ClassMembers): string {
  const { kind } = detail;
  const what = `${target.address} is ${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}`;
  if (["function", "method", "constructor"].includes(kind)) {
    return `${what}, not a class or type with members. describe_symbol says how to call it.`;
  }
  if (kind === "namespace") return `${what}. list_package_symbols lists what it holds.`;
  const stands = kind === "type" ? "that stands for" : "of type";
  const shown = type === "" ? "" : ` ${stands} ${cut(type, MAX_TYPE)}`;
  return `${what}${shown}, not an object type: it has no members of its own to list. describe_symbol says more.`;
}

interface Found {
  readonly target: SymbolTarget;
  readonly found: ClassMembers;
  readonly warnings: readonly string[];
}

function answer(view: View, { target, found, warnings }: Found, paging: Paging): ToolAnswer {
  const { detail, own, inherited } = found;
  const entries = [
    ...own.map((member) => ({ group: "Own", text: memberLine(view, member, detail.source.fileName) })),
    ...inherited.flatMap((group) => {
      const title = { group: groupTitle(view, group) };
      // Everybody knows what the language declares, or asks about it by its name.
      if (isOfLanguage(group.file) && !isOfLanguage(detail.source.fileName))
        return [{ group: "", text: foldedLine(view, group) }];
      if (isFolded(group)) return [{ ...title, text: namesOf(view, group) }];
      return group.members.map((member) => ({ ...title, text: memberLine(view, member, group.file) }));
    }),
  ];
  const page = pageOf(
    entries.map((entry) => entry.text),
    paging,
  );
  const lines = [
    `${target.address} — ${cut(detail.header, MAX_TYPE)}`,
    `${declaredAt(view, target, found)}: ${counts(found)}`,
    ...warnings,
    ...remarks(view, target, found),
    ...(inherited.length === 0 ? ["", ...page.lines] : groupedLines(entries, page)),
  ];
  return groupedAnswer(lines, page, entries.length, "members");
}

/** The address begins with the file already. */
function declaredAt(view: View, { address }: SymbolTarget, { detail }: ClassMembers): string {
  const isSaid = address.startsWith(`${view.paths.show(detail.source.fileName)}#`);
  const { at } = detail.declaration;
  return isSaid ? `line ${at.line + 1}` : place(view, detail.source.fileName, at);
}

function counts({ shape, own, inherited }: ClassMembers): string {
  const above = inherited.reduce((sum, group) => sum + group.members.length, 0);
  if (shape === "enum") return plural(own.length, "member");
  if (shape === "union") return `${plural(own.length + above, "member")} that all parts of the union share`;
  return above === 0 ? `${plural(own.length, "member")}, none inherited` : `${own.length} own, ${above} inherited`;
}

function remarks(view: View, target: SymbolTarget, found: ClassMembers): string[] {
  const { shape, own, inherited, staticBlocks, valueType } = found;
  const blocks = staticBlocks.map(({ file, at }) => place(view, file, at)).join(", ");
  const hasConstructor = own.some((member) => member.kind === "constructor");
  const inheritsOne = shape === "class" && !hasConstructor && inherited.length > 0;
  const isEmpty = own.length === 0 && inherited.length === 0;
  return [
    ...(shape === "union" ? ["A union: for the rest ask about one of its parts."] : []),
    ...(staticBlocks.length > 0
      ? [`${plural(staticBlocks.length, "static block")} run when the class is made: ${blocks}`]
      : []),
    ...(inheritsOne ? ["No constructor of its own: it takes what its base's takes."] : []),
    ...(valueType === undefined
      ? []
      : [`There is also a value of this name, of type ${cut(valueType, MAX_TYPE)}: its members are the static ones.`]),
    ...(isEmpty && shape === "object type"
      ? ["It has no members; describe_symbol says whether it can be called."]
      : []),
  ];
}

function groupTitle(view: View, { origin, file }: MemberGroup): string {
  return `From ${origin}, in ${view.paths.show(file)}`;
}

/**
 * A large base without type arguments looks the same from its heirs; of a class expression, which has no name to ask by,
 * all is told.
 */
function isFolded({ origin, members }: MemberGroup): boolean {
  return members.length > MANY_INHERITED && /^[\w$.]+$/.test(origin);
}

/** The names with their lines, and how to see their types. */
function namesOf(view: View, { origin, file, members }: MemberGroup): string {
  const names = members.map(({ name, kind, at, types, file: own }) => {
    const line = own === file ? ` ${at.line + 1}` : "";
    return `${name === "" ? kind : name}${line}${types.length > 1 ? ` ×${types.length}` : ""}`;
  });
  return `  ${names.join(", ")}\n  (class_slots ${view.paths.show(file)}#${origin} tells their types)`;
}

/** The language, and Node with it. */
function isOfLanguage(file: string): boolean {
  return isLibFile(file) || /[/\\]node_modules[/\\]@types[/\\]node[/\\]/.test(file);
}

function foldedLine(view: View, group: MemberGroup): string {
  const { origin, members } = group;
  const names = [...new Set(members.map(({ name }) => name))].filter((name) => name !== "");
  const shown = names.slice(0, MAX_FOLDED_NAMES).join(", ");
  const left = names.length - MAX_FOLDED_NAMES;
  const more = left > 0 ? ` and ${left} more (class_slots ${origin.replace(/<.*/s, "")})` : "";
  return `${groupTitle(view, group)}: ${shown}${more}`;
}

/** `home` is the file that the group's title names. */
function memberLine(view: View, member: ClassMember, home: string): string {
  const where = member.file === home ? String(member.at.line + 1) : place(view, member.file, member.at);
  const documentation = member.documentation === "" ? "" : `  — ${cut(member.documentation, MAX_DOCUMENTATION)}`;
  const isUntyped = /\.[cm]?jsx?$/.test(member.file);
  const [first = "", ...more] = member.types
    .map((type) => typedName(member, cut(type, MAX_TYPE)))
    // A type `any` in JavaScript is inferred: nobody wrote it.
    .map((text) => (isUntyped ? text.replaceAll(/: any(?=[,)]|$)/g, "") : text));
  const indent = " ".repeat(Math.min(where.length, MAX_INDENT) + 4);
  const ending = `${initial(member)}${setterText(member)}${documentation}`;
  return [`  ${where}: ${modifierText(member)}${first}${ending}`, ...more.map((text) => `${indent}${text}`)].join("\n");
}

function modifierText({ kind, modifiers }: ClassMember): string {
  const words = modifiers.filter((each) => each !== "#private" && each !== "export");
  const accessor = kind === "getter" ? ["get"] : kind === "setter" ? ["set"] : kind === "accessor" ? ["get/set"] : [];
  return [...words, ...accessor, ""].join(" ");
}

function typedName({ name, kind, optional, modifiers, inferred }: ClassMember, type: string): string {
  const mark = optional ? "?" : "";
  switch (kind) {
    case "method":
      return `${name}${mark}${type}`;
    case "constructor":
      return `constructor${type}`;
    case "construct signature":
      return `new ${type}`;
    case "call signature":
    case "index signature":
      return type;
    case "enum member":
      return name;
    case "parameter property":
      return `${name}${mark}: ${type}  (parameter property)`;
    default:
      // A declaration file does not say the types of what is private.
      return isPrivate(modifiers) && inferred && type === "any" ? `${name}${mark}` : `${name}${mark}: ${type}`;
  }
}

function isPrivate(modifiers: readonly string[]): boolean {
  return modifiers.includes("private") || modifiers.includes("#private");
}

function initial({ kind, initializer, value }: ClassMember): string {
  if (kind === "enum member") {
    if (value === undefined)
      // A function's type has been said already.
      return initializer === undefined || initializer.endsWith("…")
        ? ""
        : ` = ${cut(initializer, MAX_INITIALIZER)} (computed)`;
    const text = typeof value === "string" ? JSON.stringify(value) : String(value);
    const source = initializer === undefined || initializer === text ? "" : `  (${cut(initializer, MAX_INITIALIZER)})`;
    return ` = ${text}${source}`;
  }
  // A function's type has been said already.
  return initializer === undefined || initializer.endsWith("…") ? "" : ` = ${cut(initializer, MAX_INITIALIZER)}`;
}

function setterText({ setterType }: ClassMember): string {
  return setterType === undefined ? "" : `, set with ${cut(setterType, MAX_TYPE)}`;
}
