/** What a rule can look up in TypeScript 6's program to prove that a difference is the one it speaks of. */
import ts from "@typescript/typescript6";
import path from "node:path";
import type { LanguageService } from "./language-service.ts";
import { offsetPlace, splitPlace, startPlace, type Place } from "./places.ts";
import { symbolOf, type OracleSymbol } from "./symbols.ts";

/** The compiler's symbol behind a sampled one. */
export function ownSymbol(
  { checker }: LanguageService,
  { declarations: [first] }: OracleSymbol,
): ts.Symbol | undefined {
  const found = first === undefined ? undefined : symbolOf(checker, first);
  return found !== undefined && isSymbol(found) ? found : undefined;
}

/** Where all of its declarations' names stand, those in other files too. */
export function declaredPlaces(oracle: LanguageService, symbol: OracleSymbol): Set<Place> {
  const own = ownSymbol(oracle, symbol);
  const places = placesOf(oracle, own?.declarations ?? []);
  for (const { name, node } of symbol.declarations) {
    places.add(startPlace(oracle.folder, name));
    places.add(startPlace(oracle.folder, node));
  }
  return places;
}

export function placesOf({ folder }: LanguageService, declarations: readonly ts.Declaration[]): Set<Place> {
  return new Set(declarations.map((each) => startPlace(folder, ts.getNameOfDeclaration(each) ?? each)));
}

/** What a name in the code refers to, aliases followed. */
export function namedSymbol({ checker }: LanguageService, name: ts.Node | undefined): ts.Symbol | undefined {
  const symbol = name === undefined ? undefined : checker.getSymbolAtLocation(name);
  if (symbol === undefined || (symbol.flags & ts.SymbolFlags.Alias) === 0) return symbol;
  return checker.getAliasedSymbol(symbol);
}

/** The class or interface whose member a symbol is. */
export function typeOwner(symbol: ts.Symbol | undefined): ts.Symbol | undefined {
  for (const declaration of symbol?.declarations ?? []) {
    let at: ts.Node | undefined = declaration.parent;
    if (at !== undefined && ts.isConstructorDeclaration(at)) at = at.parent;
    if (at !== undefined && (ts.isClassLike(at) || ts.isInterfaceDeclaration(at))) {
      return (at as { readonly symbol?: ts.Symbol }).symbol;
    }
  }
  return undefined;
}

/** Whether a class or interface extends or implements another, however far up. */
export function isBelow(
  oracle: LanguageService,
  below: ts.Symbol,
  above: ts.Symbol,
  seen = new Set<ts.Symbol>(),
): boolean {
  if (seen.has(below)) return false;
  seen.add(below);
  return basesOf(oracle, below).some((base) => base === above || isBelow(oracle, base, above, seen));
}

function basesOf(oracle: LanguageService, symbol: ts.Symbol): ts.Symbol[] {
  return (symbol.declarations ?? []).flatMap((declaration) => {
    if (!ts.isClassLike(declaration) && !ts.isInterfaceDeclaration(declaration)) return [];
    const named = (declaration.heritageClauses ?? []).flatMap((clause) => clause.types);
    return named.flatMap((type) => {
      const parts = partsOf(oracle.checker.getTypeAtLocation(type));
      return parts.flatMap((part) => part.getSymbol() ?? []);
    });
  });
}

function partsOf(type: ts.Type): readonly ts.Type[] {
  return type.isIntersection() ? type.types.flatMap(partsOf) : [type];
}

/** The class or interface that a symbol is, or whose constructor it is. */
function classOf(symbol: OracleSymbol, own: ts.Symbol): ts.Symbol {
  const [first] = symbol.declarations;
  const isConstructor = first !== undefined && ts.isConstructorDeclaration(first.node);
  return isConstructor ? ((first.node.parent as { readonly symbol?: ts.Symbol }).symbol ?? own) : own;
}

