/** What a module or namespace exports, each name traced to where it is declared. */
import { SignatureKind, SymbolFlags, type Symbol } from "typescript/unstable/async";
import {
  isExportDeclaration,
  isExportSpecifier,
  isImportClause,
  isImportSpecifier,
  isNamespaceExport,
  isNamespaceImport,
  SyntaxKind,
  type Node,
} from "typescript/unstable/ast";
import { assignedExports } from "./assigned-exports.ts";
import { assignedName, SCRIPT } from "../names/javascript/assigned-names.ts";
import { assignedValue } from "../names/javascript/assignments.ts";
import { throughExports } from "../names/tree/checker-lookup.ts";
import { headerOf, kindOf } from "../names/tree/inspect-declaration.ts";
import { declarationOf } from "../names/tree/qualified-name.ts";
import { signatureText, typeText, type TypeContext } from "./type-text.ts";
import type { LspPosition } from "../places.ts";
import { mapLimited } from "../yielding.ts";

export interface ExportedName {
  readonly name: string;
  /** `function`, `class`, …; `module` for `export * as name`; `unknown` for what the compiler cannot find. */
  readonly kind: string;
  /** Where it is declared; undefined for a name that the compiler cannot find. */
  readonly file: string | undefined;
  /** What the module itself exports: an alias, or the symbol that is declared. */
  readonly exported: Symbol;
  readonly symbol: Symbol;
}

export interface ExportDetail {
  /** One line: name, parameters or type, or the header of a type. */
  readonly text: string;
  /** Exported by `export type`, or imported by `import type` before. */
  readonly typeOnly: boolean;
  /** The declaration's own name, with what contains it. */
  readonly origin: ExportOrigin | undefined;
}

export interface ExportOrigin {
  readonly name: string;
  readonly at: LspPosition;
}

/** Sorted `byKind`. An entry can have thousands, so no more is asked than what sorting needs. */
export async function exportsOf(context: TypeContext, module: Symbol): Promise<ExportedName[]> {
  const { checker } = context.program.project;
  const found = await checker.getExportsOfModule(module);
  const symbols = await assignedExports(context, module, found);
  const names = await mapLimited(symbols, (symbol) => nameOf(context, symbol), context.view.signal);
  return names.toSorted(byKind);
}

export async function exportDetail(context: TypeContext, found: ExportedName): Promise<ExportDetail> {
  const [node, typeOnly] = await Promise.all([nodeOf(context, found.symbol), isTypeOnly(context, found.exported)]);
  if (node === undefined || found.kind === "module") return { text: found.name, typeOnly, origin: undefined };
  return { text: await exportText(context, found, node), typeOnly, origin: originOf(node) };
}

/** Where the symbol behind the exported name is declared, without its types. */
export async function exportOrigin(context: TypeContext, found: ExportedName): Promise<ExportOrigin | undefined> {
  const node = await nodeOf(context, found.symbol);
  return node === undefined || found.kind === "module" ? undefined : originOf(node);
}

function originOf(node: Node): ExportOrigin {
  const { path, at } = declarationOf(node, node.getSourceFile());
  return { name: path, at };
}

async function nameOf(context: TypeContext, exported: Symbol): Promise<ExportedName> {
  const { checker } = context.program.project;
  const isAlias = (exported.flags & SymbolFlags.Alias) !== 0;
  const meant = isAlias ? await checker.getAliasedSymbol(exported) : exported;
  const found = await throughExports(context.program, meant);
  // Where the value that an assignment passes on cannot be traced, the assignment itself is described.
  const isAssigned = exported.name === "export=" || SCRIPT.test(exported.declarations[0]?.path ?? "");
  const symbol = found.declarations.length === 0 && isAssigned ? exported : found;
  const handle = symbol.valueDeclaration ?? symbol.declarations[0];
  const name = exported.name === "export=" ? "export =" : exported.name;
  if (handle === undefined) return { name, kind: "unknown", file: undefined, exported, symbol };
  const file = fileOfPath(context, handle.path);
  if (handle.kind === SyntaxKind.SourceFile) return { name, kind: "module", file, exported, symbol };
  return { name, kind: await kindOfSymbol(context, symbol, file), file, exported, symbol };
}

