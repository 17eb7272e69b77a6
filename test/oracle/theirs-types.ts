/** What TypeScript 6's checker says of a symbol's members. */
import ts from "@typescript/typescript6";
import { memberItem } from "./items.ts";
import type { LanguageService } from "./language-service.ts";
import { startPlace } from "./places.ts";
import { symbolOf, type OracleSymbol } from "./symbols.ts";

export function theirMembers(oracle: LanguageService, symbol: OracleSymbol): string[] {
  const { checker } = oracle;
  const own = compilerSymbol(oracle, symbol);
  if (own === undefined) return [];
  const declared = checker.getDeclaredTypeOfSymbol(own);
  // An enum's members are those of the enum itself: its declared type is the union of them.
  const isEnum = (own.flags & ts.SymbolFlags.Enum) !== 0;
  const instance = isEnum ? [] : checker.getPropertiesOfType(declared);
  const isClass = (own.flags & ts.SymbolFlags.Class) !== 0;
  const value = checker.getTypeOfSymbol(own);
  const members = isEnum ? [...(own.exports?.values() ?? [])] : isClass ? checker.getPropertiesOfType(value) : [];
  const statics = members.filter(({ flags }) => (flags & ts.SymbolFlags.Prototype) === 0);
  const constructors = isClass ? [...(own.members?.values() ?? [])].filter(isConstructor) : [];
  return [
    ...instance.flatMap((each) => itemOf(oracle, each, false)),
    ...statics.flatMap((each) => itemOf(oracle, each, !isEnum)),
    ...constructors.flatMap((each) => itemOf(oracle, each, false)),
  ];
}

function isConstructor({ flags }: ts.Symbol): boolean {
  return (flags & ts.SymbolFlags.Constructor) !== 0;
}

function itemOf(oracle: LanguageService, member: ts.Symbol, isStatic: boolean): string[] {
  const [declaration] = member.declarations ?? [];
  if (declaration === undefined || isConstructor(member)) return [];
  const name = ts.getNameOfDeclaration(declaration);
  return memberItem(name?.getText() ?? member.name, isStatic, startPlace(oracle.folder, name ?? declaration));
}

/** The symbol a declaration makes; of a constructor its class. */
function compilerSymbol({ checker }: LanguageService, symbol: OracleSymbol): ts.Symbol | undefined {
  const [first] = symbol.declarations;
  if (first === undefined) return undefined;
  if (ts.isConstructorDeclaration(first.node)) {
    const { name } = first.node.parent;
    return name === undefined
      ? (first.node.parent as { symbol?: ts.Symbol }).symbol
      : checker.getSymbolAtLocation(name);
  }
  const found = symbolOf(checker, first);
  return "flags" in found && "escapedName" in found ? found : undefined;
}
