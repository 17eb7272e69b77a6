/** What a class, interface, enum or object says about one of its members: modifiers, type, initialiser, value. */
import { SignatureKind, type Symbol, type Type } from "typescript/unstable/async";
import {
  isClassExpression,
  isConstructorDeclaration,
  isEnumMember,
  isGetAccessorDeclaration,
  isIndexSignatureDeclaration,
  isPrivateIdentifier,
  isSetAccessorDeclaration,
  SyntaxKind,
  type Node,
  type ParameterDeclaration,
} from "typescript/unstable/ast";
import { assignedName } from "../names/javascript/assigned-names.ts";
import { docSummary } from "./doc-comments.ts";
import { headerOf, kindOf, modifiersOf, oneLine } from "../names/tree/inspect-declaration.ts";
import { nameNodeOf } from "../names/tree/qualified-name.ts";
import { signatureText, typeText, type TypeContext } from "./type-text.ts";
import type { LspPosition } from "../places.ts";

export interface ClassMember {
  /** As written: `total`, `#count`, `[Symbol.iterator]`, `"quoted-name"`; "" for a signature without one. */
  readonly name: string;
  /** `property`, `parameter property`, `method`, `getter`, `setter`, `accessor` (both), `constructor`, `index signature`, … */
  readonly kind: string;
  /** In source order: `static`, `readonly`, `private`, `protected`, `abstract`, `override`, `declare`, `accessor`, `async`, … */
  readonly modifiers: readonly string[];
  readonly optional: boolean;
  /** One, or one for each overload. A method's is `(key: Key): Item`, an index signature's `[key: string]: T`. */
  readonly types: readonly string[];
  /** True when the type was left to the compiler. */
  readonly inferred: boolean;
  /** The type that a setter takes, where it differs from what the getter gives. */
  readonly setterType: string | undefined;
  /** The text of the initialiser; a function's without its body. */
  readonly initializer: string | undefined;
  /** The value of an enum member, where the compiler can compute it. */
  readonly value: string | number | undefined;
  readonly documentation: string;
  readonly file: string;
  readonly at: LspPosition;
}

export interface MemberGroup {
  /** `Store<{ id: string }, "a" | "b">`. */
  readonly origin: string;
  readonly file: string;
  readonly members: readonly ClassMember[];
}

export interface MemberOptions {
  /** Whether a base's type arguments were put in, so that what is written does not say the type. */
  readonly instantiated?: boolean;
  /** The name of a member whose declaration has none: JavaScript's `this.name = …`. */
  readonly unnamed?: string;
}

/**
 * The member that these declarations make: one, the overloads of a method, or a getter with its setter. `type` is the
 * checker's, for a member whose declaration does not say it or says it in terms of a base's own type parameters.
 */
export async function memberFacts(
  context: TypeContext,
  declarations: readonly [Node, ...Node[]],
  type: Type | undefined,
  { instantiated = false, unnamed = "" }: MemberOptions = {},
): Promise<ClassMember> {
  const [first] = declarations;
  const source = first.getSourceFile();
  const getter = declarations.find((node) => isGetAccessorDeclaration(node));
  const setter = declarations.find((node) => isSetAccessorDeclaration(node));
  const main = getter ?? first;
  const name = nameNodeOf(first);
  const signatures = declarations.filter((node) => !hasBody(node));
  const isPair = getter !== undefined && setter !== undefined;
  const setterType = isPair && !instantiated ? writtenType(setter) : undefined;
  const optional = declarations.some(hasQuestionMark);
  const shown = signatures.length > 0 ? signatures : declarations;
  const types = await typesOf(context, { declarations: shown, main, type, instantiated });
  return {
    name: name === undefined ? unnamed : oneLine(name.getText()),
    kind: isPair ? "accessor" : memberKind(main),
    modifiers: modifiersIn(declarations),
    optional,
    types: optional ? types.map((text) => withoutUndefined(context, text)) : types,
    inferred: !isFullyWritten(main) && !isEnumMember(main),
    setterType: setterType === types[0] ? undefined : setterType,
    initializer: initializerText(first, instantiated),
    value: isEnumMember(first) ? await context.program.project.checker.getConstantValue(first) : undefined,
    documentation: declarations.map(docSummary).find((text) => text !== "") ?? "",
    file: source.fileName,
    at: source.getLineAndCharacterOfPosition((name ?? first).getStart(source)),
  };
}

