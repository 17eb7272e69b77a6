/** From a declaration to the compiler's symbol. */
import { SymbolFlags, type Checker, type Symbol } from "typescript/unstable/async";
import { isConstructorDeclaration, type SourceFile } from "typescript/unstable/ast";
import { modifiersOf, type DeclarationDetail } from "../names/tree/inspect-declaration.ts";
import { isNameNode, nameNodeOf } from "../names/tree/qualified-name.ts";

/** The symbol a declaration makes, aliases followed; a constructor's is its class. */
export async function symbolOfDetail({ node, nameNode, program }: DeclarationDetail): Promise<Symbol | undefined> {
  const { checker } = program.project;
  const owner = isConstructorDeclaration(node) ? node.parent : node;
  const name = owner === node && isNameNode(nameNode) ? nameNode : nameNodeOf(owner);
  const symbol =
    name === undefined && modifiersOf(owner).includes("default")
      ? await defaultExport(checker, owner.getSourceFile())
      : await checker.getSymbolAtLocation(name ?? owner);
  if (symbol === undefined || (symbol.flags & SymbolFlags.Alias) === 0) return symbol;
  return checker.getAliasedSymbol(symbol);
}

/** A class or function without a name is found by what it is exported as. */
async function defaultExport(checker: Checker, source: SourceFile): Promise<Symbol | undefined> {
  const module = await checker.getSymbolAtLocation(source);
  return module === undefined ? undefined : checker.getMemberInModuleExports(module, "default");
}