/** On a disk that ignores case, a handle has its file in lower case. */
function fileOfPath({ program }: TypeContext, path: string): string {
  if (program.files.has(path)) return path;
  for (const file of program.files) if (file.toLowerCase() === path) return file;
  return path;
}

async function nodeOf({ program }: TypeContext, symbol: Symbol): Promise<Node | undefined> {
  return (symbol.valueDeclaration ?? symbol.declarations[0])?.resolve(program.project);
}

async function exportText(context: TypeContext, { name, kind, symbol }: ExportedName, node: Node): Promise<string> {
  const { checker } = context.program.project;
  if (kind === "function" || kind === "variable") {
    const type = await checker.getTypeOfSymbol(symbol);
    if (type === undefined) return name;
    if (kind === "variable") return `${name}: ${await typeText(context, type)}`;
    const signatures = await checker.getSignaturesOfType(type, SignatureKind.Call);
    const [first] = signatures;
    if (first === undefined) return name;
    const others = signatures.length - 1;
    const more = others === 0 ? "" : `  (+${others} overload${others > 1 ? "s" : ""})`;
    return name + (await signatureText(context, first)) + more;
  }
  const header = headerOf(node, node.getSourceFile()).replace(/^(?:export |default |declare )+/, "");
  const isSame = name !== "default" && declarationOf(node, node.getSourceFile()).name === name;
  return isSame ? header : `${name}: ${header}`;
}

/** Whether any step on the way is `export type` or `import type`. */
async function isTypeOnly({ program: { project } }: TypeContext, alias: Symbol): Promise<boolean> {
  let at: Symbol | undefined = alias;
  for (let steps = 0; at !== undefined && (at.flags & SymbolFlags.Alias) !== 0 && steps < 20; steps += 1) {
    const nodes = await Promise.all(at.declarations.map((handle) => handle.resolve(project)));
    if (nodes.some((node) => node !== undefined && saysType(node))) return true;
    at = await project.checker.getImmediateAliasedSymbol(at);
  }
  return false;
}

function saysType(node: Node): boolean {
  if (isImportClause(node)) return isTypeImport(node);
  if (isNamespaceImport(node)) return isTypeImport(node.parent);
  if (isImportSpecifier(node)) return node.isTypeOnly || isTypeImport(node.parent.parent);
  if (isNamespaceExport(node)) return isExportDeclaration(node.parent) && node.parent.isTypeOnly;
  if (!isExportSpecifier(node)) return false;
  const statement = node.parent.parent;
  return node.isTypeOnly || (isExportDeclaration(statement) && statement.isTypeOnly);
}

function isTypeImport(clause: Node): boolean {
  return isImportClause(clause) && clause.phaseModifier === SyntaxKind.TypeKeyword;
}

/** The groups a listing has, in this order. */
const KIND_ORDER = ["function", "class", "variable", "enum", "interface", "type", "namespace", "module", "unknown"];

function byKind(a: ExportedName, b: ExportedName): number {
  const order = KIND_ORDER.indexOf(a.kind) - KIND_ORDER.indexOf(b.kind);
  return order !== 0 ? order : a.name < b.name ? -1 : 1;
}

const KINDS: readonly (readonly [SymbolFlags, string])[] = [
  [SymbolFlags.Class, "class"],
  [SymbolFlags.Function, "function"],
  [SymbolFlags.Enum, "enum"],
  [SymbolFlags.Variable, "variable"],
  [SymbolFlags.Interface, "interface"],
  [SymbolFlags.TypeAlias, "type"],
  [SymbolFlags.Namespace, "namespace"],
];

async function kindOfSymbol(context: TypeContext, symbol: Symbol, file: string): Promise<string> {
  const kind = KINDS.find(([flag]) => (symbol.flags & flag) !== 0)?.[1] ?? "variable";
  // A declaration file has no values, and thousands of constants.
  if (kind !== "variable" || !context.view.paths.isOwn(file)) return kind;
  const node = await nodeOf(context, symbol);
  // `const double = () => …` is a function to whoever imports it, and so is `export default () => …`.
  const { expression } = (node ?? {}) as { readonly expression?: Node };
  const value = expression ?? (node === undefined || assignedName(node) !== undefined ? node : assignedValue(node));
  const written = value === undefined ? kind : kindOf(value);
  // A method of `module.exports = {…}` is a function to whoever requires it.
  if (written === "method") return "function";
  return written === "function" || written === "class" ? written : "variable";
}
