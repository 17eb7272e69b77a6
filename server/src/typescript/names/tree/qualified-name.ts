/** Names of places in code: the full name of a declaration, and the declaration that encloses a position. */
import {
  isArrowFunction,
  isCallExpression,
  isClassExpression,
  isClassStaticBlockDeclaration,
  isExportAssignment,
  isFunctionExpression,
  isIdentifier,
  isModuleBlock,
  isNumericLiteral,
  isObjectLiteralExpression,
  isParameterDeclaration,
  isPrivateIdentifier,
  isPropertyAssignment,
  isPropertyDeclaration,
  isSourceFile,
  isStringLiteral,
  isVariableDeclaration,
  SyntaxKind,
  type Node,
  type SourceFile,
} from "typescript/unstable/ast";
import { assignedName } from "../javascript/assigned-names.ts";
import { accessed, isAssignment } from "../javascript/assignments.ts";
import { localOfRequired } from "../javascript/commonjs-exports.ts";
import { kindOf } from "./inspect-declaration.ts";
import type { Declaration, OutlineKind } from "./declaration.ts";
import type { LspPosition } from "../../places.ts";

/** What encloses a use: a declaration, or nothing but the module itself. */
export interface Enclosing {
  /** `Outer.member`, or "(module)". */
  readonly path: string;
  /** Where its name is; undefined for the module. */
  readonly at: LspPosition | undefined;
  readonly node: Node | undefined;
}

const NAMED_CONTAINERS = new Set<SyntaxKind>([
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.MethodSignature,
  SyntaxKind.GetAccessor,
  SyntaxKind.SetAccessor,
  SyntaxKind.PropertyDeclaration,
  SyntaxKind.PropertySignature,
  SyntaxKind.PropertyAssignment,
  SyntaxKind.ShorthandPropertyAssignment,
  SyntaxKind.Constructor,
  SyntaxKind.ClassDeclaration,
  SyntaxKind.ClassExpression,
  SyntaxKind.InterfaceDeclaration,
  SyntaxKind.TypeAliasDeclaration,
  SyntaxKind.EnumDeclaration,
  SyntaxKind.EnumMember,
  SyntaxKind.ModuleDeclaration,
  SyntaxKind.VariableDeclaration,
]);

/** `Outer.member` of a declaration, in the spelling of the outlines. */
export function qualifiedName(node: Node): string {
  const names: string[] = [];
  for (let at: Node | undefined = node; at !== undefined && !isSourceFile(at); at = at.parent) {
    const assigned = assignedName(at);
    if (assigned !== undefined) {
      names.push(assigned.name);
      // A member's name says whose member it is, wherever it was assigned.
      if (assigned.owner !== undefined) return [assigned.owner, ...names.toReversed()].join(".");
      // `exports.a = exports.b = value` are two names, and names inside of the value get the nearer one.
      while (isAssignment(at.parent)) at = at.parent;
      continue;
    }
    if ((at !== node && !NAMED_CONTAINERS.has(at.kind)) || definitionAround(at) !== undefined) continue;
    const name = ownName(at);
    // `const f = function f() {}` is one thing with one name.
    if (name !== undefined && !(isInitializedBy(at.parent, at) && at !== node)) names.push(name);
  }
  return names.toReversed().join(".");
}

/** The declaration a use belongs to, as a reader would say it: a callback belongs to what contains it. */
export function enclosingDeclaration(use: Node): Enclosing {
  for (let at: Node | undefined = use.parent; at !== undefined && !isSourceFile(at); at = at.parent) {
    const holder = isHolder(at, use) ? at : undefined;
    if (holder === undefined) continue;
    const named = isInitializedBy(holder.parent, holder) ? holder.parent : (definitionAround(holder) ?? holder);
    const name = nameNodeOf(named) ?? named;
    const source = named.getSourceFile();
    return { path: qualifiedName(named), at: source.getLineAndCharacterOfPosition(name.getStart(source)), node: named };
  }
  return { path: "(module)", at: undefined, node: undefined };
}

/** A declaration as the outlines would list it, for one that was reached through the checker. */
export function declarationOf(node: Node, source: SourceFile): Declaration {
  const named = nameNodeOf(node);
  // An assignment that only the checker takes for a declaration: to a member of a function inside of another.
  const assigned = named === undefined && isAssignment(node) ? accessed(node.left) : undefined;
  const name = named ?? assigned?.nameNode ?? node;
  const outer = assigned && [qualifiedName(node), assigned.receiver.getText(source)].filter((part) => part !== "");
  const position = (offset: number): LspPosition => source.getLineAndCharacterOfPosition(offset);
  return {
    file: source.fileName,
    name: assigned?.name ?? ownName(node) ?? "default",
    path: assigned === undefined ? qualifiedName(node) || "default" : [...(outer ?? []), assigned.name].join("."),
    kind: OUTLINE_KINDS.get(kindOf(node)) ?? "variable",
    range: { start: position(node.getStart(source)), end: position(node.end) },
    at: position(name.getStart(source)),
    ordinal: 1,
    local: false,
    maybeAlias: false,
  };
}

