/** What a type stands for: the body of its alias with the arguments put in, and what the compiler makes of it. */
import {
  isIdentifier,
  isImportTypeNode,
  isTypeAliasDeclaration,
  isTupleTypeNode,
  isTypeReferenceNode,
  type Node,
  type SourceFile,
  type TypeAliasDeclaration,
  type TypeNode,
} from "typescript/unstable/ast";
import { SymbolFlags, type Project, type Symbol, type Type } from "typescript/unstable/async";
import { isCompoundType, substitutedBody, type TypeArgument } from "./alias-body.ts";
import type { DisplayPaths } from "../files/display-paths.ts";
import { oneLine } from "../names/tree/inspect-declaration.ts";
import { withAppended, type AppendedModule } from "./side-compiler.ts";
import type { TypeQuestion } from "./type-question.ts";
import { typeName, typeStructure, type StructureLimits, type TypeStructure } from "./type-structure.ts";
import type { LspPosition } from "../places.ts";

export interface AliasStep {
  /** `type Partial<T> = …` on one line, as it is declared. */
  readonly declaration: string;
  readonly file: string;
  /** Undefined for an alias that the form itself declares. */
  readonly at: LspPosition | undefined;
  /** `T = User`, one for each parameter. */
  readonly bindings: readonly string[];
  /** The body with the arguments put in; undefined when the compiler computes it (`Uppercase`). */
  readonly body: string | undefined;
  /** The members of the union a conditional alias distributes over, as text. */
  readonly distributes: readonly string[];
}

export interface TypeExpansion {
  /** Only when the form is one reference to a type alias. */
  readonly step: AliasStep | undefined;
  readonly structure: TypeStructure;
  /** The compiler's own complaints about the form: `TS2304 Cannot find name 'X'.` */
  readonly problems: readonly string[];
}

const NAME = "__form";
/** Complaints about the question itself: an import path that ends in `.ts`, and names that nothing uses. */
const OWN_COMPLAINTS = new Set([5097, 2846, 6133, 6196]);
/** `requires 2 type arguments`, and `requires between 1 and 2`. */
const NEEDS_ARGUMENTS = new Set([2314, 2707]);

export async function expandType(
  question: TypeQuestion,
  limits: StructureLimits,
  signal: AbortSignal,
): Promise<TypeExpansion> {
  const isScript = /\.[cm]?jsx?$/.test(question.basis.file);
  // In a tuple, because the compiler would otherwise call the type by the alias that holds it.
  const alias = `type ${NAME} = [${question.text}];`;
  const text = isScript ? `/** @typedef {[${question.text}]} ${NAME} */` : `${question.declarations}\n${alias}\n`;
  const expansion = await withAppended(question.basis, text, (module) => expandIn(module, limits), signal);
  const { paths } = question.basis.state;
  return { ...expansion, problems: expansion.problems.map((problem) => withoutFolders(problem, paths)) };
}

async function expandIn(module: AppendedModule, limits: StructureLimits): Promise<TypeExpansion> {
  const { project, file } = module;
  const { checker } = project;
  const [found, symbol, source] = await Promise.all([
    complaints(module),
    checker.resolveName(NAME, SymbolFlags.Type, { document: file, position: module.start }),
    project.program.getSourceFile(file),
  ]);
  const alias = source?.statements.findLast(isTypeAliasDeclaration);
  const tuple = alias?.name.text === NAME ? alias.type : undefined;
  const node = tuple !== undefined && isTupleTypeNode(tuple) ? tuple.elements[0] : undefined;
  const reference = node === undefined ? undefined : await referencedSymbol(project, node);
  // A generic type without its arguments stands for its declaration.
  const isBare =
    node !== undefined &&
    reference !== undefined &&
    typeArgumentsOf(node).length === 0 &&
    found.some(({ code }) => NEEDS_ARGUMENTS.has(code));
  const type = isBare ? await checker.getDeclaredTypeOfSymbol(reference) : await elementType(project, symbol);
  if (type === undefined) return { step: undefined, structure: EMPTY, problems: found.map(({ text }) => text) };
  const problems = found.filter(({ code }) => !(isBare && NEEDS_ARGUMENTS.has(code))).map(({ text }) => text);
  const step = node === undefined || reference === undefined ? undefined : await stepOf(module, reference, node);
  return { step, structure: await typeStructure(project, type, limits), problems };
}

const EMPTY: TypeStructure = { text: "unknown", notExpanded: [] };

/** A complaint may name a module by its absolute path. */
function withoutFolders(text: string, paths: DisplayPaths): string {
  return text.replaceAll(/(["'])([/\\][^"']+|[A-Za-z]:[/\\][^"']+)\1/g, (_match, quote: string, path: string) => {
    return quote + paths.show(path) + quote;
  });
}

