/** What the syntax tree says about one declaration: its exact kind, modifiers, header and whether it is exported. */
import {
  isArrowFunction,
  isBindingElement,
  isCallExpression,
  isClassDeclaration,
  isClassExpression,
  isFunctionExpression,
  isObjectLiteralExpression,
  isParameterDeclaration,
  isSourceFile,
  isVariableDeclaration,
  isVariableDeclarationList,
  isVariableStatement,
  SyntaxKind,
  type Node,
  type SourceFile,
} from "typescript/unstable/ast";
import { assignablesOf } from "../javascript/exports-object.ts";
import { assignedName, type AssignedName } from "../javascript/assigned-names.ts";
import { handedOn, isExportedObject, isRequired, wholeExports } from "../javascript/commonjs-exports.ts";
import { nameAt } from "../name-at.ts";
import type { Declaration } from "./declaration.ts";
import type { ProgramView, View } from "../../view.ts";

export interface DeclarationDetail {
  readonly declaration: Declaration;
  /** `function`, `class`, `type`, `getter`, `const`, …; `alias` for an export specifier, `import` for an imported name. */
  readonly kind: string;
  /** `export`, `default`, `abstract`, `static`, `readonly`, … in source order; a variable's own keyword is not one. */
  readonly modifiers: readonly string[];
  /** The declaration without its body, on one line. */
  readonly header: string;
  readonly node: Node;
  readonly nameNode: Node;
  readonly source: SourceFile;
  readonly program: ProgramView;
}

const KIND_NAMES = new Map<SyntaxKind, string>([
  [SyntaxKind.FunctionDeclaration, "function"],
  [SyntaxKind.FunctionExpression, "function"],
  [SyntaxKind.ArrowFunction, "function"],
  [SyntaxKind.MethodDeclaration, "method"],
  [SyntaxKind.MethodSignature, "method"],
  [SyntaxKind.GetAccessor, "getter"],
  [SyntaxKind.SetAccessor, "setter"],
  [SyntaxKind.PropertyDeclaration, "property"],
  [SyntaxKind.PropertySignature, "property"],
  [SyntaxKind.PropertyAssignment, "property"],
  [SyntaxKind.ShorthandPropertyAssignment, "property"],
  [SyntaxKind.Parameter, "parameter property"],
  [SyntaxKind.Constructor, "constructor"],
  [SyntaxKind.ConstructSignature, "constructor"],
  [SyntaxKind.CallSignature, "call signature"],
  [SyntaxKind.IndexSignature, "index signature"],
  [SyntaxKind.ClassDeclaration, "class"],
  [SyntaxKind.ClassExpression, "class"],
  [SyntaxKind.InterfaceDeclaration, "interface"],
  [SyntaxKind.TypeAliasDeclaration, "type"],
  [SyntaxKind.JSDocTypedefTag, "type"],
  [SyntaxKind.JSDocPropertyTag, "property"],
  [SyntaxKind.JSDocCallbackTag, "type"],
  [SyntaxKind.EnumDeclaration, "enum"],
  [SyntaxKind.EnumMember, "enum member"],
  [SyntaxKind.VariableDeclaration, "variable"],
  [SyntaxKind.BindingElement, "variable"],
  [SyntaxKind.ModuleDeclaration, "namespace"],
  [SyntaxKind.ExportSpecifier, "alias"],
  [SyntaxKind.NamespaceExport, "alias"],
  [SyntaxKind.ImportSpecifier, "import"],
  [SyntaxKind.ImportClause, "import"],
  [SyntaxKind.NamespaceImport, "import"],
  [SyntaxKind.ImportEqualsDeclaration, "import"],
  [SyntaxKind.ExportAssignment, "default export"],
]);

/** Kinds whose type may be left to the compiler. */
const INFERRED_KINDS = new Set([
  "function",
  "method",
  "getter",
  "property",
  "parameter",
  "parameter property",
  "const",
  "let",
  "var",
  "using",
  "variable",
]);

