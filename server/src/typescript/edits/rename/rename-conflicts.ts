/** What a new name would collide with: the compiler renames without looking. */
import { SymbolFlags, type Symbol } from "typescript/unstable/async";
import {
  getTouchingPropertyName,
  isEnumDeclaration,
  isEnumMember,
  isExportSpecifier,
  isIdentifier,
  isImportClause,
  isImportSpecifier,
  isJsxClosingElement,
  isJsxOpeningLikeElement,
  isModuleBlock,
  isModuleDeclaration,
  isNamespaceImport,
  type Node,
} from "typescript/unstable/ast";
import type { RenameConflict, RenamePlace } from "./rename-place.ts";
import { declarationsOfSymbol, exportedDeclarations } from "../../names/tree/checker-lookup.ts";
import { declarationAround } from "../../names/tree/inspect-declaration.ts";
import { findMemberConflicts, findUseConflicts, isMemberDeclaration } from "./member-conflicts.ts";
import { wordsIn } from "../mentions.ts";
import { bindingScope, isScopedName } from "./name-scopes.ts";
import { nameNodeOf } from "../../names/tree/qualified-name.ts";
import { byPlace } from "../../xref/references/references.ts";
import type { Reference } from "../../places.ts";
import type { SymbolTarget } from "../../names/tree/declaration.ts";
import type { SourceView, View } from "../../view.ts";
import { mapLimited } from "../../yielding.ts";

export interface RenameConflicts {
  readonly conflicts: readonly RenameConflict[];
}

const MEANINGS: readonly SymbolFlags[] = [SymbolFlags.Value, SymbolFlags.Type, SymbolFlags.Namespace];
const NO_MEANING: SymbolFlags = SymbolFlags.None;
const ANY_MEANING: SymbolFlags = SymbolFlags.Value | SymbolFlags.Type | SymbolFlags.Namespace;

export interface Renamed {
  readonly newName: string;
  readonly places: readonly RenamePlace[];
  /** Modules that pass the symbol on by `export *`. */
  readonly starred: readonly string[];
}

export async function findRenameConflicts(
  view: View,
  target: SymbolTarget,
  { newName, places, starred }: Renamed,
): Promise<RenameConflicts> {
  const byFile = [...Map.groupBy(places, (place) => place.file)];
  const found = await mapLimited(
    byFile,
    async ([file, own]) => {
      const source = await view.source(file);
      if (source === undefined) return [];
      const nodes = own.map((place) => nodeAt(source, place));
      const members = await findMemberConflicts(view, source, nodes, newName);
      const exported = await exportConflicts(view, source, nodes, newName);
      const intrinsic = intrinsicIn(nodes, newName);
      // A name that the file does not spell can only be a global, which a declaration of the file hides anyway.
      const words = wordsIn(source.source.text, newName);
      if (words.length === 0) return [...members, ...exported, ...intrinsic];
      const meaning = await meaningOf(source, nodes);
      const binding = nodes.find((node) => node !== undefined && declaredBy(node) !== undefined);
      const asking: Asking = { view, file: source, newName, meaning, binding };
      const uses = await Promise.all(own.map((place, index) => hiddenAt(asking, nodes[index], place)));
      const captured = await capturedIn(asking, words);
      return [...members, ...exported, ...intrinsic, ...uses.flat(), ...captured];
    },
    view.signal,
  );
  const declared = unique(found.flat());
  if (declared.length > 0) return { conflicts: declared };
  // What no declaration shows is looked for where the name is passed on and used.
  const passed = await Promise.all(starred.map((file) => starConflicts(view, target, file, newName)));
  const used = await mapLimited(
    byFile,
    async ([file, own]) => {
      const source = await view.source(file);
      if (source === undefined) return [];
      const nodes = own.flatMap((place) => nodeAt(source, place) ?? []);
      return findUseConflicts(view, source, nodes, newName);
    },
    view.signal,
  );
  return { conflicts: unique([...passed, ...used].flat()) };
}

