/**
 * Puts the declarations of a form into a module's source, for a reload of the module: a known declaration is replaced
 * at its place, and a new one is added at the end. Lines before a replaced declaration do not move.
 */
import MagicString from "magic-string";
import { moduleOutline } from "../source/module-outline.ts";
import {
  NAMELESS,
  type DeclarationKind,
  type ModuleOutline,
  type OutlineDeclaration,
} from "../source/outline-types.ts";
import { chain, mapperOf, type PositionMapper } from "../source/source-position.ts";

export interface Merged {
  readonly text: string;
  /** From positions in the merged text to positions in the source. */
  readonly mapper: PositionMapper;
}

/** Puts one form after the other into the source. */
export function mergeForms(
  path: string,
  source: string,
  forms: readonly string[],
): Merged | { readonly reason: string } {
  let merged: Merged = { text: source, mapper: (position) => position };
  for (const form of forms) {
    const next = mergeForm(path, merged.text, form);
    if ("reason" in next) return next;
    merged = { text: next.text, mapper: chain(next.mapper, merged.mapper) };
  }
  return merged;
}

const NO_EXPORT = "A module of CommonJS has no `export`, and takes new exports while it runs.";

function mergeForm(path: string, source: string, form: string): Merged | { readonly reason: string } {
  const before = moduleOutline(path, source);
  const after = moduleOutline(path, form);
  if (before === undefined || after === undefined) {
    // `export` is not valid in a CommonJS module that is written as JavaScript; such a module gets new exports while it
    // runs.
    const isPlain = /\.cjs$/.test(path) && moduleOutline("form.ts", form) !== undefined;
    const what = before === undefined ? "The module" : "The form";
    return { reason: isPlain ? `${NO_EXPORT} Leave reload out.` : `${what} does not parse.` };
  }
  const edited = new MagicString(source);
  const done = new Set<number>();
  for (const declaration of statementsOf(after)) {
    if (done.has(declaration.start)) continue;
    done.add(declaration.start);
    const reason = place(edited, declaration, { before, after, form });
    if (reason !== undefined) return { reason };
  }
  for (const text of newImports(before, after, form)) edited.append(`\n${text}`);
  for (const { start, end } of after.statements) edited.append(`\n${form.slice(start, end)}`);
  // The map is made only for callers that need it.
  let mapper: PositionMapper | undefined;
  const mapped: PositionMapper = (position) => (mapper ??= mapperOf(edited.generateMap({ hires: true })))(position);
  return { text: edited.toString(), mapper: mapped };
}

/** The declarations that are statements of their own. The overloads of a function belong to its implementation. */
function statementsOf({ declarations }: ModuleOutline): readonly OutlineDeclaration[] {
  return declarations.filter(({ isAmbient, kind }) => !isAmbient || isType(kind));
}

/** The declarations of a module that a declaration of a form replaces. */
export function replacedBy(
  before: ModuleOutline,
  after: ModuleOutline,
  declaration: OutlineDeclaration,
): readonly OutlineDeclaration[] {
  return sameIn(before, after, declaration).filter((each) => !standsBeside(each.kind, declaration.kind));
}

function sameIn(
  before: ModuleOutline,
  after: ModuleOutline,
  { start, kind }: OutlineDeclaration,
): readonly OutlineDeclaration[] {
  const names = namesAt(after, start);
  return before.declarations.filter((each) => names.includes(each.name) && isType(each.kind) === isType(kind));
}

function namesAt({ declarations }: ModuleOutline, start: number): readonly string[] {
  return declarations.filter((each) => each.start === start).map((each) => each.name);
}

function isType(kind: DeclarationKind): boolean {
  return kind === "interface" || kind === "type";
}

interface Texts {
  readonly before: ModuleOutline;
  readonly after: ModuleOutline;
  readonly form: string;
}

/** Undefined, or the reason why the declaration cannot be put into the module. */
function place(
  edited: MagicString,
  declaration: OutlineDeclaration,
  { before, after, form }: Texts,
): string | undefined {
  const { start, end, name, exported } = declaration;
  const names = namesAt(after, start);
  const same = sameIn(before, after, declaration);
  const old = replacedBy(before, after, declaration);
  const [first, ...more] = [...new Map(old.map((each) => [each.start, each])).values()];
  const text = form.slice(start, end);
  if (first === undefined) {
    const isShared = !exported && same.some((each) => each.exported);
    return void edited.append(`\n${isShared ? "export " : ""}${text}`);
  }
  const neighbours = before.declarations.filter((each) => each.start === first.start && !names.includes(each.name));
  if (neighbours.length > 0) {
    return `${name} is declared in one statement with ${neighbours[0]?.name ?? ""}: give that whole statement.`;
  }
  const isDefault = before.exports.get("default") === first.name && first.name !== NAMELESS;
  const prefix = exported || !first.exported ? "" : isDefault ? "export default " : "export ";
  edited.overwrite(first.start, first.end, prefix + text);
  for (const each of more) edited.remove(each.start, each.end);
  return undefined;
}

/** A namespace and a class, function or enum of the same name belong together: one stays when the other is replaced. */
function standsBeside(one: DeclarationKind, other: DeclarationKind): boolean {
  const isMain = (kind: DeclarationKind): boolean => kind === "class" || kind === "function" || kind === "enum";
  return (one === "namespace" && isMain(other)) || (isMain(one) && other === "namespace");
}

/** The import lines to add. Imports are hoisted, and at the end of the text they move no other line. */
function newImports(before: ModuleOutline, after: ModuleOutline, form: string): string[] {
  const known = new Set(before.imports.map(({ local }) => local));
  const lines = [...form.matchAll(/^[ \t]*(?:import|export)\b[^;]*?\bfrom\s*(["']).*?\1;?/gm)].map(([line]) => line);
  if (after.imports.every(({ local }) => known.has(local)) && after.reexports.length === 0) return [];
  return lines;
}
