/**
 * What JavaScript declares by assigning: `exports.name = …`, `Outer.prototype.member = …`, `this.member = …`. In TypeScript
 * functions alone have members by assignment: `Card.Title = …`.
 */
import {
  isArrowFunction,
  isCallExpression,
  isClassDeclaration,
  isClassExpression,
  isClassLikeDeclaration,
  isConstructorDeclaration,
  isElementAccessExpression,
  isExpressionStatement,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isModuleBlock,
  isParenthesizedExpression,
  isSourceFile,
  isStringLiteral,
  isVariableDeclaration,
  SyntaxKind,
  type Node,
} from "typescript/unstable/ast";
import { accessed, assignedValue, isAssignment, isNamed } from "./assignments.ts";
import { assignablesOf, isExportsObject } from "./exports-object.ts";

export const SCRIPT: RegExp = /\.[cm]?jsx?$/;

/** `export` is a member of `module.exports`; the others are members of a class, a constructor function or a value. */
export type AssignedForm = "export" | "prototype" | "static" | "instance";

export interface AssignedName {
  /** The assignment, or the call of `Object.defineProperty`. */
  readonly node: Node;
  readonly nameNode: Node;
  readonly name: string;
  readonly form: AssignedForm;
  /** `Outer` of `Outer.member`; undefined for an export. */
  readonly owner: string | undefined;
  /** What is assigned, behind further assignments; the descriptor of a defined property. */
  readonly value: Node;
}

/** Undefined for every node that declares nothing in this way. */
export function assignedName(node: Node): AssignedName | undefined {
  if (isObjectLiteralElement(node)) return prototypeEntry(node);
  if (node.kind !== SyntaxKind.BinaryExpression && node.kind !== SyntaxKind.CallExpression) return undefined;
  if (isCallExpression(node)) return definedProperty(node);
  if (!isAssignment(node)) return undefined;
  const left = accessed(node.left);
  if (left === undefined || !isStated(node)) return undefined;
  if (!isScript(node) && !isOfFunction(node, left.receiver)) return undefined;
  const found = memberOf(left.receiver);
  if (found === undefined || (found.form === "static" && left.name === "prototype")) return undefined;
  return { ...found, node, nameNode: left.nameNode, name: left.name, value: assignedValue(node) };
}

/** Whether TypeScript takes the assignment for a declaration: outermost, to a member of an outermost function. */
function isOfFunction(assignment: Node, receiver: Node): boolean {
  if (!isIdentifier(receiver) || !assignablesOf(assignment.getSourceFile()).functions.has(receiver.text)) return false;
  let at = assignment.parent;
  while (!isSourceFile(at) && !bindsThis(at) && !isArrowFunction(at) && !isModuleBlock(at)) at = at.parent;
  return isSourceFile(at);
}

/** `Outer.prototype = { member() {…} }` */
function prototypeEntry(node: Node): AssignedName | undefined {
  const { parent } = node;
  if (parent === undefined || !isAssignment(parent.parent) || parent.parent.right !== parent) return undefined;
  const left = accessed(parent.parent.left);
  const owner = left?.name === "prototype" && isScript(node) ? containerName(left.receiver) : undefined;
  const { name: nameNode, initializer } = node as { readonly name?: Node; readonly initializer?: Node };
  if (owner === undefined || nameNode === undefined || !(isIdentifier(nameNode) || isStringLiteral(nameNode))) {
    return undefined;
  }
  return { node, nameNode, name: nameNode.text, form: "prototype", owner, value: initializer ?? node };
}

function isObjectLiteralElement({ kind }: Node): boolean {
  return (
    kind === SyntaxKind.PropertyAssignment ||
    kind === SyntaxKind.MethodDeclaration ||
    kind === SyntaxKind.GetAccessor ||
    kind === SyntaxKind.SetAccessor
  );
}

/** `Object.defineProperty(exports, "name", …)`. */
function definedProperty(node: Node): AssignedName | undefined {
  if (!isCallExpression(node) || !isScript(node)) return undefined;
  const callee = accessed(node.expression);
  if (callee?.name !== "defineProperty" || !isNamed(callee.receiver, "Object")) return undefined;
  const [target, nameNode, value] = [...node.arguments];
  if (target === undefined || nameNode === undefined || value === undefined || !isStringLiteral(nameNode)) {
    return undefined;
  }
  // Compilers write this name into every module, and nobody asks for it.
  if (nameNode.text === "__esModule") return undefined;
  const found = memberOf(target);
  return found === undefined ? undefined : { ...found, node, nameNode, name: nameNode.text, value };
}

export function memberOf(receiver: Node): Pick<AssignedName, "form" | "owner"> | undefined {
  if (isExportsObject(receiver)) return { form: "export", owner: undefined };
  if (receiver.kind === SyntaxKind.ThisKeyword) return memberOfThis(receiver);
  const outer = accessed(receiver);
  if (outer?.name === "prototype") {
    const owner = containerName(outer.receiver);
    return owner === undefined ? undefined : { form: "prototype", owner };
  }
  const owner = containerName(receiver);
  return owner === undefined ? undefined : { form: "static", owner };
}

/** An outermost class, function or object of the file, by the name it is addressed with. */
function containerName(node: Node): string | undefined {
  if (isIdentifier(node)) {
    const { containers, objects } = assignablesOf(node.getSourceFile());
    return containers.has(node.text) || objects.has(node.text) ? node.text : undefined;
  }
  const exported = accessed(node);
  return exported !== undefined && isExportsObject(exported.receiver) ? exported.name : undefined;
}