/** What a module exports by itself beats what an `export *` passes on, and two that pass on one name pass on none. */
async function starConflicts(
  view: View,
  { declarations: [{ file, at }] }: SymbolTarget,
  module: string,
  newName: string,
): Promise<RenameConflict[]> {
  const [other] = await exportedDeclarations(view, module, newName);
  return other === undefined
    ? []
    : [{ kind: "declared", place: { file, at }, other: { file: other.file, at: other.at } }];
}

/** A module that already passes on another thing under the new name. */
async function exportConflicts(
  view: View,
  { source, program }: SourceView,
  nodes: readonly (Node | undefined)[],
  newName: string,
): Promise<RenameConflict[]> {
  const node = nodes.find((each) => each !== undefined && isExportSpecifier(each.parent));
  if (node === undefined) return [];
  const { checker } = program.project;
  const module = await checker.getSymbolAtLocation(source);
  const symbol = module === undefined ? undefined : await checker.getMemberInModuleExports(module, newName);
  if (symbol === undefined) return [];
  return [{ kind: "declared", place: referenceTo(node), other: await otherOf(view, program, symbol) }];
}

function intrinsicIn(nodes: readonly (Node | undefined)[], newName: string): RenameConflict[] {
  if (!/^[a-z]/.test(newName)) return [];
  const tags = nodes.filter((node) => node !== undefined && isTagName(node) && /^[^a-z]/.test(node.getText()));
  return tags.flatMap((node) =>
    node === undefined ? [] : [{ kind: "intrinsic", place: referenceTo(node), other: undefined }],
  );
}

function isTagName(node: Node): boolean {
  const { parent } = node;
  return (isJsxOpeningLikeElement(parent) || isJsxClosingElement(parent)) && parent.tagName === node;
}

interface Asking {
  readonly view: View;
  readonly file: SourceView;
  readonly newName: string;
  readonly meaning: SymbolFlags;
  /** What gives the renamed symbol its name in this file, when something does. */
  readonly binding: Node | undefined;
}

async function hiddenAt(
  { view, file: { program, source }, newName, meaning, binding }: Asking,
  node: Node | undefined,
  place: RenamePlace,
): Promise<RenameConflict[]> {
  // In `old: new` the scope's name is the new one; in `new: old` the scope's name stays. Members of an enum that collide
  // do so as members.
  if (node === undefined || place.edit.newText.startsWith(`${newName}: `)) return [];
  const declares = declaredBy(node);
  if (declares === undefined ? !isScopedName(node) : isEnumDeclaration(declares)) return [];
  const location = declares ?? node;
  const symbol = await program.project.checker.resolveName(newName, meaning, location, true);
  if (symbol === undefined) return [];
  const other = await otherOf(view, program, symbol);
  const scopes = (await scopesOf(program, symbol)).filter((each) => each.getSourceFile() === source);
  // The same name in an outer scope is no collision here: it becomes hidden, and `capturedIn` looks for its uses.
  if (declares === undefined) {
    const isNearer = binding === undefined || scopes.some((each) => isInside(each, bindingScope(binding), "strictly"));
    return isNearer ? [{ kind: "hidden", place, other }] : [];
  }
  const own = bindingScope(node);
  return scopes.some((each) => isInside(each, own) && isInside(own, each)) ? [{ kind: "declared", place, other }] : [];
}

function isInside(inner: Node, outer: Node, how?: "strictly"): boolean {
  if (inner.pos < outer.pos || inner.end > outer.end) return false;
  return how === undefined || inner.pos > outer.pos || inner.end < outer.end;
}

/** Uses of the new name that would find the renamed declaration instead of what they mean now. */
async function capturedIn(
  { view, file: { program, source }, newName, meaning, binding }: Asking,
  words: readonly number[],
): Promise<RenameConflict[]> {
  if (binding === undefined) return [];
  const around = await scopesTogether(program, bindingScope(binding));
  const conflicts: RenameConflict[] = [];
  for (const offset of words) {
    const node = getTouchingPropertyName(source, offset);
    const scope = around.find(({ pos, end }) => pos <= offset && offset < end);
    if (scope === undefined || !isIdentifier(node) || node.text !== newName) continue;
    if (!isScopedName(node)) continue;
    const symbol = await program.project.checker.resolveName(newName, meaning, node);
    if (symbol === undefined) continue;
    const inside = (await scopesOf(program, symbol)).some(
      (each) => each.getSourceFile() === source && isInside(each, scope),
    );
    if (!inside)
      conflicts.push({ kind: "captured", place: referenceTo(node), other: await otherOf(view, program, symbol) });
  }
  return conflicts;
}

