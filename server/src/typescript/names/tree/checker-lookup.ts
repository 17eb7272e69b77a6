/** From names to declarations through the checker: what a module exports, globals, and members of either. */
import {
  isExportAssignment,
  isParameterDeclaration,
  isShorthandPropertyAssignment,
  isSourceFile,
  type Node,
} from "typescript/unstable/ast";
import { SymbolFlags, type Symbol, type Type } from "typescript/unstable/async";
import { handedOn, handedOnModule, isWholeAssignment } from "../javascript/commonjs-exports.ts";
import type { Declaration } from "./declaration.ts";
import { inspectDeclaration } from "./inspect-declaration.ts";
import { isLocalValue, localNames } from "./local-names.ts";
import { declarationOf, nameNodeOf } from "./qualified-name.ts";
import type { ProgramView, View } from "../../view.ts";
import { mapLimited } from "../../yielding.ts";

const ANY_MEANING: SymbolFlags = SymbolFlags.Value | SymbolFlags.Type | SymbolFlags.Namespace;

/** What a module exports under that name, however many re-exports away. */
export async function exportedDeclarations(view: View, file: string, path: string): Promise<Declaration[]> {
  const found = await exportedSymbol(view, file, path);
  return found === undefined ? [] : declarationsOfSymbol(view, found.program, found.symbol);
}

/** Where the file itself declares what it exports under that name, members of values among them. */
export async function exportedNodes(view: View, file: string, path: string): Promise<Node[]> {
  const found = await exportedSymbol(view, file, path);
  const nodes = found === undefined ? [] : await nodesOf(found.program, found.symbol);
  return nodes.filter((node) => node.getSourceFile().fileName === file);
}

interface FoundSymbol {
  readonly program: ProgramView;
  readonly symbol: Symbol;
}

async function exportedSymbol(view: View, file: string, path: string): Promise<FoundSymbol | undefined> {
  const [name = "", ...members] = path.split(".");
  const found = await view.source(file);
  if (found === undefined) return undefined;
  const { program, source } = found;
  const { checker } = program.project;
  const module = await checker.getSymbolAtLocation(source);
  if (module === undefined) return undefined;
  const exported = await checker.getMemberInModuleExports(module, name);
  // `export = value`: what can be imported from the module are the members of the value.
  const assigned = source.statements.filter(isExportAssignment).find(({ isExportEquals }) => isExportEquals);
  const whole = exported ?? (assigned && (await checker.getSymbolAtLocation(assigned.expression)));
  if (whole === undefined) return undefined;
  const symbol = await memberSymbol(program, whole, exported === undefined ? [name, ...members] : members);
  return symbol === undefined ? undefined : { program, symbol };
}

/** A global, or a member of one; the declarations of all files that add to it. */
export async function globalDeclarations(view: View, path: string): Promise<Declaration[]> {
  const [name = "", ...members] = path.split(".");
  for (const program of view.programs) {
    const symbol = await program.project.checker.resolveName(name, ANY_MEANING);
    const meant = symbol && (await memberSymbol(program, symbol, members));
    if (meant === undefined) continue;
    const found = await declarationsOfSymbol(view, program, meant);
    if (found.length > 0) return found;
  }
  return [];
}

/** What a class, an interface or a value has by that name from elsewhere: inherited, mixed in, or of the type. */
export async function membersOfDeclared(
  view: View,
  declaration: Declaration,
  members: readonly string[],
): Promise<readonly Declaration[]> {
  const detail = await inspectDeclaration(view, declaration);
  if (detail === undefined) return [];
  const { program, nameNode } = detail;
  const symbol = await program.project.checker.getSymbolAtLocation(nameNode);
  const member = symbol && (await memberSymbol(program, symbol, members));
  return member === undefined ? [] : declarationsOfSymbol(view, program, member);
}

async function memberSymbol(
  program: ProgramView,
  symbol: Symbol,
  members: readonly string[],
): Promise<Symbol | undefined> {
  if (members.length === 0) return symbol;
  const { checker } = program.project;
  let at: Symbol | undefined = await unaliased(program, symbol);
  for (const member of members) {
    const owner: Symbol = at;
    const exported: Symbol | undefined =
      (owner.flags & SymbolFlags.ValueModule) === 0 ? undefined : await checker.getMemberInModuleExports(owner, member);
    if (exported !== undefined) {
      at = await unaliased(program, exported);
      continue;
    }
    const value = await checker.getTypeOfSymbol(owner);
    at = await propertyOf(program, await checker.getDeclaredTypeOfSymbol(owner), member);
    at ??= await propertyOf(program, value, member);
    // What a variable holds may be a class.
    const made = at ?? (await propertyOf(program, value, "prototype"));
    at ??= made && (await propertyOf(program, await checker.getTypeOfSymbol(made), member));
    if (at === undefined) return undefined;
  }
  return at;
}

