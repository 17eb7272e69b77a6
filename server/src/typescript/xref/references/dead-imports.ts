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
} from "typescript/unstable/ast";
import { SymbolFlags } from "typescript/unstable/async";
import { packageEntry } from "../../files/packages/package-entry.ts";
import { nodesOf } from "../../names/tree/checker-lookup.ts";
import { nodesNamed } from "../../names/tree/named-nodes.ts";
import { homeOf, packageImporters, type Importer } from "../../names/package-importers.ts";
import { perSnapshotFor } from "../../per-snapshot.ts";
import type { ProgramView, View } from "../../view.ts";
import { mapLimited } from "../../yielding.ts";

export interface DeadName {
  readonly name: string;
  /** Where the name is. */
  readonly node: Node;
  /** What the file calls the name, or those who import the name from this file. */
  readonly local: Identifier | undefined;
  /** The source that the import would lead to. */
  readonly entry: string | undefined;
}

export interface DeadImports {
  readonly importer: Importer;
  readonly names: readonly DeadName[];
  /** `import * as whole`: by what the whole is called, the source that the import would lead to. */
  readonly wholes: ReadonlyMap<string, string>;
  /** Whether an import of the package leads to no module, or to one that a build left. */
  readonly isUnbuilt: boolean;
  readonly isBuilt: boolean;
}

type Statement = (ImportDeclaration | ExportDeclaration) & { readonly moduleSpecifier: Node };

/** What the files have that import the package of that home and do not see its source, looked for once in each state. */
export const deadImports: (view: View, home: string) => Promise<readonly DeadImports[]> = perSnapshotFor(
  (home) => home,
  findDead,
);

async function findDead(view: View, home: string): Promise<readonly DeadImports[]> {
  const importers = (await packageImporters(view)).get(home) ?? [];
  // One file says for all of its package and program where a specifier leads.
  const kinds = new Map<string, Promise<Lead>>();
  const leads = await mapLimited(importers, (importer) => {
    const { file, specifiers } = importer;
    const of = `${view.programOf(file)?.name ?? ""}\n${homeOf(view, file)}`;
    return Promise.all(
      [...specifiers].map((specifier) => {
        const key = `${of}\n${specifier}`;
        const lead = kinds.get(key) ?? leadFrom(view, file, specifier);
        kinds.set(key, lead);
        return lead;
      }),
    );
  });
  const led = importers.filter((_each, index) => leads[index]?.some((lead) => lead !== "source"));
  const found = await mapLimited(led, (importer) => deadIn(view, importer));
  return found.filter((each) => each !== undefined);
}

type Lead = "source" | "built" | "nowhere";

async function leadFrom(view: View, file: string, specifier: string): Promise<Lead> {
  const opened = await view.source(file);
  const [node] = opened === undefined ? [] : nodesNamed(view, opened.source, [specifier]);
  return opened === undefined ? "source" : leadOf(view, opened.program, node);
}

async function leadOf(view: View, program: ProgramView, specifier: Node | undefined): Promise<Lead> {
  const module = specifier && (await program.project.checker.getSymbolAtLocation(specifier));
  if (module === undefined) return "nowhere";
  const [declared] = await nodesOf(program, module);
  return declared !== undefined && view.state.built.has(declared.getSourceFile().fileName) ? "built" : "source";
}

async function deadIn(view: View, importer: Importer): Promise<DeadImports | undefined> {
  const opened = await view.source(importer.file);
  if (opened === undefined) return undefined;
  const { source, program } = opened;
  const statements = [...source.statements].filter((each) => isOfPackage(each, importer));
  const leads = await mapLimited(statements, ({ moduleSpecifier }) => leadOf(view, program, moduleSpecifier));
  const dead = statements.filter((_each, index) => leads[index] === "nowhere");
  const built = statements.filter((_each, index) => leads[index] === "built");
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
    importer,
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