/** What an enum or a namespace declares in one of its blocks is visible in each of them. */
async function scopesTogether(program: SourceView["program"], scope: Node): Promise<Node[]> {
  const owner = isModuleBlock(scope) ? scope.parent : scope;
  if (!isModuleDeclaration(owner) && !isEnumDeclaration(owner)) return [scope];
  const symbol = await program.project.checker.getSymbolAtLocation(owner.name);
  const nodes = await Promise.all((symbol?.declarations ?? []).map((handle) => handle.resolve(program.project)));
  const others = nodes.filter((node) => node !== undefined && node.getSourceFile() === scope.getSourceFile());
  return [scope, ...others.flatMap((node) => node ?? [])];
}

/** Where the name that a declaration or an import makes is looked up from; undefined for any other node. */
function declaredBy(node: Node): Node | undefined {
  const { parent } = node;
  if (isImportSpecifier(parent)) return parent.name === node ? node.getSourceFile() : undefined;
  if (isImportClause(parent) || isNamespaceImport(parent)) return node.getSourceFile();
  if (isExportSpecifier(parent)) return undefined;
  const declaration = declarationAround(node);
  if (declaration === undefined || nameNodeOf(declaration) !== node) return undefined;
  if (isMemberDeclaration(declaration) && !isEnumMember(declaration)) return undefined;
  return declaration.parent;
}

async function scopesOf(program: SourceView["program"], symbol: Symbol): Promise<Node[]> {
  const nodes = await Promise.all(symbol.declarations.map((handle) => handle.resolve(program.project)));
  return nodes.flatMap((node) => (node === undefined ? [] : [bindingScope(nameNodeOf(node) ?? node)]));
}

/** Types, values and namespaces have names of their own: only the same sort can collide. */
async function meaningOf({ program }: SourceView, nodes: readonly (Node | undefined)[]): Promise<SymbolFlags> {
  const { checker } = program.project;
  for (const node of nodes) {
    if (node === undefined || !isIdentifier(node)) continue;
    const symbol = await checker.getSymbolAtLocation(node);
    if (symbol === undefined) continue;
    const isAlias = (symbol.flags & SymbolFlags.Alias) !== 0;
    const { flags } = isAlias ? await checker.getAliasedSymbol(symbol) : symbol;
    const meaning = MEANINGS.filter((each) => (flags & each) !== 0).reduce((all, each) => all | each, NO_MEANING);
    if (meaning !== NO_MEANING) return meaning;
  }
  return ANY_MEANING;
}

async function otherOf(view: View, program: SourceView["program"], symbol: Symbol): Promise<Reference | undefined> {
  const [first] = await declarationsOfSymbol(view, program, symbol);
  return first === undefined ? undefined : { file: first.file, at: first.at };
}

function nodeAt({ source }: SourceView, { at }: Reference): Node | undefined {
  return getTouchingPropertyName(source, source.getPositionOfLineAndCharacter(at.line, at.character));
}

function referenceTo(node: Node): Reference {
  const source = node.getSourceFile();
  return { file: source.fileName, at: source.getLineAndCharacterOfPosition(node.getStart(source)) };
}

function unique(conflicts: readonly RenameConflict[]): RenameConflict[] {
  const seen = new Map<string, RenameConflict>();
  for (const conflict of conflicts.toSorted((a, b) => byPlace(a.place, b.place))) {
    const { kind, place, other } = conflict;
    // Overloads and merged declarations collide with the same thing: the conflict is reported once.
    const at = kind === "declared" && other !== undefined ? other : place;
    seen.set(`${kind}:${place.file}:${at.file}:${at.at.line}:${at.at.character}`, conflict);
  }
  return [...seen.values()];
}
