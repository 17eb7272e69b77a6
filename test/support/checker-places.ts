/** Where TypeScript 6's checker says that a symbol stands, asked at every name and quoted name of a program's own files. */
import ts from "@typescript/typescript6";

type Name = ts.Identifier | ts.StringLiteral;

export class CheckerPlaces {
  readonly #checker: ts.TypeChecker;
  /** The names and quoted names of the files, by their text. */
  readonly #names = new Map<string, Name[]>();
  /** Those that `as` gives to something in an import or export. */
  readonly #given: Name[] = [];

  constructor(program: ts.Program, isOwn: (file: string) => boolean) {
    this.#checker = program.getTypeChecker();
    for (const source of program.getSourceFiles()) if (isOwn(source.fileName)) this.#collect(source);
  }

  /** The nodes that mean what one of these names declares, whatever they are called: an import may have another name for it. */
  of(names: readonly ts.Node[]): ts.Node[] {
    return this.#meaning([...this.#names.values()].flat(), names);
  }

  /** Those of them that are spelled so, which are found sooner. */
  spelled(text: string, names: readonly ts.Node[]): ts.Node[] {
    return this.#meaning(this.#names.get(text) ?? [], names);
  }

  /** Where `as` gives another name to what one of these names declares. */
  givenFor(names: readonly ts.Node[]): ts.Node[] {
    return this.#meaning(this.#given, names);
  }

  #meaning(nodes: readonly Name[], names: readonly ts.Node[]): ts.Node[] {
    const wanted = new Set(names);
    const declares = (symbol: ts.Symbol | undefined): boolean =>
      (this.#meant(symbol)?.declarations ?? []).some((each) => wanted.has(ts.getNameOfDeclaration(each) ?? each));
    return nodes.filter((node) => this.#symbolsAt(node).some(declares));
  }

  #collect(source: ts.SourceFile): void {
    const visit = (node: ts.Node): void => {
      if (isNewName(node)) this.#given.push(node);
      else if (ts.isIdentifier(node) || ts.isStringLiteral(node)) {
        const known = this.#names.get(node.text);
        if (known === undefined) this.#names.set(node.text, [node]);
        else known.push(node);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }

  #meant(symbol: ts.Symbol | undefined): ts.Symbol | undefined {
    const isAlias = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    return isAlias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }

  #symbolsAt(node: Name): (ts.Symbol | undefined)[] {
    const { parent } = node;
    const own = this.#checker.getSymbolAtLocation(node);
    if (ts.isPropertyAssignment(parent) && parent.name === node) return [own, this.#wanted(parent.parent, node.text)];
    if (ts.isShorthandPropertyAssignment(parent)) {
      return [this.#checker.getShorthandAssignmentValueSymbol(parent), this.#wanted(parent.parent, node.text)];
    }
    if (ts.isBindingElement(parent) && parent.name === node && ts.isVariableDeclaration(parent.parent.parent)) {
      const { initializer } = parent.parent.parent;
      return [initializer && this.#checker.getTypeAtLocation(initializer).getProperty(node.text)];
    }
    return [own];
  }

  /** The member that a literal's property is for, where the literal stands. */
  #wanted(literal: ts.ObjectLiteralExpression, name: string): ts.Symbol | undefined {
    return this.#checker.getContextualType(literal)?.getProperty(name);
  }
}

/** In `import { a as b }` the second name is a declaration of its own. */
function isNewName(node: ts.Node): node is ts.Identifier {
  const { parent } = node;
  return (
    ts.isIdentifier(node) &&
    (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent)) &&
    parent.propertyName !== undefined &&
    parent.name === node
  );
}