export interface ComputedProperty {
  readonly symbol: Symbol;
  readonly type: Type | undefined;
  readonly optional: boolean;
  readonly isReadonly: boolean;
  /** What it was computed from, such as the property a mapped type copies. */
  readonly declaration: Node | undefined;
}

/** A member without a declaration that says anything of it: the compiler made it, as in a mapped type. */
export async function computedMember(
  context: TypeContext,
  { symbol, type, optional, isReadonly, declaration }: ComputedProperty,
  self: Node,
): Promise<ClassMember> {
  const text = type === undefined ? "any" : await typeText(context, type);
  const name = declaration === undefined ? undefined : nameNodeOf(declaration);
  const place = declaration ?? self;
  const source = place.getSourceFile();
  return {
    name: name?.getText() ?? symbol.name,
    kind: "property",
    modifiers: isReadonly ? ["readonly"] : [],
    optional,
    types: [optional ? withoutUndefined(context, text) : text],
    inferred: true,
    setterType: undefined,
    initializer: undefined,
    value: undefined,
    documentation: declaration === undefined ? "" : docSummary(declaration),
    file: source.fileName,
    at: source.getLineAndCharacterOfPosition((name ?? place).getStart(source)),
  };
}

function memberKind(node: Node): string {
  if (node.kind === SyntaxKind.ConstructSignature) return "construct signature";
  const kind = kindOf(node);
  // JavaScript makes properties by assigning to `this`.
  return kind === "function" || kind === "symbol" ? "property" : kind;
}

/** The question mark already says it, unless the project tells a missing property from an undefined one. */
function withoutUndefined({ program }: TypeContext, text: string): string {
  if (program.project.compilerOptions.exactOptionalPropertyTypes === true) return text;
  const rest = text.replace(/ \| undefined$/, "");
  return rest === text ? text : rest.replace(/^\((\(.*\) => [^()]*)\)$/, "$1");
}

export function hasQuestionMark(node: Node): boolean {
  const { questionToken, postfixToken } = node as { readonly questionToken?: Node; readonly postfixToken?: Node };
  return (questionToken ?? postfixToken)?.kind === SyntaxKind.QuestionToken;
}

function modifiersIn(declarations: readonly Node[]): string[] {
  const all = new Set(declarations.flatMap(modifiersOf));
  const isPrivateName = declarations.some((node) => isPrivateIdentifier(nameNodeOf(node) ?? node));
  const isGenerator = declarations.some(
    (node) => (node as { readonly asteriskToken?: Node }).asteriskToken !== undefined,
  );
  return [...(isPrivateName ? ["#private"] : []), ...all, ...(isGenerator ? ["generator"] : [])];
}

interface DeclaredMember {
  readonly declarations: readonly Node[];
  /** The declaration that says what the member is. */
  readonly main: Node;
  readonly type: Type | undefined;
  readonly instantiated: boolean;
}

