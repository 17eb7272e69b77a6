/** Under which names CommonJS passes a value on: `module.exports = { name }`, `exports.name = value`, `export = { name }`. */
import {
  isBindingElement,
  isCallExpression,
  isElementAccessExpression,
  isExportAssignment,
  isExpressionStatement,
  isIdentifier,
  isObjectLiteralExpression,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isShorthandPropertyAssignment,
  isStringLiteral,
  isVariableDeclaration,
  SyntaxKind,
  type Node,
  type SourceFile,
} from "typescript/unstable/ast";
import { assignedName, isScript } from "./assigned-names.ts";
import { accessed, assignedValue, isAssignment } from "./assignments.ts";
import { isExportsObject } from "./exports-object.ts";

/**
 * The names that the value is exported under where the node mentions or makes it: the node itself for a shorthand,
 * several for `exports.a = exports.b = value`.
 */
export function exportNamesOf(node: Node): Node[] {
  const { parent } = node;
  if (parent === undefined) return [];
  if (isShorthandPropertyAssignment(parent)) return isExportedObject(parent.parent) ? [node] : [];
  const names: Node[] = [];
  for (let at = valueAround(node); ; at = at.parent) {
    const { parent: holder } = at;
    if (isPropertyAssignment(holder) && holder.initializer === at) {
      return isExportedObject(holder.parent) ? [...names, holder.name] : names;
    }
    if (isParenthesizedExpression(holder)) continue;
    if (!isAssignment(holder) || holder.right !== at) return names;
    const assigned = assignedName(holder);
    if (assigned?.form === "export") names.push(assigned.nameNode);
  }
}

/** Whether the object's members are the exports of its module. */
export function isExportedObject(node: Node): boolean {
  if (!isObjectLiteralExpression(node)) return false;
  let at: Node = node;
  while (isParenthesizedExpression(at.parent) || at.parent.kind === SyntaxKind.AsExpression) at = at.parent;
  const { parent } = at;
  if (isPropertyAssignment(parent)) return isExportedObject(parent.parent);
  if (isExportAssignment(parent)) return parent.isExportEquals;
  if (isVariableDeclaration(parent)) {
    return isIdentifier(parent.name) && wholeExports(parent.getSourceFile()).some((each) => isNamed(each, parent.name));
  }
  if (isCallExpression(parent)) return isAddedToExports(parent) && parent.arguments[0] !== at;
  for (let up = at; isAssignment(up.parent) && up.parent.right === up; up = up.parent) {
    if (isExportsObject(up.parent.left)) return true;
  }
  return false;
}

/** The name of what an exported property or assignment hands on; undefined for what is a declaration itself. */
export function handedOn(node: Node): Node | undefined {
  if (isShorthandPropertyAssignment(node)) return isExportedObject(node.parent) ? node.name : undefined;
  const isEntry = isPropertyAssignment(node) && isExportedObject(node.parent);
  const assigned = isEntry ? undefined : assignedName(node);
  const isExport = assigned === undefined ? isWholeAssignment(node) : assigned.form === "export";
  const value = isEntry ? node.initializer : isExport ? assignedValue(node) : undefined;
  if (value === undefined) return undefined;
  return isIdentifier(value) ? value : accessed(value)?.nameNode;
}

/** The path of `exports.name = require("./a")` and `module.exports = { name: require("./a") }`. */
export function handedOnModule(node: Node): Node | undefined {
  const isEntry = isPropertyAssignment(node) && isExportedObject(node.parent);
  const value = isEntry ? node.initializer : assignedName(node)?.form === "export" ? assignedValue(node) : undefined;
  return value !== undefined && isRequireCall(value) && isCallExpression(value) ? value.arguments[0] : undefined;
}

/** `const { name } = require("./a")` is an import and no declaration. */
export function isRequired(node: Node): boolean {
  let at = node;
  while (isBindingElement(at)) at = at.parent.parent;
  if (!isVariableDeclaration(at) || at.initializer === undefined || !isScript(at)) return false;
  return isRequireCall(accessed(at.initializer)?.receiver ?? at.initializer);
}

/** The name of the variable in `const local = require("./a").name`, for the `name` behind the dot. */
export function localOfRequired(node: Node): Node | undefined {
  const { parent: access } = node;
  const taken = access === undefined ? undefined : accessed(access);
  if (taken?.nameNode !== node || !isRequireCall(taken.receiver)) return undefined;
  const { parent: holder } = access;
  const isInitial = isVariableDeclaration(holder) && holder.initializer === access;
  return isInitial && isIdentifier(holder.name) ? holder.name : undefined;
}