type Membership = Pick<AssignedName, "form" | "owner">;

function memberOfThis(node: Node): Membership | undefined {
  let at: Node | undefined = node.parent;
  while (at !== undefined && !isSourceFile(at) && !bindsThis(at)) at = at.parent;
  if (at === undefined || isSourceFile(at)) return undefined;
  if (isClassLikeDeclaration(at.parent)) return memberOfClass(at, at.parent);
  const entry = assignedName(at) ?? assignedName(at.parent);
  if (entry !== undefined && isObjectLiteralElement(entry.node)) return { form: "instance", owner: entry.owner };
  if (isFunctionDeclaration(at) && isSourceFile(at.parent) && at.name !== undefined) return instanceOf(at, at.name);
  return isFunctionExpression(at) ? memberOfAssigned(at) : undefined;
}

function memberOfClass(member: Node, ownClass: Node): Membership | undefined {
  const owner = className(ownClass);
  const modifiers = (member as { readonly modifiers?: readonly Node[] }).modifiers ?? [];
  const isStatic = modifiers.some(({ kind }) => kind === SyntaxKind.StaticKeyword);
  return owner === undefined ? undefined : { form: isStatic ? "static" : "instance", owner };
}

/** What `this` is in a function expression that a variable holds, or that is assigned to something. */
function memberOfAssigned(made: Node): Membership | undefined {
  const { parent } = made;
  if (isVariableDeclaration(parent) && isIdentifier(parent.name) && isSourceFile(parent.parent.parent.parent)) {
    return instanceOf(made, parent.name);
  }
  const assigned = isAssignment(parent) ? assignedName(parent) : undefined;
  if (assigned?.form === "prototype") return { form: "instance", owner: assigned.owner };
  return assigned?.form === "export" ? instanceOf(made, assigned.nameNode) : undefined;
}

/**
 * A function that fills `this` makes instances when something is written to its prototype, or its name is capitalized
 * like a class's.
 */
function instanceOf(made: Node, name: Node): Membership | undefined {
  const owner = isIdentifier(name) ? name.text : undefined;
  if (owner === undefined) return undefined;
  const isMaker = /^[A-Z]/.test(owner) || made.getSourceFile().text.includes(`${owner}.prototype`);
  return isMaker ? { form: "instance", owner } : undefined;
}

function bindsThis(node: Node): boolean {
  return (
    isFunctionDeclaration(node) ||
    isFunctionExpression(node) ||
    isConstructorDeclaration(node) ||
    isClassLikeDeclaration(node) ||
    node.kind === SyntaxKind.MethodDeclaration ||
    node.kind === SyntaxKind.GetAccessor ||
    node.kind === SyntaxKind.SetAccessor ||
    node.kind === SyntaxKind.PropertyDeclaration
  );
}

/** The name by which an outermost class is addressed. */
function className(node: Node): string | undefined {
  if (isClassDeclaration(node)) return isSourceFile(node.parent) ? node.name?.text : undefined;
  if (!isClassExpression(node)) return undefined;
  const { parent } = node;
  if (isVariableDeclaration(parent) && isIdentifier(parent.name)) {
    return isSourceFile(parent.parent.parent.parent) ? parent.name.text : undefined;
  }
  if (!isAssignment(parent)) return undefined;
  return isExportsObject(parent.left) ? node.name?.text : assignedName(parent)?.name;
}

/**
 * What `this` is in a function that is a member of one object, which calls it as its own: `res.send = function () {…}`.
 * A caller that calls the function otherwise is not considered.
 */
export function memberOfObjectThis(node: Node): Pick<AssignedName, "form" | "owner"> | undefined {
  let at: Node | undefined = node.kind === SyntaxKind.ThisKeyword ? node.parent : undefined;
  while (at !== undefined && !isSourceFile(at) && !bindsThis(at)) at = at.parent;
  const { parent } = at ?? {};
  if (at === undefined || parent === undefined || !isFunctionExpression(at) || !isAssignment(parent)) return undefined;
  const { left } = parent;
  const receiver = isElementAccessExpression(left) ? left.expression : accessed(left)?.receiver;
  if (receiver === undefined || !isIdentifier(receiver) || receiver.text === "exports") return undefined;
  const { exportNames, objects } = assignablesOf(node.getSourceFile());
  if (exportNames.has(receiver.text)) return { form: "export", owner: undefined };
  return objects.has(receiver.text) ? { form: "static", owner: receiver.text } : undefined;
}

/** Whether the assignment is a statement of its own, or the value of another one. */
function isStated(node: Node): boolean {
  let at = node.parent;
  while (isAssignment(at) || isParenthesizedExpression(at)) at = at.parent;
  return isExpressionStatement(at) || isVariableDeclaration(at);
}

/** Whether assignments may give members to the file's outermost declaration of that name. */
export function mayBeGivenMembers(node: Node, name: string): boolean {
  return isScript(node) || assignablesOf(node.getSourceFile()).functions.has(name);
}

export function isScript(node: Node): boolean {
  const source = node.getSourceFile();
  const known = scripts.get(source) ?? SCRIPT.test(source.fileName);
  scripts.set(source, known);
  return known;
}

/** The compiler's client reads a file's name out of the tree's bytes each time. */
const scripts = new WeakMap<Node, boolean>();