const MODIFIERS = new Map<SyntaxKind, string>([
  [SyntaxKind.ExportKeyword, "export"],
  [SyntaxKind.DefaultKeyword, "default"],
  [SyntaxKind.DeclareKeyword, "declare"],
  [SyntaxKind.AbstractKeyword, "abstract"],
  [SyntaxKind.PublicKeyword, "public"],
  [SyntaxKind.PrivateKeyword, "private"],
  [SyntaxKind.ProtectedKeyword, "protected"],
  [SyntaxKind.StaticKeyword, "static"],
  [SyntaxKind.OverrideKeyword, "override"],
  [SyntaxKind.ReadonlyKeyword, "readonly"],
  [SyntaxKind.AccessorKeyword, "accessor"],
  [SyntaxKind.AsyncKeyword, "async"],
  [SyntaxKind.ConstKeyword, "const"],
]);

/** Undefined when the file left the program or the position holds no declaration. */
export async function inspectDeclaration(view: View, declaration: Declaration): Promise<DeclarationDetail | undefined> {
  const found = await view.source(declaration.file);
  if (found === undefined) return undefined;
  const { source, program } = found;
  const start = source.getPositionOfLineAndCharacter(declaration.at.line, declaration.at.character);
  const nameNode = nameAt(source, start);
  const node = declarationAround(nameNode);
  if (node === undefined) return undefined;
  return {
    declaration,
    kind: kindOf(node),
    modifiers: modifiersOf(node),
    header: headerOf(node, source),
    node,
    nameNode,
    source,
    program,
  };
}

/** The nearest declaration at or above a node. */
export function declarationAround(node: Node): Node | undefined {
  for (let at: Node | undefined = node; at !== undefined && !isSourceFile(at); at = at.parent) {
    if (KIND_NAMES.has(at.kind) || assignedName(at) !== undefined) return at;
  }
  return undefined;
}

export function kindOf(node: Node): string {
  const value = initializerOf(node);
  if (value !== undefined && (isArrowFunction(value) || isFunctionExpression(value))) {
    return isMember(assignedName(node)) ? "method" : "function";
  }
  if (value !== undefined && isClassExpression(value)) return "class";
  if (isRequired(node)) return "import";
  if (isVariableDeclaration(node)) return variableKeyword(node);
  if (isParameterDeclaration(node) && modifiersOf(node).length === 0) return "parameter";
  const assigned = KIND_NAMES.has(node.kind) ? undefined : assignedName(node);
  if (assigned !== undefined) return assignedKind(assigned);
  return KIND_NAMES.get(node.kind) ?? "symbol";
}

export function modifiersOf(node: Node): string[] {
  // Other modules can always import what a module declares in its comments.
  if (isDeclaredInComment(node)) return ["export"];
  if (isExportedValue(node)) return ["export"];
  const assigned = assignedName(node);
  if (assigned !== undefined) return assigned.form === "export" ? ["export"] : isStatic(assigned) ? ["static"] : [];
  const statement = isVariableDeclaration(node) ? node.parent.parent : node;
  const modifiers = (statement as { readonly modifiers?: readonly Node[] }).modifiers ?? [];
  return modifiers.flatMap((modifier) => MODIFIERS.get(modifier.kind) ?? []);
}

/** Whether the declaration only gives another name to something declared elsewhere. */
export function isAliasDeclaration({ kind, node }: DeclarationDetail): boolean {
  return kind === "alias" || kind === "import" || handedOn(node) !== undefined;
}

/** The declaration's own text up to its body, without decorators and line breaks. */
export function headerOf(node: Node, source: SourceFile): string {
  if (isDeclaredInComment(node) || node.kind === SyntaxKind.JSDocPropertyTag)
    return oneLine(node.getText(source).split("\n")[0] ?? "");
  const statement = isVariableDeclaration(node) && isVariableStatement(node.parent.parent) ? node.parent.parent : node;
  const prefix = isVariableDeclaration(node) ? `${[...modifiersOf(node), variableKeyword(node)].join(" ")} ` : "";
  const start = prefix === "" ? afterDecorators(statement, source) : node.getStart(source);
  const text = source.text.slice(start, Math.min(headerEnd(node, source), start + 4_000));
  return oneLine(prefix + text).replace(/\s*(?:=>|[={;,.])$/, "");
}

export function oneLine(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g, " ")
    .replace(/\s+/g, " ")
    .replace(/([([]) /g, "$1")
    .replace(/,? ([)\]])/g, "$1")
    .trim();
}