/**
 * Whether the checker can be asked about the node: the checker cannot place keywords like `constructor` and `super`.
 */
export function isNameNode(node: Node): boolean {
  return isIdentifier(node) || isPrivateIdentifier(node) || isStringLiteral(node) || isNumericLiteral(node);
}

export function nameNodeOf(node: Node): Node | undefined {
  return (node as { readonly name?: Node }).name ?? assignedName(node)?.nameNode;
}

const OUTLINE_KINDS = new Map<string, OutlineKind>([
  ["function", "function"],
  ["method", "method"],
  ["constructor", "constructor"],
  ["class", "class"],
  ["type", "type"],
  ["interface", "interface"],
  ["enum", "enum"],
  ["enum member", "enum member"],
  ["namespace", "namespace"],
  ["property", "property"],
  ["getter", "property"],
  ["setter", "property"],
]);

/** The last part of its address: a quoted name in double quotes, `[Symbol.iterator]`, `constructor`, `default`. */
export function ownName(node: Node): string | undefined {
  if (node.kind === SyntaxKind.Constructor) return "constructor";
  const assigned = assignedName(node);
  if (assigned !== undefined) return assigned.name;
  const name = nameNodeOf(node);
  if (name !== undefined && isStringLiteral(name)) return JSON.stringify(name.text);
  if (name !== undefined) return isIdentifier(name) ? name.text : name.getText();
  const isDefault = node.kind === SyntaxKind.FunctionDeclaration || node.kind === SyntaxKind.ClassDeclaration;
  return isDefault ? "default" : undefined;
}

/** `Object.defineProperty(exports, "name", { get() {…} })`, of which the getter is a part. */
function definitionAround(member: Node): Node | undefined {
  const object = member.parent;
  if (object === undefined || !isObjectLiteralExpression(object) || !isCallExpression(object.parent)) return undefined;
  return assignedName(object.parent)?.value === object ? object.parent : undefined;
}

/** Whether `value` is the function, class or other value that `parent` gives its name to. */
function isInitializedBy(parent: Node | undefined, value: Node): boolean {
  if (parent === undefined) return false;
  if (!isArrowFunction(value) && !isFunctionExpression(value) && !isClassExpression(value)) return false;
  if (isAssignment(parent)) return parent.right === value && assignedName(parent) !== undefined;
  return (
    (isVariableDeclaration(parent) || isPropertyAssignment(parent) || isPropertyDeclaration(parent)) &&
    parent.initializer === value
  );
}

/** The assignment to a member which a function or class with another name of its own is the value of: `Menu.Item = function MenuItem() {}`. */
export function assignmentOf(value: Node): Node | undefined {
  const isNamed = (isFunctionExpression(value) || isClassExpression(value)) && value.name !== undefined;
  return isNamed && isAssignment(value.parent) && isInitializedBy(value.parent, value) ? value.parent : undefined;
}

function isHolder(node: Node, use: Node): boolean {
  if (nameNodeOf(node) === use) return false;
  if (isArrowFunction(node) || isFunctionExpression(node) || isClassExpression(node)) {
    return isInitializedBy(node.parent, node) || nameNodeOf(node) !== undefined;
  }
  // What a variable requires is imported into the module, like by an `import`.
  if (isVariableDeclaration(node)) {
    return isAtModuleLevel(node) && isIdentifier(node.name) && localOfRequired(use) === undefined;
  }
  if (isClassStaticBlockDeclaration(node) || isExportAssignment(node) || isParameterDeclaration(node)) return false;
  if (node.kind === SyntaxKind.PropertyAssignment || node.kind === SyntaxKind.ShorthandPropertyAssignment) return false;
  if (node.kind === SyntaxKind.PropertySignature) return false;
  return NAMED_CONTAINERS.has(node.kind) && node.kind !== SyntaxKind.ModuleDeclaration;
}

function isAtModuleLevel(variable: Node): boolean {
  const scope = variable.parent.parent.parent;
  return isSourceFile(scope) || isModuleBlock(scope);
}