async function elementType({ checker }: Project, symbol: Symbol | undefined): Promise<Type | undefined> {
  const tuple = symbol === undefined ? undefined : await checker.getDeclaredTypeOfSymbol(symbol);
  return tuple?.isTypeReference() === true ? (await checker.getTypeArguments(tuple))[0] : undefined;
}

async function complaints({
  project,
  file,
  start,
}: AppendedModule): Promise<readonly { code: number; text: string }[]> {
  const { program } = project;
  const syntax = await program.getSyntacticDiagnostics(file);
  const all = syntax.length > 0 ? syntax : await program.getSemanticDiagnostics(file);
  return all
    .filter(({ pos, code }) => pos >= start && !OWN_COMPLAINTS.has(code))
    .map(({ code, text }) => ({ code, text: `TS${code} ${text}` }));
}

async function referencedSymbol(project: Project, node: TypeNode): Promise<Symbol | undefined> {
  const name = isTypeReferenceNode(node) ? node.typeName : isImportTypeNode(node) ? node.qualifier : undefined;
  if (name === undefined) return undefined;
  const last = isIdentifier(name) ? name : name.right;
  const symbol = await project.checker.getSymbolAtLocation(last);
  if (symbol === undefined) return undefined;
  return (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : project.checker.getAliasedSymbol(symbol);
}

async function stepOf(
  { project, file, start }: AppendedModule,
  symbol: Symbol,
  node: TypeNode,
): Promise<AliasStep | undefined> {
  const nodes = await Promise.all(symbol.declarations.map((handle) => handle.resolve(project)));
  const alias = nodes.find((each) => each !== undefined && isTypeAliasDeclaration(each));
  if (alias === undefined || !isTypeAliasDeclaration(alias)) return undefined;
  const source = alias.getSourceFile();
  const args = argumentsOf(alias, source, node);
  const isOwn = source.fileName === file && alias.end > start;
  const isComputed = alias.type.getText(source) === "intrinsic";
  return {
    declaration: oneLine(source.text.slice(alias.getStart(source), alias.end)).replace(/^.*?(?=\btype )|;$/g, ""),
    file: source.fileName,
    at: isOwn ? undefined : source.getLineAndCharacterOfPosition(alias.name.getStart(source)),
    bindings: [...args].map(([name, { text }]) => `${name} = ${text}`),
    body: isComputed ? undefined : compact(substitutedBody(alias, source, args)),
    distributes: await distributedMembers(project, alias, node),
  };
}

const LINE_LENGTH = 120;

/** On one line where it fits; else as it was written. */
function compact(text: string): string {
  const line = oneLine(text);
  return line.length <= LINE_LENGTH ? line : text;
}

/** Arguments as they were written; a missing one is the parameter's default, or stays the parameter. */
function argumentsOf(alias: TypeAliasDeclaration, source: SourceFile, node: TypeNode): Map<string, TypeArgument> {
  const given = typeArgumentsOf(node);
  const args = new Map<string, TypeArgument>();
  for (const [index, parameter] of [...(alias.typeParameters ?? [])].entries()) {
    const written = given[index];
    const fallback = given.length > 0 ? parameter.defaultType : undefined;
    const name = parameter.name.text;
    if (written !== undefined) args.set(name, argument(written, written.getSourceFile()));
    else if (fallback !== undefined) args.set(name, argument(fallback, source));
  }
  return args;
}

function argument(node: Node, source: SourceFile): TypeArgument {
  const text = oneLine(source.text.slice(node.getStart(source), node.end)).replaceAll(/import\("[^"]*"\)\./g, "");
  return { text, isCompound: isCompoundType(node) };
}

function typeArgumentsOf(node: TypeNode): readonly TypeNode[] {
  if (isTypeReferenceNode(node) || isImportTypeNode(node)) return [...(node.typeArguments ?? [])];
  return [];
}

/** `T extends … ? … : …` is computed for each member when `T` is a union. */
async function distributedMembers(
  project: Project,
  alias: TypeAliasDeclaration,
  node: TypeNode,
): Promise<readonly string[]> {
  const check = (alias.type as { readonly checkType?: Node }).checkType;
  if (check === undefined || !isTypeReferenceNode(check) || !isIdentifier(check.typeName)) return [];
  const { text } = check.typeName;
  const index = (alias.typeParameters ?? []).findIndex(({ name }) => name.text === text);
  const given = typeArgumentsOf(node)[index];
  const type: Type | undefined = given === undefined ? undefined : await project.checker.getTypeFromTypeNode(given);
  if (type?.isUnionType() !== true) return [];
  const members = await type.getTypes();
  return Promise.all(members.map((member) => typeName(project, member)));
}
