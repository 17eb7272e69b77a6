/** The names that a form uses and does not declare. */
import type { AssignmentExpression, ForInStatement, ForOfStatement, Node, UpdateExpression } from "oxc-parser";
import {
  declaratorNames,
  declaredName,
  isClass,
  isFunction,
  patternNames,
  type Body,
  type Identifier,
} from "./syntax.ts";
import { childrenOf, walk } from "../../base/syntax-walk.ts";

/** An assignment, an update or a loop that writes to a name. */
export type Writer = AssignmentExpression | UpdateExpression | ForInStatement | ForOfStatement;

export interface FreeName {
  readonly node: Identifier;
  readonly name: string;
  /** The name is a shorthand property: `{ name }` for `{ name: name }`. */
  readonly isShorthand: boolean;
  /** Undefined when the name is only read. */
  readonly writer: Writer | undefined;
  /** The outermost function or instance field around the name: the name is looked up when that runs. */
  readonly within: Node | undefined;
}

/** `wanted` selects names. The form's own top-level declarations do not hide a name. */
export function freeNames(body: Body, wanted: (name: string) => boolean): FreeName[] {
  const found: FreeName[] = [];
  const bindings = new Set<Node>();
  const visit = (node: Node, hidden: ReadonlySet<string>, around: Node | undefined): void => {
    const within = around ?? (isDeferred(node) ? node : undefined);
    const inner = scopeOf(node);
    const here = inner.length === 0 ? hidden : new Set([...hidden, ...inner]);
    const writer = isWriter(node) ? node : undefined;
    const targets = writer === undefined ? [] : targetsOf(writer);
    const add = (target: Identifier, isShorthand: boolean, by: Writer | undefined): void => {
      const { name } = target;
      if (wanted(name) && !here.has(name)) found.push({ node: target, name, isShorthand, writer: by, within });
    };
    for (const target of targets) add(target.node, target.isShorthand, writer);
    for (const [key, child] of childrenOf(node)) {
      if (targets.some((target) => target.node === child)) continue;
      if (node.type === "ObjectPattern") bindings.add(child);
      if (child.type !== "Identifier") visit(child, here, within);
      // The right side of an assignment and the subject of a loop are only read, although they are children of the
      // writer.
      else if (isReference(node, key) && !(key === "value" && bindings.has(node)))
        add(child, node.type === "Property" && node.shorthand, undefined);
    }
  };
  for (const statement of body) visit(statement, new Set(), undefined);
  const seen = new Set<number>();
  return found.filter(({ node }) => !seen.has(node.start) && seen.add(node.start) !== undefined);
}

interface Target {
  readonly node: Identifier;
  readonly isShorthand: boolean;
}

function isDeferred(node: Node): boolean {
  return isFunction(node) || (node.type === "PropertyDefinition" && !node.static);
}

function isWriter(node: Node): node is Writer {
  return /^(?:AssignmentExpression|UpdateExpression|For(?:In|Of)Statement)$/.test(node.type);
}

function targetsOf(writer: Writer): readonly Target[] {
  return identifiers(writer.type === "UpdateExpression" ? writer.argument : writer.left, false);
}

function identifiers(pattern: Node, isShorthand: boolean): readonly Target[] {
  switch (pattern.type) {
    case "Identifier":
      return [{ node: pattern, isShorthand }];
    case "ObjectPattern":
      return pattern.properties.flatMap((property) =>
        property.type === "RestElement"
          ? identifiers(property.argument, false)
          : identifiers(property.value, property.shorthand),
      );
    case "ArrayPattern":
      return pattern.elements.flatMap((item) => (item === null ? [] : identifiers(item, false)));
    case "AssignmentPattern":
      return identifiers(pattern.left, isShorthand);
    case "RestElement":
      return identifiers(pattern.argument, false);
    default:
      return [];
  }
}

/**
 * For each kind of node, the keys under which an identifier is a key, a label or a declared name, and not a use of a
 * binding.
 */
const NO_USE: Readonly<Partial<Record<Node["type"], readonly string[]>>> = {
  VariableDeclarator: ["id"],
  FunctionDeclaration: ["id", "params"],
  FunctionExpression: ["id", "params"],
  ArrowFunctionExpression: ["params"],
  ClassDeclaration: ["id"],
  ClassExpression: ["id"],
  CatchClause: ["param"],
  LabeledStatement: ["label"],
  BreakStatement: ["label"],
  ContinueStatement: ["label"],
  AssignmentPattern: ["left"],
  RestElement: ["argument"],
  ArrayPattern: ["elements"],
  MetaProperty: ["meta", "property"],
  ImportSpecifier: ["imported", "local"],
  ImportDefaultSpecifier: ["local"],
  ImportNamespaceSpecifier: ["local"],
  ExportSpecifier: ["local", "exported"],
};

/** Whether an identifier under that key is a use of a binding. */
function isReference(parent: Node, key: string): boolean {
  const isNamed = "computed" in parent && !parent.computed;
  if (isNamed && (key === "property" || key === "key")) return false;
  return NO_USE[parent.type]?.includes(key) !== true;
}

/** The names that a node declares for its children. */
function scopeOf(node: Node): readonly string[] {
  if (isFunction(node)) {
    const params = node.params.flatMap(patternNames);
    const own = node.type === "FunctionExpression" && node.id !== null ? [node.id.name] : [];
    return [...params, ...own, ...(node.body === null ? [] : [...varsIn(node.body), ...lexicalIn(node.body)])];
  }
  switch (node.type) {
    case "BlockStatement":
    case "StaticBlock":
    case "SwitchStatement":
      return lexicalIn(node);
    case "ForStatement":
      return node.init === null ? [] : lexicalNames(node.init);
    case "ForInStatement":
    case "ForOfStatement":
      return lexicalNames(node.left);
    case "CatchClause":
      return node.param === null ? [] : patternNames(node.param);
    case "ClassExpression":
      return node.id === null ? [] : [node.id.name];
    default:
      return [];
  }
}

/** The names that a block's own statements declare; none for an arrow function's expression. */
function lexicalIn(block: Node): string[] {
  if (block.type === "SwitchStatement") return block.cases.flatMap(({ consequent }) => consequent.flatMap(declaredBy));
  const isBlock = block.type === "BlockStatement" || block.type === "StaticBlock";
  return isBlock ? block.body.flatMap(declaredBy) : [];
}

function declaredBy(statement: Node): string[] {
  const name = declaredName(statement);
  return name === undefined ? lexicalNames(statement) : [name];
}

function lexicalNames(node: Node): string[] {
  return node.type === "VariableDeclaration" && node.kind !== "var" ? declaratorNames(node) : [];
}

/** The names of all `var` declarations below the node, except those in functions and classes. */
export function varsIn(body: Node): string[] {
  const names: string[] = [];
  walk(body, (node) => {
    if (isFunction(node) || isClass(node)) return false;
    if (node.type === "VariableDeclaration" && node.kind === "var") names.push(...declaratorNames(node));
    return true;
  });
  return names;
}
