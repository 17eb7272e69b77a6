/** Every way a symbol can be called: the signatures of a function, method, class, callable type or value. */
import {
  SignatureKind,
  SymbolFlags,
  type Checker,
  type Signature,
  type Symbol,
  type Type,
} from "typescript/unstable/async";
import {
  isConstructorDeclaration,
  isGetAccessorDeclaration,
  isSetAccessorDeclaration,
  isSignatureDeclaration,
  type Node,
  type SourceFile,
} from "typescript/unstable/ast";
import { inspectDeclaration, modifiersOf, type DeclarationDetail } from "../names/tree/inspect-declaration.ts";
import { isNameNode, nameNodeOf } from "../names/tree/qualified-name.ts";
import type { SymbolTarget } from "../names/tree/declaration.ts";
import { readSignature, type FunctionSignature } from "./signature-parts.ts";
import { typeText, type TypeContext } from "./type-text.ts";
import type { View } from "../view.ts";
import { mapLimited } from "../yielding.ts";

export interface FunctionSignatures {
  readonly detail: DeclarationDetail;
  /** In the order the compiler tries them; an implementation behind overloads is last. Empty: not callable. */
  readonly signatures: readonly FunctionSignature[];
  /** The symbol's type, for saying what it is when it is not callable. */
  readonly type: string;
  /** Whether the signatures are the value's, and not those of the type by the same name. */
  readonly ofValue: boolean;
}

/** Undefined when the declaration left the program. */
export async function functionSignatures(view: View, target: SymbolTarget): Promise<FunctionSignatures | undefined> {
  const details = await mapLimited(target.declarations, (each) => inspectDeclaration(view, each), view.signal);
  const [detail] = details.filter((each) => each !== undefined);
  if (detail === undefined) return undefined;
  const context = { view, program: detail.program, enclosing: detail.source };
  if (target.overload !== undefined && isFunctionNode(detail.node)) {
    return { detail, signatures: await oneOverload(context, detail.node), type: "", ofValue: true };
  }
  const symbol = await symbolOfDetail(detail);
  if (symbol === undefined) return anonymous(context, detail);
  const types = await callableTypes(detail, symbol);
  const [first] = types;
  for (const { type, ofValue } of types) {
    const signatures = await signaturesOfType(context, type);
    if (signatures.length === 0) continue;
    const hidden = await implementations(context, symbol, detail);
    return { detail, signatures: [...signatures, ...hidden], type: "", ofValue };
  }
  const type = first === undefined ? "" : await typeText(context, first.type);
  return { detail, signatures: [], type, ofValue: false };
}

/** The symbol a declaration makes, aliases followed; a constructor's is its class. */
export async function symbolOfDetail({ node, nameNode, program }: DeclarationDetail): Promise<Symbol | undefined> {
  const { checker } = program.project;
  const owner = isConstructorDeclaration(node) ? node.parent : node;
  const name = owner === node && isNameNode(nameNode) ? nameNode : nameNodeOf(owner);
  const symbol =
    name === undefined && modifiersOf(owner).includes("default")
      ? await defaultExport(checker, owner.getSourceFile())
      : await checker.getSymbolAtLocation(name ?? owner);
  if (symbol === undefined || (symbol.flags & SymbolFlags.Alias) === 0) return symbol;
  return checker.getAliasedSymbol(symbol);
}

/** A class or function without a name is found by what it is exported as. */
async function defaultExport(checker: Checker, source: SourceFile): Promise<Symbol | undefined> {
  const module = await checker.getSymbolAtLocation(source);
  return module === undefined ? undefined : checker.getMemberInModuleExports(module, "default");
}

interface CallableType {
  readonly type: Type;
  readonly ofValue: boolean;
}

/** The value's type, then for a type its declared one: `Promise` is called by its value, a callable interface by itself. */
async function callableTypes({ program }: DeclarationDetail, symbol: Symbol): Promise<CallableType[]> {
  const { checker } = program.project;
  const types: CallableType[] = [];
  if ((symbol.flags & SymbolFlags.Value) !== 0) {
    const type = await checker.getTypeOfSymbol(symbol);
    const present = type === undefined ? undefined : await checker.getNonNullableType(type);
    if (present !== undefined) types.push({ type: present, ofValue: true });
  }
  const isType = (symbol.flags & (SymbolFlags.Interface | SymbolFlags.TypeAlias | SymbolFlags.TypeLiteral)) !== 0;
  if (isType) types.push({ type: await checker.getDeclaredTypeOfSymbol(symbol), ofValue: false });
  return types.filter(({ type }) => !type.isErrorType());
}