/** Whether a name, or `super`, stands where the constructor of the asked class is run. */
export function runsConstructorOf(oracle: LanguageService, symbol: OracleSymbol, name: ts.Node | undefined): boolean {
  const own = ownSymbol(oracle, symbol);
  if (own === undefined || name === undefined) return false;
  const asked = classOf(symbol, own);
  let at: ts.Node | undefined = name;
  while (at !== undefined && !ts.isNewExpression(at) && !ts.isCallExpression(at) && !ts.isHeritageClause(at))
    at = at.parent;
  const run = at === undefined ? undefined : classRunBy(oracle, at);
  for (const each of run ?? []) {
    if (each === asked) return true;
    // Without a constructor of its own it hands the call up.
    if (!hasConstructor(each) && isBelow(oracle, each, asked)) return true;
  }
  const declaration =
    at !== undefined && ts.isCallOrNewExpression(at) ? oracle.checker.getResolvedSignature(at)?.declaration : undefined;
  return symbol.declarations.some(({ node }) => node === declaration);
}

function classRunBy(oracle: LanguageService, at: ts.Node): readonly ts.Symbol[] {
  const { checker } = oracle;
  if (ts.isNewExpression(at)) {
    const made = partsOf(checker.getTypeAtLocation(at)).flatMap((part) => part.getSymbol() ?? []);
    return [...made, ...classValueOf(namedSymbol(oracle, lastName(at.expression)))];
  }
  const subclass = ts.isHeritageClause(at) ? at.parent : ts.findAncestor(at, ts.isClassLike);
  const symbol = (subclass as { readonly symbol?: ts.Symbol } | undefined)?.symbol;
  if (symbol === undefined) return [];
  if (ts.isHeritageClause(at)) return hasConstructor(symbol) ? [] : basesOf(oracle, symbol);
  const isSuper = ts.isCallExpression(at) && at.expression.kind === ts.SyntaxKind.SuperKeyword;
  return isSuper ? basesOf(oracle, symbol) : [];
}

function lastName(expression: ts.Expression): ts.Node {
  return ts.isPropertyAccessExpression(expression) ? expression.name : expression;
}

/** Of `const Name: new () => Interface = class {}` the class. */
function classValueOf(named: ts.Symbol | undefined): ts.Symbol[] {
  return (named?.declarations ?? []).flatMap((each) => {
    const value = ts.isVariableDeclaration(each) ? each.initializer : undefined;
    const symbol =
      value !== undefined && ts.isClassExpression(value) ? (value as { symbol?: ts.Symbol }).symbol : undefined;
    return symbol === undefined ? [] : [symbol];
  });
}

function hasConstructor(symbol: ts.Symbol): boolean {
  return (symbol.declarations ?? []).some(
    (each) => ts.isClassLike(each) && each.members.some((member) => ts.isConstructorDeclaration(member)),
  );
}

/** Whether an object literal, or the name of a member in one, is of the asked type by where it stands. */
export function isTypedAs(oracle: LanguageService, symbol: OracleSymbol, at: ts.Node | undefined): boolean {
  const own = ownSymbol(oracle, symbol);
  const literal = ts.findAncestor(at, ts.isObjectLiteralExpression);
  const type = literal === undefined ? undefined : oracle.checker.getContextualType(literal);
  if (own === undefined || type === undefined) return false;
  const asked = typeOwner(own) ?? own;
  return constituents(oracle, type).some((part) => {
    const named = [part.aliasSymbol, part.getSymbol()].filter((each) => each !== undefined);
    const isAsked = named.some((each) => each === asked || isBelow(oracle, each, asked));
    return isAsked && literal !== undefined && mayBe(oracle, literal, part);
  });
}

/** Whether all of the literal's properties have a value that the type's have too: of a union only some parts may be meant. */
function mayBe({ checker }: LanguageService, literal: ts.ObjectLiteralExpression, part: ts.Type): boolean {
  const given = checker.getTypeAtLocation(literal).getProperties();
  return given.every((property) => {
    const expected = part.getProperty(property.name);
    if (expected === undefined) return true;
    const [value, wanted] = [property, expected].map((each) => checker.getTypeOfSymbolAtLocation(each, literal));
    if (value === undefined || wanted === undefined) return false;
    return (value.isUnion() ? value.types : [value]).some((each) => checker.isTypeAssignableTo(each, wanted));
  });
}