/** The path from which a variable is required. */
export function requiredPath(node: Node): Node | undefined {
  const { initializer } = node as { readonly initializer?: Node };
  const call = initializer === undefined ? undefined : (accessed(initializer)?.receiver ?? initializer);
  const path = call !== undefined && isCallExpression(call) ? call.arguments[0] : undefined;
  return path !== undefined && isStringLiteral(path) ? path : undefined;
}

/**
 * The value of an assignment that declares something or is the whole export, or the object that is added to the
 * exports.
 */
export function assignedPart(node: Node): Node | undefined {
  if (isCallExpression(node)) return isAddedToExports(node) ? node.arguments[1] : assignedName(node)?.value;
  if (!isAssignment(node)) return undefined;
  if (!isScript(node)) return assignedName(node) === undefined ? undefined : assignedValue(node);
  const isPrototype = accessed(node.left)?.name === "prototype" && isObjectLiteralExpression(node.right);
  return isPrototype || isWholeAssignment(node) || assignedName(node) !== undefined ? assignedValue(node) : undefined;
}

export function isRequireCall(node: Node): boolean {
  if (!isCallExpression(node) || !isIdentifier(node.expression) || node.expression.text !== "require") return false;
  const [path] = node.arguments;
  return path !== undefined && isStringLiteral(path);
}

/** What the statements of a file assign to `module.exports` as a whole, or name after `export =`. */
export function wholeExports(source: SourceFile): readonly Node[] {
  const known = whole.get(source);
  if (known !== undefined) return known;
  const values = source.statements.flatMap((statement): Node[] => {
    if (isExportAssignment(statement)) return statement.isExportEquals ? [statement.expression] : [];
    if (!isExpressionStatement(statement) || !isAssignment(statement.expression)) return [];
    const { expression } = statement;
    return chain(expression).some(({ left }) => isModuleExports(left)) ? [assignedValue(expression)] : [];
  });
  whole.set(source, values);
  return values;
}

/** `module.exports = name` */
export function isWholeExport(node: Node): boolean {
  return isIdentifier(node) && isScript(node) && wholeExports(node.getSourceFile()).includes(node);
}

const whole = new WeakMap<SourceFile, readonly Node[]>();

/** The properties that a file gives its exports as members of objects, spread ones as they are written. */
export function exportedEntries(source: SourceFile): Node[] {
  const added = source.statements.flatMap((statement): Node[] => {
    if (!isExpressionStatement(statement)) return [];
    const { expression } = statement;
    return isCallExpression(expression) && isAddedToExports(expression) ? [...expression.arguments].slice(1) : [];
  });
  const values = [...wholeExports(source), ...added];
  const objects = values.flatMap((value) => objectOf(value, source));
  return objects.flatMap((object) => (isObjectLiteralExpression(object) ? [...object.properties] : []));
}

function objectOf(value: Node, source: SourceFile): Node[] {
  if (!isIdentifier(value)) return [value];
  return source.statements.flatMap((statement): Node[] => {
    const { declarationList } = statement as { readonly declarationList?: { readonly declarations: readonly Node[] } };
    return [...(declarationList?.declarations ?? [])].flatMap((each) => {
      if (!isVariableDeclaration(each) || !isNamed(value, each.name) || each.initializer === undefined) return [];
      return [assignedValue(each.initializer)];
    });
  });
}

/** `Object.assign(module.exports, …)` */
function isAddedToExports(node: Node): boolean {
  if (!isCallExpression(node)) return false;
  const callee = accessed(node.expression);
  const [target] = node.arguments;
  if (callee?.name !== "assign" || !isIdentifier(callee.receiver) || callee.receiver.text !== "Object") return false;
  return target !== undefined && isExportsObject(target);
}

/** The whole expression that ends in the name: `require("./a").name`. */
function valueAround(node: Node): Node {
  const { parent } = node;
  if (isPropertyAccessExpression(parent) && parent.name === node) return parent;
  return isElementAccessExpression(parent) && parent.argumentExpression === node ? parent : node;
}

/** `module.exports = {…}`, at the end of `a = b = {…}` too. */
export function isWholeAssignment(node: Node): boolean {
  return isAssignment(node) && isScript(node) && chain(node).some(({ left }) => isModuleExports(left));
}

function chain(node: Node): (Node & { readonly left: Node; readonly right: Node })[] {
  return isAssignment(node) ? [node, ...chain(node.right)] : [];
}

function isModuleExports(node: Node): boolean {
  return isPropertyAccessExpression(node) && isExportsObject(node);
}

function isNamed(node: Node, name: Node): boolean {
  return isIdentifier(node) && isIdentifier(name) && node.text === name.text;
}
