/**
 * The objects of a JavaScript file that members are assigned to: its exports, under whichever name, and its outermost
 * values.
 */
import {
  isArrowFunction,
  isCallExpression,
  isClassDeclaration,
  isClassExpression,
  isExpressionStatement,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isNewExpression,
  isObjectLiteralExpression,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  isVariableStatement,
  NodeFlags,
  SyntaxKind,
  type Node,
  type SourceFile,
} from "typescript/unstable/ast";
import { accessed, assignedValue, isAssignment, isNamed } from "./assignments.ts";

/** `exports`, `module.exports`, or a variable that was made the same object. */
export function isExportsObject(node: Node): boolean {
  if (isIdentifier(node))
    return node.text === "exports" || assignablesOf(node.getSourceFile()).exportNames.has(node.text);
  if (isParenthesizedExpression(node)) return isExportsObject(node.expression);
  if (isAssignment(node)) return isExportsObject(node.left) || isExportsObject(node.right);
  return isPropertyAccessExpression(node) && node.name.text === "exports" && isNamed(node.expression, "module");
}

/** Whether the file's variable of that name is its exports: `var app = module.exports = {}`. */
export function holdsExports(source: SourceFile, name: string): boolean {
  return assignablesOf(source).exportNames.has(name);
}

export interface Assignables {
  /** Outermost names that members can be assigned to, as to functions, classes and object literals. */
  readonly containers: ReadonlySet<string>;
  /** Outermost functions, and constants that hold one: TypeScript lets these have members by assignment. */
  readonly functions: ReadonlySet<string>;
  /** Outermost names of objects, literals or not. */
  readonly objects: ReadonlySet<string>;
  /** Variables that hold `module.exports`. */
  readonly exportNames: ReadonlySet<string>;
}

const contexts = new WeakMap<SourceFile, Assignables>();

/** Looked for once in each tree. */
export function assignablesOf(source: SourceFile): Assignables {
  const known = contexts.get(source);
  if (known !== undefined) return known;
  const containers = new Set<string>();
  const exportNames = new Set<string>();
  const objects = new Set<string>();
  const functions = new Set(source.statements.flatMap(functionNames));
  const context = { containers, exportNames, functions, objects };
  contexts.set(source, context);
  const whole = wholeExportNames(source);
  for (const statement of source.statements) {
    if ((isClassDeclaration(statement) || isFunctionDeclaration(statement)) && statement.name !== undefined) {
      containers.add(statement.name.text);
    } else if (isExpressionStatement(statement)) {
      // `module.exports = class Foo {}` and `module.exports = function make() {}`.
      const value = assignedValue(statement.expression);
      const isMade = isClassExpression(value) || isFunctionExpression(value);
      if (isMade && value.name !== undefined && isAssignment(statement.expression)) {
        if (isExportsObject(statement.expression.left)) containers.add(value.name.text);
      }
    } else if (isVariableStatement(statement)) {
      for (const { name, initializer } of statement.declarationList.declarations) {
        if (!isIdentifier(name) || initializer === undefined) continue;
        const value = assignedValue(initializer);
        if (isExportsObject(initializer)) exportNames.add(name.text);
        else if (isContainer(value)) containers.add(name.text);
        else if (isMadeObject(value, whole.has(name.text))) objects.add(name.text);
        if (isObjectLiteralExpression(value)) objects.add(name.text);
      }
    }
  }
  return context;
}

function functionNames(statement: Node): string[] {
  if (isFunctionDeclaration(statement)) return statement.name === undefined ? [] : [statement.name.text];
  if (!isVariableStatement(statement) || (statement.declarationList.flags & NodeFlags.Const) === 0) return [];
  return statement.declarationList.declarations.flatMap(({ name, initializer }) => {
    const value = initializer === undefined ? undefined : assignedValue(initializer);
    const isFunction = value !== undefined && (isFunctionExpression(value) || isArrowFunction(value));
    return isFunction && isIdentifier(name) ? [name.text] : [];
  });
}

/** The names in `module.exports = name`. */
function wholeExportNames(source: SourceFile): ReadonlySet<string> {
  const names = source.statements.flatMap((statement): string[] => {
    if (!isExpressionStatement(statement) || !isAssignment(statement.expression)) return [];
    const { left } = statement.expression;
    const value = assignedValue(statement.expression);
    return isPropertyAccessExpression(left) && isExportsObject(left) && isIdentifier(value) ? [value.text] : [];
  });
  return new Set(names);
}

/** `Object.create(…)`, and any other call whose result the module exports. */
function isMadeObject(value: Node, isExported: boolean): boolean {
  if (isNewExpression(value)) return isExported;
  if (!isCallExpression(value) || isNamed(value.expression, "require")) return false;
  const callee = accessed(value.expression);
  return isExported || (callee?.name === "create" && isNamed(callee.receiver, "Object"));
}

function isContainer(value: Node): boolean {
  if (isObjectLiteralExpression(value)) return true;
  return isClassExpression(value) || isFunctionExpression(value) || value.kind === SyntaxKind.ArrowFunction;
}
