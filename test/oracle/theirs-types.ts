/** What TypeScript 6's checker says of a symbol's members and signatures. */
import ts from "@typescript/typescript6";
import { memberItem, signatureItems, type PlainSignature } from "./items.ts";
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

const FLAGS: ts.NodeBuilderFlags =
  ts.NodeBuilderFlags.NoTruncation |
  ts.NodeBuilderFlags.UseAliasDefinedOutsideCurrentScope |
  ts.NodeBuilderFlags.AllowUniqueESSymbolType |
  ts.NodeBuilderFlags.IgnoreErrors;

export function theirSignatures(oracle: LanguageService, symbol: OracleSymbol): string[] {
  const { checker } = oracle;
  const own = compilerSymbol(oracle, symbol);
  const [first] = symbol.declarations;
  if (own === undefined || first === undefined) return [];
  const value = checker.getNonNullableType(checker.getTypeOfSymbolAtLocation(own, first.node));
  const kinds = [ts.SignatureKind.Call, ts.SignatureKind.Construct];
  return signatureItems(
    kinds.flatMap((kind) =>
      checker.getSignaturesOfType(value, kind).flatMap((each) => plainSignature(oracle, each, kind, first.node)),
    ),
  );
}

function plainSignature(
  { checker }: LanguageService,
  signature: ts.Signature,
  kind: ts.SignatureKind,
  at: ts.Node,
): PlainSignature[] {
  const isConstruct = kind === ts.SignatureKind.Construct;
  const form = isConstruct ? ts.SyntaxKind.ConstructorType : ts.SyntaxKind.FunctionType;
  const source = at.getSourceFile();
  const node = checker.signatureToSignatureDeclaration(signature, form, source, FLAGS);
  if (node === undefined) return [];
  const text = (each: ts.Node): string => printer.printNode(ts.EmitHint.Unspecified, each, source);
  const parameters = node.parameters.map((each, index) => {
    const declared = signature.parameters[index]?.valueDeclaration;
    const isPattern = declared !== undefined && ts.isParameter(declared) && !ts.isIdentifier(declared.name);
    const name = isPattern ? "{}" : text(each.name);
    const type = each.type === undefined ? "any" : text(each.type);
    return `${each.dotDotDotToken === undefined ? "" : "..."}${name}${each.questionToken === undefined ? "" : "?"}: ${type}`;
  });
  return [
    {
      kind: isConstruct ? "construct" : "call",
      typeParameters: (node.typeParameters ?? []).map(text),
      parameters,
      returnType: node.type === undefined ? "any" : text(node.type),
    },
  ];
}

const printer = ts.createPrinter({ removeComments: true });

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
