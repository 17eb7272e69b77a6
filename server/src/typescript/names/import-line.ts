/** What to say of a line that imports or passes on: whose names it has, and by which addresses to ask for them. */
import {
  isExportDeclaration,
  isImportDeclaration,
  isImportEqualsDeclaration,
  isNamedExports,
  isNamedImports,
  isNamespaceExport,
  isNamespaceImport,
  isSourceFile,
  type Node,
  type SourceFile,
} from "typescript/unstable/ast";
import { formatAddress } from "./address.ts";
import { declarationsOfSymbol, nodesOf } from "./tree/checker-lookup.ts";
import { oneLine } from "./tree/inspect-declaration.ts";
import type { LineAddress } from "./line-address.ts";
import type { ProgramView, View } from "../view.ts";
import { mapLimited } from "../yielding.ts";

const MAX_NAMES = 20;
const MAX_TEXT = 200;

/** Undefined for any other line. `file` is absolute. */
export async function importOnLine(
  view: View,
  file: string,
  { line }: Pick<LineAddress, "line">,
): Promise<string | undefined> {
  const found = await view.source(file);
  const statement = found === undefined ? undefined : importAround(found.source, line - 1);
  if (found === undefined || statement === undefined) return undefined;
  const { source, program } = found;
  const all = namesIn(statement);
  const onLine = all.filter((name) => lineOf(source, name.getStart(source)) === line - 1);
  const names = (onLine.length > 0 ? onLine : all).slice(0, MAX_NAMES);
  const told = await mapLimited(names, (name) => meaningOf(view, program, name), view.signal);
  const verb = isExportDeclaration(statement) ? "passes on what another file declares" : "imports";
  const text = oneLine(statement.getText(source)).slice(0, MAX_TEXT);
  const isWhole = names.every(({ parent }) => isNamespaceImport(parent) || isNamespaceExport(parent));
  const module = isWhole ? await moduleOf(view, program, statement) : undefined;
  const whole = module === undefined ? [] : [`the module is ${module}`];
  return [`Line ${line} of ${view.paths.show(file)} ${verb}: ${text}`, ...told, ...whole].join("\n");
}

function importAround(source: SourceFile, line: number): Node | undefined {
  return source.statements.find((statement) => {
    if (line < lineOf(source, statement.getStart(source)) || line > lineOf(source, statement.end)) return false;
    if (isExportDeclaration(statement)) return statement.moduleSpecifier !== undefined;
    return isImportDeclaration(statement) || isImportEqualsDeclaration(statement);
  });
}

function namesIn(statement: Node): Node[] {
  if (isImportEqualsDeclaration(statement)) return [statement.name];
  if (isExportDeclaration(statement)) return namesOfClause(statement.exportClause);
  if (!isImportDeclaration(statement)) return [];
  const { name, namedBindings } = statement.importClause ?? {};
  return [...(name === undefined ? [] : [name]), ...namesOfClause(namedBindings)];
}

function namesOfClause(clause: Node | undefined): Node[] {
  if (clause === undefined) return [];
  if (isNamespaceImport(clause) || isNamespaceExport(clause)) return [clause.name];
  return isNamedImports(clause) || isNamedExports(clause) ? clause.elements.map(({ name }) => name) : [];
}

/** `D is src/a.ts#C`. */
async function meaningOf(view: View, program: ProgramView, name: Node): Promise<string> {
  const symbol = await program.project.checker.getSymbolAtLocation(name);
  const declarations = symbol === undefined ? [] : await declarationsOfSymbol(view, program, symbol);
  const addresses = declarations
    .filter(({ file }) => !view.state.shown.hides(file))
    .map(({ file, path }) => formatAddress(view.paths.show(file), path));
  const text = name.getText();
  return addresses.length === 0
    ? `${text}: the compiler does not find where it is declared`
    : `${text} is ${[...new Set(addresses)].slice(0, MAX_NAMES).join(", ")}`;
}

async function moduleOf(view: View, program: ProgramView, statement: Node): Promise<string | undefined> {
  const specifier =
    isImportDeclaration(statement) || isExportDeclaration(statement) ? statement.moduleSpecifier : undefined;
  const symbol = specifier === undefined ? undefined : await program.project.checker.getSymbolAtLocation(specifier);
  const [node] = symbol === undefined ? [] : await nodesOf(program, symbol);
  const file = node !== undefined && isSourceFile(node) ? node.fileName : undefined;
  return file === undefined || view.state.shown.hides(file) ? undefined : view.paths.show(file);
}

function lineOf(source: SourceFile, offset: number): number {
  return source.getLineAndCharacterOfPosition(offset).line;
}