async function propertyOf(
  { project: { checker } }: ProgramView,
  type: Type | undefined,
  name: string,
): Promise<Symbol | undefined> {
  return type === undefined || type.isErrorType() ? undefined : checker.getPropertyOfType(type, name);
}

export async function declarationsOfSymbol(view: View, program: ProgramView, symbol: Symbol): Promise<Declaration[]> {
  const stands = await nodesOf(program, await throughExports(program, await unaliased(program, symbol)));
  // `export * as name` stands for a whole module, which is no declaration: the name itself is one.
  const nodes = stands.some((node) => isSourceFile(node) || isWholeAssignment(node))
    ? await nodesOf(program, await nameOfWhole(program, symbol))
    : stands;
  const found = nodes.filter((node) => !isSourceFile(node)).map((node) => declarationOf(node, node.getSourceFile()));
  return [...new Set((await mapLimited(found, (each) => fromOutline(view, each, symbol.name))).flat())];
}

const MAX_STEPS = 10;

/** The `import * as name` or `export * as name` that gives a whole module the name which others import and pass on. */
async function nameOfWhole({ project: { checker } }: ProgramView, symbol: Symbol): Promise<Symbol> {
  let at = symbol;
  for (let step = 0; step < MAX_STEPS && (at.flags & SymbolFlags.Alias) !== 0; step += 1) {
    const next = await checker.getImmediateAliasedSymbol(at);
    if (next === undefined || (next.flags & SymbolFlags.Alias) === 0) return at;
    at = next;
  }
  return at;
}

/** `module.exports = { name }` and `exports.name = other` only hand on what is declared elsewhere. */
export async function throughExports(program: ProgramView, symbol: Symbol): Promise<Symbol> {
  let at = symbol;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const [node, ...others] = await nodesOf(program, at);
    if (node === undefined || others.length > 0) return at;
    const { checker } = program.project;
    const path = handedOnModule(node);
    const module = path === undefined ? undefined : await wholeModule(program, path);
    if (module !== undefined) return module;
    const named = handedOn(node);
    if (named === undefined) return at;
    const found = isShorthandPropertyAssignment(named.parent)
      ? await checker.getShorthandAssignmentValueSymbol(named.parent)
      : await checker.getSymbolAtLocation(named);
    const next = found === undefined ? undefined : await unaliased(program, found);
    const [declared] = next === undefined ? [] : await nodesOf(program, next);
    if (next === undefined || declared === undefined || isParameterDeclaration(declared)) return at;
    at = next;
  }
  return at;
}

/** What a module is as a whole, when that has a name of its own. */
async function wholeModule(program: ProgramView, path: Node): Promise<Symbol | undefined> {
  const type = await program.project.checker.getTypeAtLocation(path.parent);
  const symbol = await type?.getSymbol();
  const [node] = symbol === undefined ? [] : await nodesOf(program, symbol);
  return node !== undefined && nameNodeOf(node) !== undefined ? symbol : undefined;
}

/** Where a symbol is declared. */
export async function nodesOf({ project }: ProgramView, { declarations }: Symbol): Promise<Node[]> {
  const nodes = await Promise.all(declarations.map((handle) => handle.resolve(project)));
  return nodes.filter((node) => node !== undefined);
}

/** The declarations of the source for one of a built file; none when the source does not have that name any more. */
export async function writtenFor(
  view: View,
  { file, path }: Pick<Declaration, "file" | "path">,
): Promise<readonly Declaration[]> {
  const source = view.state.built.get(file);
  if (source === undefined) return [];
  const own = (await view.outline(source)).declarations.filter((each) => each.path === path && !each.maybeAlias);
  // A build may have put many sources into one file.
  return own.length > 0 ? own : exportedDeclarations(view, source, path);
}

/**
 * The outline's entry for an own declaration, so that its overloads are counted the same way from every road; when the
 * compiler found a built declaration, the entries of its source.
 */
async function fromOutline(view: View, found: Declaration, name: string): Promise<readonly Declaration[]> {
  if (!view.paths.isOwn(found.file)) return [found];
  const written = await writtenFor(view, found);
  if (written.length > 0) return written;
  const declaration = { ...found, file: view.state.aliases.primary(found.file) };
  const { declarations } = await view.outline(declaration.file);
  const { line, character } = declaration.at;
  const same = declarations.find(({ at }) => at.line === line && at.character === character);
  // `exports.name = function` is one thing to the outline and another to the checker.
  const known = same ?? declarations.find(({ path, at }) => path === name && at.line === line);
  if (known !== undefined && !isLocalValue(known)) return [known];
  const locals = await localNames(view, declaration.file, declaration.path);
  return [locals.find(({ at }) => at.line === line && at.character === character) ?? known ?? declaration];
}

function unaliased(program: ProgramView, symbol: Symbol): Promise<Symbol> {
  if ((symbol.flags & SymbolFlags.Alias) === 0) return Promise.resolve(symbol);
  return program.project.checker.getAliasedSymbol(symbol);
}