/** Whether the variable of that name is what `({ member } = value)` in its file writes the asked member to. */
export function isAssignedFrom({ checker }: LanguageService, symbol: OracleSymbol, name: ts.Node | undefined): boolean {
  const variable = name === undefined ? undefined : checker.getSymbolAtLocation(name);
  const member = symbol.declarations[0]?.name.getText();
  if (name === undefined || variable === undefined) return false;
  const isTarget = (literal: ts.Node): boolean => {
    const { parent } = literal;
    return (
      ts.isBinaryExpression(parent) &&
      parent.left === literal &&
      parent.operatorToken.kind === ts.SyntaxKind.EqualsToken
    );
  };
  const find = (node: ts.Node): boolean => {
    if (ts.isShorthandPropertyAssignment(node) && node.name.text === member && isTarget(node.parent)) {
      return checker.getShorthandAssignmentValueSymbol(node) === variable;
    }
    return ts.forEachChild(node, find) ?? false;
  };
  return find(name.getSourceFile());
}

function constituents(oracle: LanguageService, type: ts.Type, depth = 0): ts.Type[] {
  const constraint = type.isTypeParameter() ? oracle.checker.getBaseConstraintOfType(type) : undefined;
  const parts = type.isUnionOrIntersection() ? type.types : constraint === undefined ? [] : [constraint];
  return depth > 3 ? [type] : [type, ...parts.flatMap((part) => constituents(oracle, part, depth + 1))];
}

/** The type that is written for the value which begins at the node: of a variable, a function's result, an assertion. */
export function annotationOf(at: ts.Node | undefined): ts.TypeNode | undefined {
  for (let value = at; value !== undefined && !ts.isStatement(value); value = value.parent) {
    const { parent } = value;
    if (parent === undefined) return undefined;
    if (ts.isAssertionExpression(parent)) return parent.type;
    if (ts.isReturnStatement(parent)) return ts.findAncestor(parent, isFunction)?.type;
    if (isFunction(parent) && parent.body === value) return parent.type;
    const declaration = parent as { readonly initializer?: ts.Node; readonly type?: ts.TypeNode };
    if (declaration.initializer === value) return declaration.type;
    if (parent.getStart() !== value.getStart()) return undefined;
  }
  return undefined;
}

function isFunction(node: ts.Node): node is ts.FunctionLikeDeclaration {
  return ts.isFunctionLike(node) && "body" in node;
}

export function mentions(oracle: LanguageService, type: ts.Node, wanted: ts.Symbol): boolean {
  if (ts.isIdentifier(type) && namedSymbol(oracle, type) === wanted) return true;
  return ts.forEachChild(type, (child) => mentions(oracle, child, wanted)) === true;
}

interface SourceMapper {
  tryGetSourcePosition(position: { fileName: string; pos: number }): { fileName: string; pos: number } | undefined;
}

/** The place in the source that a place in a built declaration file was made from, by its declaration map. */
export function sourcePlace(oracle: LanguageService, place: Place): Place | undefined {
  const found = splitPlace(place);
  if (found === undefined || !/\.d\.[cm]?ts$/.test(found.file)) return undefined;
  const source = oracle.program.getSourceFile(path.resolve(oracle.folder, found.file));
  if (source === undefined) return undefined;
  const mapper = (oracle.service as unknown as { getSourceMapper(): SourceMapper }).getSourceMapper();
  const pos = source.getPositionOfLineAndCharacter(found.line, found.character);
  const mapped = mapper.tryGetSourcePosition({ fileName: source.fileName, pos });
  const text = mapped === undefined ? undefined : ts.sys.readFile(mapped.fileName);
  if (mapped === undefined || text === undefined) return undefined;
  const original = ts.createSourceFile(mapped.fileName, text, ts.ScriptTarget.Latest);
  return offsetPlace(oracle.folder, original, mapped.pos);
}

function isSymbol(value: ts.Symbol | ts.Node): value is ts.Symbol {
  return "escapedName" in value && "flags" in value;
}