/** Whether the declaration says its own type, so that nothing has to be inferred to show it. */
export function hasWrittenType(node: Node): boolean {
  if (!INFERRED_KINDS.has(kindOf(node))) return true;
  const typed = initializerOf(node) ?? node;
  return (
    (node as { readonly type?: Node }).type !== undefined || (typed as { readonly type?: Node }).type !== undefined
  );
}

function initializerOf(node: Node): Node | undefined {
  return assignedName(node)?.value ?? (node as { readonly initializer?: Node }).initializer;
}

/** A member of `module.exports`, or the function or class that it is. */
function isExportedValue(node: Node): boolean {
  if (node.parent === undefined) return false;
  const isMade = isFunctionExpression(node) || isClassExpression(node);
  if (isMade) return wholeExports(node.getSourceFile()).includes(node);
  return isExportedObject(node.parent) && !isObjectLiteralExpression(node.parent.parent.parent);
}

/** A member of a function or class itself; an object has no others. */
function isStatic({ form, owner, node }: AssignedName): boolean {
  return form === "static" && !assignablesOf(node.getSourceFile()).objects.has(owner ?? "");
}

function isMember(assigned: AssignedName | undefined): boolean {
  return assigned !== undefined && assigned.form !== "export";
}

function assignedKind({ form, value, node }: AssignedName): string {
  const entries = isObjectLiteralExpression(value) && isCallExpression(node) ? [...value.properties] : [];
  const isComputed = entries.some((each) => (each as { readonly name?: Node }).name?.getText() === "get");
  if (isComputed) return "getter";
  return form === "export" ? "variable" : "property";
}

function variableKeyword(node: Node): string {
  if (!isVariableDeclarationList(node.parent)) return "variable";
  const text = node.parent.getText().slice(0, 6);
  return text.startsWith("const") ? "const" : text.startsWith("let") ? "let" : text.startsWith("var") ? "var" : "using";
}

function afterDecorators(node: Node, source: SourceFile): number {
  const start = node.getStart(source);
  const all = (node as { readonly modifiers?: readonly Node[] }).modifiers ?? [];
  // In JavaScript `@private` in the comment before a declaration is a modifier too.
  const modifiers = all.filter((modifier) => modifier.end > start);
  const first = modifiers.find((modifier) => modifier.kind !== SyntaxKind.Decorator);
  const last = modifiers.at(-1);
  if (first !== undefined) return first.getStart(source);
  if (last === undefined) return start;
  return last.end + (/^\s*/.exec(source.text.slice(last.end))?.[0].length ?? 0);
}

function headerEnd(node: Node, source: SourceFile): number {
  const body =
    (node as { readonly body?: Node }).body ?? (initializerOf(node) as { readonly body?: Node } | undefined)?.body;
  if (body !== undefined) return body.getStart(source);
  const holder = isClassDeclaration(node) ? node : initializerOf(node);
  const members = (node as { readonly members?: { readonly pos: number } }).members;
  if (members !== undefined && node.kind !== SyntaxKind.TypeLiteral) return members.pos;
  if (holder !== undefined && isClassExpression(holder)) return holder.members.pos;
  const type = (node as { readonly type?: Node }).type;
  // A type that a comment says is before the declaration and not in it.
  const isWritten = type !== undefined && type.end > node.getStart(source);
  if (isWritten && node.kind !== SyntaxKind.TypeAliasDeclaration) return type.end;
  return isBindingElement(node) ? node.parent.parent.end : node.end;
}

function isDeclaredInComment({ kind }: Node): boolean {
  return (
    kind === SyntaxKind.JSDocTypedefTag ||
    kind === SyntaxKind.JSDocCallbackTag ||
    kind === SyntaxKind.JSTypeAliasDeclaration
  );
}
