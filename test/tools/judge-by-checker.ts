/** Where a symbol stands by the checker of TypeScript 6, asked at every name of a project. */
import { relative } from "node:path";
import ts from "@typescript/typescript6";
import type { Declaration } from "../../server/src/typescript/names/declaration.ts";

export interface Judge {
  /** `src/a.ts:2:4`, where a quoted name stands at its quote. */
  readonly shown: (file: string, at: ts.LineAndCharacter) => string;
  readonly placesOf: (declaration: Declaration) => string[];
  /** Where `as` gives the symbol another name. */
  readonly namesGiven: (declaration: Declaration) => string[];
}

/** `options` are those of a tsconfig. */
export function judgeOf(root: string, files: readonly string[], options: object): Judge {
  const { options: parsed } = ts.convertCompilerOptionsFromJson(options, root);
  const program = ts.createProgram(files, {
    ...parsed,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  });
  return {
    shown: (file, at) => shownPlace(root, program, file, at),
    placesOf: (declaration) => placesOf(root, program, declaration).uses,
    namesGiven: (declaration) => placesOf(root, program, declaration).names,
  };
}

function shownPlace(root: string, program: ts.Program, file: string, at: ts.LineAndCharacter): string {
  const source = program.getSourceFile(file);
  const offset = source?.getPositionOfLineAndCharacter(at.line, at.character) ?? 0;
  const isBehindQuote = /["'`]/.test(source?.text[offset - 1] ?? "");
  return `${relative(root, file)}:${at.line + 1}:${at.character + (isBehindQuote ? 0 : 1)}`;
}

function placesOf(root: string, program: ts.Program, { file, at }: Declaration): { uses: string[]; names: string[] } {
  const checker = program.getTypeChecker();
  const means = (symbol: ts.Symbol | undefined): boolean => {
    const meant =
      symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(symbol) : symbol;
    return (meant?.declarations ?? []).some((each) => {
      const name = ts.getNameOfDeclaration(each);
      const source = each.getSourceFile();
      const place = name && source.getLineAndCharacterOfPosition(name.getStart());
      return source.fileName === file && place?.line === at.line && place.character === at.character;
    });
  };
  const uses: string[] = [];
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    const { parent } = node;
    const isNewName =
      ts.isIdentifier(node) &&
      (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent)) &&
      parent.propertyName !== undefined &&
      parent.name === node;
    if ((ts.isIdentifier(node) || ts.isStringLiteral(node)) && symbolsAt(checker, node).some(means)) {
      const source = node.getSourceFile();
      (isNewName ? names : uses).push(
        shownPlace(root, program, source.fileName, source.getLineAndCharacterOfPosition(node.getStart())),
      );
    }
    ts.forEachChild(node, visit);
  };
  for (const source of program.getSourceFiles()) if (source.fileName.startsWith(root)) visit(source);
  return { uses, names };
}

function symbolsAt(checker: ts.TypeChecker, node: ts.Identifier | ts.StringLiteral): (ts.Symbol | undefined)[] {
  const { parent } = node;
  const own = checker.getSymbolAtLocation(node);
  if (ts.isPropertyAssignment(parent) && parent.name === node) return [own, ofType(checker, parent.parent, node.text)];
  if (ts.isShorthandPropertyAssignment(parent)) {
    return [checker.getShorthandAssignmentValueSymbol(parent), ofType(checker, parent.parent, node.text)];
  }
  if (ts.isBindingElement(parent) && parent.name === node && ts.isVariableDeclaration(parent.parent.parent)) {
    const { initializer } = parent.parent.parent;
    return [initializer && checker.getTypeAtLocation(initializer).getProperty(node.text)];
  }
  return [own];
}

/** The member that a literal's property is for, where the literal stands. */
function ofType(checker: ts.TypeChecker, literal: ts.ObjectLiteralExpression, name: string): ts.Symbol | undefined {
  return checker.getContextualType(literal)?.getProperty(name);
}