async function typesOf(
  context: TypeContext,
  { declarations, main, type, instantiated }: DeclaredMember,
): Promise<string[]> {
  if (isConstructorDeclaration(main)) return constructorTexts(context, declarations);
  if (isIndexSignatureDeclaration(main)) return [headerOf(main, main.getSourceFile()).replace(/^.*?(?=\[)/, "")];
  if (isMethodLike(main)) {
    if (!instantiated && declarations.every(isFullyWritten)) return declarations.map(parametersText);
    return methodTexts(context, declarations, type, instantiated);
  }
  if (assignedName(main) !== undefined && kindOf(main) === "method") {
    return methodTexts(context, declarations, type, true);
  }
  const written = instantiated ? undefined : writtenType(main);
  if (written !== undefined || isEnumMember(main)) return [written ?? ""];
  return [type === undefined ? "any" : await typeText(context, type)];
}

/** JavaScript says the types of parameters in comments only; there the checker is asked. */
async function constructorTexts(context: TypeContext, declarations: readonly Node[]): Promise<string[]> {
  const isScript = /\.[cm]?jsx?$/.test(context.enclosing.getSourceFile().fileName);
  if (!isScript) return declarations.map(parametersText);
  const texts = await methodTexts(context, declarations, undefined, false);
  return texts.map((text) => text.replace(/\): (?!.*\): ).*$/, ")"));
}

async function methodTexts(
  context: TypeContext,
  declarations: readonly Node[],
  type: Type | undefined,
  instantiated: boolean,
): Promise<string[]> {
  const { checker } = context.program.project;
  const present = type === undefined ? undefined : await checker.getNonNullableType(type);
  const found =
    instantiated && present !== undefined
      ? await checker.getSignaturesOfType(present, SignatureKind.Call)
      : await Promise.all(declarations.map((node) => checker.getSignatureFromDeclaration(node)));
  return Promise.all(
    found.flatMap((signature) => (signature === undefined ? [] : [signatureText(context, signature)])),
  );
}

/** `<T>(key: Key): Item` of a declaration, as it is written. */
function parametersText(node: Node): string {
  const source = node.getSourceFile();
  const header = headerOf(node, source);
  const name = nameNodeOf(node)?.getText() ?? "";
  const start = name === "" ? 0 : header.indexOf(oneLine(name)) + oneLine(name).length;
  return header
    .slice(start)
    .replace(/^\??\s*/, "")
    .replace(/^(?:[a-z]+ )*(?:constructor|new)\s*(?=[<(])/, "");
}

function isMethodLike(node: Node): boolean {
  return (
    node.kind === SyntaxKind.MethodDeclaration ||
    node.kind === SyntaxKind.MethodSignature ||
    node.kind === SyntaxKind.CallSignature ||
    node.kind === SyntaxKind.ConstructSignature
  );
}

/** Whether every type is in the text, and nothing that only its body explains. */
function isFullyWritten(node: Node): boolean {
  if (isConstructorDeclaration(node) || isIndexSignatureDeclaration(node)) return true;
  const { parameters = [] } = node as { readonly parameters?: readonly ParameterDeclaration[] };
  const typed = parameters.every((each) => each.type !== undefined && each.initializer === undefined);
  return typed && writtenType(node) !== undefined;
}

function writtenType(node: Node): string | undefined {
  if (isSetAccessorDeclaration(node)) {
    const parameter = node.parameters[0]?.type;
    return parameter === undefined ? undefined : oneLine(parameter.getText());
  }
  const { type } = node as { readonly type?: Node };
  // A node without a place was made from JSDoc: its text is not in the file at that place.
  return type === undefined || type.pos < 0 || type.getText() === "" ? undefined : oneLine(type.getText());
}

/** For a base with type arguments put in, only an initialiser that can name none of the base's type parameters. */
function initializerText(node: Node, instantiated: boolean): string | undefined {
  const { initializer } = node as { readonly initializer?: Node };
  if (initializer === undefined || (instantiated && initializer.getText().includes("<"))) return undefined;
  const source = node.getSourceFile();
  if (isClassExpression(initializer))
    return oneLine(source.text.slice(initializer.getStart(source), initializer.members.pos)) + " … }";
  const { body } = initializer as { readonly body?: Node };
  if (body === undefined) return oneLine(initializer.getText()) || undefined;
  return `${oneLine(source.text.slice(initializer.getStart(source), body.getStart(source)))} …`;
}

export function hasBody(node: Node): boolean {
  return (node as { readonly body?: Node }).body !== undefined;
}
