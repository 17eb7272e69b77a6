/** From names to declarations through the checker: what a module exports, globals, and members of either. */
import { SymbolFlags, type Symbol } from "typescript/unstable/async";
import type { Declaration } from "./outline.ts";
import { declarationOf } from "./qualified-name.ts";
import type { ProgramView, View } from "./view.ts";
import { mapLimited } from "./yielding.ts";

const ANY_MEANING: SymbolFlags = SymbolFlags.Value | SymbolFlags.Type | SymbolFlags.Namespace;

/** What a module exports under that name, however many re-exports away. */
export async function exportedDeclarations(view: View, file: string, path: string): Promise<Declaration[]> {
  const [name = "", ...members] = path.split(".");
  const found = await view.source(file);
  if (found === undefined) return [];
  const { checker } = found.program.project;
  const module = await checker.getSymbolAtLocation(found.source);
  const symbol = module === undefined ? undefined : await checker.getMemberInModuleExports(module, name);
  return symbol === undefined ? [] : memberDeclarations(view, found.program, symbol, members);
}

/** A global, or a member of one; the declarations of all files that add to it. */
export async function globalDeclarations(view: View, path: string): Promise<Declaration[]> {
  const [name = "", ...members] = path.split(".");
  for (const program of view.programs) {
    const symbol = await program.project.checker.resolveName(name, ANY_MEANING);
    if (symbol === undefined) continue;
    const found = await memberDeclarations(view, program, symbol, members);
    if (found.length > 0) return found;
  }
  return [];
}

async function memberDeclarations(
  view: View,
  program: ProgramView,
  symbol: Symbol,
  members: readonly string[],
): Promise<Declaration[]> {
  const { checker } = program.project;
  let at: Symbol | undefined = await unaliased(program, symbol);
  for (const member of members) {
    const owner: Symbol = at;
    const types = [await checker.getDeclaredTypeOfSymbol(owner), await checker.getTypeOfSymbol(owner)];
    at = undefined;
    for (const type of types)
      if (type !== undefined && !type.isErrorType()) at ??= await checker.getPropertyOfType(type, member);
    if (at === undefined) return [];
  }
  return declarationsOfSymbol(view, program, at);
}

export async function declarationsOfSymbol(view: View, program: ProgramView, symbol: Symbol): Promise<Declaration[]> {
  const { declarations } = await unaliased(program, symbol);
  const nodes = await Promise.all(declarations.map((handle) => handle.resolve(program.project)));
  const found = nodes.flatMap((node) => (node === undefined ? [] : [declarationOf(node, node.getSourceFile())]));
  return mapLimited(found, (declaration) => fromOutline(view, declaration));
}

/** The outline's entry for an own declaration, so that its overloads are counted the same way from every road. */
async function fromOutline(view: View, declaration: Declaration): Promise<Declaration> {
  if (!view.paths.isOwn(declaration.file)) return declaration;
  const { declarations } = await view.outline(declaration.file);
  const { line, character } = declaration.at;
  return declarations.find(({ at }) => at.line === line && at.character === character) ?? declaration;
}

function unaliased(program: ProgramView, symbol: Symbol): Promise<Symbol> {
  if ((symbol.flags & SymbolFlags.Alias) === 0) return Promise.resolve(symbol);
  return program.project.checker.getAliasedSymbol(symbol);
}
