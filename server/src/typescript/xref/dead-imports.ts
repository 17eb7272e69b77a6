/** Imports of a package of the workspace that lead nowhere, because nothing is built or the build lacks the name. */
import {
  isExportDeclaration,
  isIdentifier,
  isImportDeclaration,
  isNamedExports,
  isNamedImports,
  isNamespaceImport,
  isStringLiteral,
  type ExportDeclaration,
  type Identifier,
  type ImportDeclaration,
  type Node,
  type SourceFile,
} from "typescript/unstable/ast";
import { SymbolFlags } from "typescript/unstable/async";
import { packageEntry } from "../files/package-entry.ts";
import type { Importer } from "../names/package-importers.ts";
import { nodesOf } from "../names/checker-lookup.ts";
import type { ProgramView, View } from "../view.ts";
import { mapLimited } from "../yielding.ts";

export interface DeadName {
  readonly name: string;
  /** Where the name stands. */
  readonly node: Node;
  /** What the file calls the name, or those who import the name from this file. */
  readonly local: Identifier | undefined;
  /** The source that the import would lead to. */
  readonly entry: string | undefined;
}

export interface DeadImports {
  readonly names: readonly DeadName[];
  /** `import * as whole`: by what the whole is called, the source that the import would lead to. */
  readonly wholes: ReadonlyMap<string, string>;
  /** Whether an import of the package leads to no module, or to one that a build left. */
  readonly isUnbuilt: boolean;
  readonly isBuilt: boolean;
}

type Statement = (ImportDeclaration | ExportDeclaration) & { readonly moduleSpecifier: Node };

export async function deadImports(
  view: View,
  program: ProgramView,
  source: SourceFile,
  importer: Importer,
): Promise<DeadImports> {
  const statements = [...source.statements].filter((each) => isOfPackage(each, importer));
  const modules = await program.project.checker.getSymbolAtLocation(statements.map((each) => each.moduleSpecifier));
  const dead = statements.filter((_each, index) => modules[index] === undefined);
  const leading = await mapLimited(modules, async (module) => {
    const [node] = module === undefined ? [] : await nodesOf(program, module);
    return node !== undefined && view.state.built.has(node.getSourceFile().fileName);
  });
  const built = statements.filter((_each, index) => leading[index]);
  const entryOf = ({ moduleSpecifier }: Statement): string | undefined =>
    packageEntry(view, importer.imported, textOf(moduleSpecifier).slice(importer.imported.name.length + 1));
  const namesOf = (all: readonly Statement[]): DeadName[] =>
    all.flatMap((each) => namesIn(each).map((name) => ({ ...name, entry: entryOf(each) })));
  const wholes = dead.flatMap((each): [string, string][] => {
    const bindings = isImportDeclaration(each) ? each.importClause?.namedBindings : undefined;
    const entry = bindings !== undefined && isNamespaceImport(bindings) ? entryOf(each) : undefined;
    return entry === undefined ? [] : [[textOf((bindings as { readonly name: Node }).name), entry]];
  });
  return {
    names: [...namesOf(dead), ...(await lackedBy(program, namesOf(built)))],
    wholes: new Map(wholes),
    isUnbuilt: dead.length > 0 || statements.length === 0,
    isBuilt: built.length > 0,
  };
}

function isOfPackage(statement: Node, { specifiers }: Importer): statement is Statement {
  if (!isImportDeclaration(statement) && !isExportDeclaration(statement)) return false;
  const { moduleSpecifier } = statement;
  return moduleSpecifier !== undefined && isStringLiteral(moduleSpecifier) && specifiers.has(moduleSpecifier.text);
}

function namesIn(statement: Statement): Omit<DeadName, "entry">[] {
  if (isExportDeclaration(statement)) {
    const { exportClause } = statement;
    const elements = exportClause !== undefined && isNamedExports(exportClause) ? [...exportClause.elements] : [];
    return elements.map(({ name, propertyName = name }) => ({
      name: textOf(propertyName),
      node: propertyName,
      local: isIdentifier(name) ? name : undefined,
    }));
  }
  const whole = statement.importClause?.name;
  const bindings = statement.importClause?.namedBindings;
  const elements = bindings !== undefined && isNamedImports(bindings) ? [...bindings.elements] : [];
  return [
    ...(whole === undefined ? [] : [{ name: "default", node: whole, local: whole }]),
    ...elements.map(({ name, propertyName = name }) => ({
      name: textOf(propertyName),
      node: propertyName,
      local: isIdentifier(name) ? name : undefined,
    })),
  ];
}

/** Those of the imported names that the built module does not have. */
async function lackedBy({ project: { checker } }: ProgramView, names: readonly DeadName[]): Promise<DeadName[]> {
  const symbols = await checker.getSymbolAtLocation(names.map(({ node }) => node));
  const isDead = await mapLimited(symbols, async (symbol) => {
    if (symbol === undefined) return true;
    if ((symbol.flags & SymbolFlags.Alias) === 0) return false;
    return (await checker.getAliasedSymbol(symbol)).declarations.length === 0;
  });
  return names.filter((_each, index) => isDead[index]);
}

function textOf(node: Node): string {
  return (node as { readonly text?: string }).text ?? "";
}