/** Its call signatures, then its construct signatures. */
async function signaturesOfType(context: TypeContext, type: Type): Promise<FunctionSignature[]> {
  const { checker } = context.program.project;
  const found = await Promise.all(
    [SignatureKind.Call, SignatureKind.Construct].map(async (kind) => {
      const signatures = await checker.getSignaturesOfType(type, kind);
      return mapLimited(signatures, (signature) => readSignature(context, signature, kind), context.view.signal);
    }),
  );
  return found.flat().filter((signature) => signature !== undefined);
}

/** The declarations with a body that others without one hide. */
async function implementations(
  context: TypeContext,
  symbol: Symbol,
  detail: DeclarationDetail,
): Promise<FunctionSignature[]> {
  const { project } = context.program;
  const declared = await Promise.all(symbol.declarations.map((handle) => handle.resolve(project)));
  const nodes = declared.filter((node) => node !== undefined).flatMap(functionsIn);
  const bodies = nodes.filter((node) => hasBody(node));
  if (bodies.length === 0 || bodies.length === nodes.length) return [];
  const inFile = bodies.filter((node) => node.getSourceFile().fileName === detail.source.fileName);
  return (await Promise.all(inFile.map((node) => fromDeclaration(context, node, false)))).flat();
}

function functionsIn(node: Node): readonly Node[] {
  const members = (node as { readonly members?: readonly Node[] }).members;
  if (members !== undefined) return members.filter((member) => isConstructorDeclaration(member));
  return isFunctionNode(node) ? [node] : [];
}

async function oneOverload(context: TypeContext, node: Node): Promise<FunctionSignature[]> {
  const siblings = await siblingFunctions(context, node);
  const isImplementation = hasBody(node) && siblings.some((each) => !hasBody(each));
  return fromDeclaration(context, node, !isImplementation);
}

async function siblingFunctions({ program: { project } }: TypeContext, node: Node): Promise<readonly Node[]> {
  if (isConstructorDeclaration(node)) return functionsIn(node.parent);
  const name = nameNodeOf(node);
  const symbol = name === undefined ? undefined : await project.checker.getSymbolAtLocation(name);
  const nodes = await Promise.all((symbol?.declarations ?? []).map((handle) => handle.resolve(project)));
  return nodes.filter((each) => each !== undefined).flatMap(functionsIn);
}

async function fromDeclaration(context: TypeContext, node: Node, callable: boolean): Promise<FunctionSignature[]> {
  const signature: Signature | undefined = await context.program.project.checker.getSignatureFromDeclaration(node);
  if (signature === undefined) return [];
  const kind = signature.isConstruct || isConstructorDeclaration(node) ? SignatureKind.Construct : SignatureKind.Call;
  const read = await readSignature(context, signature, kind, callable);
  return read === undefined ? [] : [read];
}

/** A function without a name, such as `export default () => 1`, or the constructor of a class without one. */
async function anonymous(context: TypeContext, detail: DeclarationDetail): Promise<FunctionSignatures> {
  const { checker } = context.program.project;
  const node = isConstructorDeclaration(detail.node) ? detail.node.parent : detail.node;
  const value = (node as { readonly expression?: Node }).expression ?? node;
  const type = await checker.getTypeAtLocation(value);
  if (type === undefined) return { detail, signatures: [], type: "", ofValue: true };
  const signatures = await signaturesOfType(context, type);
  return { detail, signatures, type: await typeText(context, type), ofValue: true };
}

function isFunctionNode(node: Node): boolean {
  return isSignatureDeclaration(node) && !isGetAccessorDeclaration(node) && !isSetAccessorDeclaration(node);
}

function hasBody(node: Node): boolean {
  return (node as { readonly body?: Node }).body !== undefined;
}
