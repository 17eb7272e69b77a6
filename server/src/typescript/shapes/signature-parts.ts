/** One signature of the checker, taken apart: type parameters, parameters with their defaults, what it returns. */
import { SignatureKind, type Signature } from "typescript/unstable/async";
import {
  isConstructorTypeNode,
  isFunctionTypeNode,
  isIdentifier,
  isParameterDeclaration,
  SyntaxKind,
  type Node,
  type ParameterDeclaration,
  type TypeParameterDeclaration,
} from "typescript/unstable/ast";
import { docComment, type DocComment } from "./doc-comments.ts";
import { modifiersOf, oneLine } from "../names/tree/inspect-declaration.ts";
import { declarationOf } from "../names/tree/qualified-name.ts";
import { nodeText, SIGNATURE_FLAGS, type TypeContext } from "./type-text.ts";
import type { LspPosition } from "../places.ts";

export interface SignatureParameter {
  /** As declared; for a destructured parameter the pattern with its defaults. */
  readonly name: string;
  readonly type: string;
  /** Whether it may be left out; one with a default that comes before a required one may not. */
  readonly optional: boolean;
  readonly rest: boolean;
  readonly destructured: boolean;
  /** The text of its default. */
  readonly initializer: string | undefined;
  /** For an element of a tuple that a rest parameter is declared with: the name of that parameter. */
  readonly restOf: string | undefined;
  readonly documentation: string;
}

export interface SignatureTypeParameter {
  readonly name: string;
  readonly constraint: string | undefined;
  readonly defaultType: string | undefined;
  /** All of it: `const K extends keyof T = keyof T`. */
  readonly text: string;
}

export interface FunctionSignature {
  readonly kind: "call" | "construct";
  /** False for the implementation behind overloads. */
  readonly callable: boolean;
  readonly typeParameters: readonly SignatureTypeParameter[];
  /** The type of a `this` parameter. */
  readonly thisType: string | undefined;
  readonly parameters: readonly SignatureParameter[];
  /** A type, or `value is string`, `asserts value`. */
  readonly returnType: string;
  readonly isAsync: boolean;
  readonly isGenerator: boolean;
  readonly isAbstract: boolean;
  /** Of a constructor. */
  readonly access: "protected" | "private" | undefined;
  readonly documentation: Pick<DocComment, "summary" | "returns" | "deprecated">;
  /** Where it is declared; undefined for one that the compiler made up. */
  readonly file: string | undefined;
  readonly at: LspPosition | undefined;
}

/** Undefined when the compiler cannot write it down. */
export async function readSignature(
  context: TypeContext,
  signature: Signature,
  kind: SignatureKind,
  callable = true,
): Promise<FunctionSignature | undefined> {
  const { view, program, enclosing } = context;
  const { project } = program;
  const isConstruct = kind === SignatureKind.Construct;
  const [declaration, written] = await Promise.all([
    signature.declaration?.resolve(project),
    project.checker.signatureToSignatureDeclaration(
      signature,
      isConstruct ? SyntaxKind.ConstructorType : SyntaxKind.FunctionType,
      enclosing,
      SIGNATURE_FLAGS,
    ),
  ]);
  if (written === undefined || !(isFunctionTypeNode(written) || isConstructorTypeNode(written))) return undefined;
  const doc = declaration === undefined ? undefined : docComment(declaration);
  const self = written.parameters.find((parameter) => isIdentifier(parameter.name) && parameter.name.text === "this");
  const [typeParameters, thisType, parameters, returnType] = await Promise.all([
    Promise.all([...(written.typeParameters ?? [])].map((each) => typeParameter(context, each))),
    self?.type === undefined ? undefined : nodeText(view, project, self.type),
    readParameters(
      context,
      signature,
      written.parameters.filter((each) => each !== self),
      doc,
    ),
    written.type === undefined ? "any" : nodeText(view, project, written.type),
  ]);
  return {
    kind: isConstruct ? "construct" : "call",
    callable,
    typeParameters,
    thisType,
    parameters,
    returnType,
    ...declaredFacts(declaration, isConstruct),
    isAbstract: signature.isAbstract,
    documentation: { summary: doc?.summary ?? "", returns: doc?.returns ?? "", deprecated: doc?.deprecated },
  };
}

function declaredFacts(
  declaration: Node | undefined,
  isConstruct: boolean,
): Pick<FunctionSignature, "isAsync" | "isGenerator" | "access" | "file" | "at"> {
  if (declaration === undefined) {
    return { isAsync: false, isGenerator: false, access: undefined, file: undefined, at: undefined };
  }
  const modifiers = modifiersOf(declaration);
  const { file, at } = declarationOf(declaration, declaration.getSourceFile());
  return {
    isAsync: modifiers.includes("async"),
    isGenerator: (declaration as { readonly asteriskToken?: Node }).asteriskToken !== undefined,
    access: isConstruct ? modifiers.find((each) => each === "protected" || each === "private") : undefined,
    file,
    at,
  };
}

async function typeParameter(
  { view, program: { project } }: TypeContext,
  node: TypeParameterDeclaration,
): Promise<SignatureTypeParameter> {
  const text = (each: Node | undefined): Promise<string> | undefined =>
    each === undefined ? undefined : nodeText(view, project, each);
  const [whole = "", constraint, defaultType] = await Promise.all([
    text(node),
    text(node.constraint),
    text(node.defaultType),
  ]);
  return { name: node.name.text, constraint, defaultType, text: whole };
}

async function readParameters(
  { view, program: { project } }: TypeContext,
  signature: Signature,
  written: readonly ParameterDeclaration[],
  doc: DocComment | undefined,
): Promise<SignatureParameter[]> {
  const symbols = await signature.getParameters();
  const declared = await Promise.all(symbols.map(async (symbol) => symbol.valueDeclaration?.resolve(project)));
  const lastIndex = declared.length - 1;
  return Promise.all(
    written.map(async (node, index) => {
      const source = declared[Math.min(index, lastIndex)];
      const declaration = source !== undefined && isParameterDeclaration(source) ? source : undefined;
      const rest = node.dotDotDotToken !== undefined;
      // A rest parameter with a tuple type is written as the tuple's elements.
      const isElement = declaration?.dotDotDotToken !== undefined && (!rest || index > lastIndex);
      const own = isElement ? undefined : declaration;
      const [name, type] = await Promise.all([
        own === undefined || isIdentifier(own.name) ? nodeText(view, project, node.name) : oneLine(own.name.getText()),
        node.type === undefined ? "any" : nodeText(view, project, node.type),
      ]);
      const destructured = own !== undefined && !isIdentifier(own.name);
      return {
        name,
        type,
        optional: node.questionToken !== undefined,
        rest,
        destructured,
        initializer: own?.initializer === undefined ? undefined : oneLine(own.initializer.getText()),
        restOf: isElement ? oneLine(declaration.name.getText()) : undefined,
        documentation: documentationOf(doc, destructured ? index : name),
      };
    }),
  );
}

/** A destructured parameter has no name of its own: its tag is found by its place among the tags. */
function documentationOf(doc: DocComment | undefined, parameter: string | number): string {
  if (doc === undefined) return "";
  if (typeof parameter === "string") return doc.parameters.get(parameter) ?? "";
  const [, text = ""] = [...doc.parameters].filter(([name]) => !name.includes("."))[parameter] ?? [];
  return text;
}
