/** The names that a form takes from around it: identifiers that nothing inside of the form declares. */
import { isNode, patternNames, walk, type SyntaxNode } from "./syntax.ts";

export interface FreeName {
  readonly node: SyntaxNode;
  readonly name: string;
  /** `{ name }` stands for `{ name: name }`. */
  readonly isShorthand: boolean;
  /** The assignment, update or loop that writes to it. */
  readonly writer: SyntaxNode | undefined;
  /** The outermost function or instance field that it stands in: it is looked at when that runs. */
  readonly within: SyntaxNode | undefined;
}

/** `wanted` says which names matter; the names of the form's own top level are not hidden. */
export function freeNames(body: readonly SyntaxNode[], wanted: (name: string) => boolean): FreeName[] {
  const found: FreeName[] = [];
  const bindings = new Set<SyntaxNode>();
  const visit = (node: SyntaxNode, hidden: ReadonlySet<string>, around: SyntaxNode | undefined): void => {
    const within = around ?? (isDeferred(node) ? node : undefined);
    const inner = scopeOf(node);
    const here = inner.length === 0 ? hidden : new Set([...hidden, ...inner]);
    const writer = isWriter(node) ? node : undefined;
    const targets = new Set(writer === undefined ? [] : targetsOf(writer));
    const add = (target: SyntaxNode, isShorthand: boolean, by: SyntaxNode | undefined): void => {
      const name = target["name"] as string;
      if (wanted(name) && !here.has(name)) found.push({ node: target, name, isShorthand, writer: by, within });
    };
    for (const target of targets) add(target.node, target.isShorthand, writer);
    for (const [key, child] of childrenOf(node)) {
      if (writer !== undefined && [...targets].some((target) => target.node === child)) continue;
      if (node.type === "ObjectPattern") bindings.add(child);
      if (child.type !== "Identifier") visit(child, here, within);
      // What is assigned, and what is looped over, is only read, though it stands right under the writer.
      else if (isReference(node, key) && !(key === "value" && bindings.has(node)))
        add(child, node.type === "Property" && node["shorthand"] === true, undefined);
    }
  };
  for (const statement of body) visit(statement, new Set(), undefined);
  const seen = new Set<number>();
  return found.filter(({ node }) => !seen.has(node.start) && seen.add(node.start) !== undefined);
}

interface Target {
  readonly node: SyntaxNode;
  readonly isShorthand: boolean;
}

function isDeferred(node: SyntaxNode): boolean {
  return /Function/.test(node.type) || (node.type === "PropertyDefinition" && node["static"] !== true);
}

function isWriter(node: SyntaxNode): boolean {
  return /^(?:AssignmentExpression|UpdateExpression|For(?:In|Of)Statement)$/.test(node.type);
}

function targetsOf(node: SyntaxNode): readonly Target[] {
  if (node.type === "UpdateExpression") return identifiers(node["argument"] as SyntaxNode, false);
  return identifiers(node["left"] as SyntaxNode, false);
}

function identifiers(pattern: SyntaxNode | null, isShorthand: boolean): readonly Target[] {
  switch (pattern?.type) {
    case "Identifier":
      return [{ node: pattern, isShorthand }];
    case "ObjectPattern":
      return (pattern["properties"] as readonly SyntaxNode[]).flatMap((property) =>
        property.type === "RestElement"
          ? identifiers(property["argument"] as SyntaxNode, false)
          : identifiers(property["value"] as SyntaxNode, property["shorthand"] === true),
      );
    case "ArrayPattern":
      return (pattern["elements"] as readonly (SyntaxNode | null)[]).flatMap((item) => identifiers(item, false));
    case "AssignmentPattern":
      return identifiers(pattern["left"] as SyntaxNode, isShorthand);
    case "RestElement":
      return identifiers(pattern["argument"] as SyntaxNode, false);
    default:
      return [];
  }
}

/** Whether an identifier under that key is a use of a binding; keys, labels and declared names are not. */
function isReference(parent: SyntaxNode, key: string): boolean {
  switch (parent.type) {
    case "MemberExpression":
    case "Property":
    case "MethodDefinition":
    case "PropertyDefinition":
    case "AccessorProperty":
      return key !== "property" && key !== "key" ? true : parent["computed"] === true;
    case "VariableDeclarator":
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ClassDeclaration":
    case "ClassExpression":
      return key !== "id" && key !== "params";
    case "ArrowFunctionExpression":
      return key !== "params";
    case "CatchClause":
      return key !== "param";
    case "LabeledStatement":
    case "BreakStatement":
    case "ContinueStatement":
      return key !== "label";
    case "AssignmentPattern":
      return key !== "left";
    case "RestElement":
    case "ArrayPattern":
    case "MetaProperty":
    case "ImportSpecifier":
    case "ImportDefaultSpecifier":
    case "ImportNamespaceSpecifier":
    case "ExportSpecifier":
      return false;
    default:
      return true;
  }
}

/** The names that a node declares for what is inside of it. */
function scopeOf(node: SyntaxNode): readonly string[] {
  if (/Function/.test(node.type)) {
    const params = (node["params"] as readonly SyntaxNode[]).flatMap(patternNames);
    const id = node["id"] as SyntaxNode | null | undefined;
    const own = node.type === "FunctionExpression" && id ? [id["name"] as string] : [];
    const body = node["body"] as SyntaxNode;
    return [...params, ...own, ...varsIn(body), ...lexicalIn(body)];
  }
  if (node.type === "BlockStatement" || node.type === "StaticBlock" || node.type === "SwitchStatement") {
    return lexicalIn(node);
  }
  if (/^For/.test(node.type)) {
    const head = (node["init"] ?? node["left"]) as SyntaxNode | null;
    return head?.type === "VariableDeclaration" && head["kind"] !== "var" ? declaredBy(head) : [];
  }
  if (node.type === "CatchClause") return node["param"] === null ? [] : patternNames(node["param"] as SyntaxNode);
  const id = node["id"] as SyntaxNode | null | undefined;
  return node.type === "ClassExpression" && id ? [id["name"] as string] : [];
}

function lexicalIn(block: SyntaxNode): string[] {
  const lists = block.type === "SwitchStatement" ? (block["cases"] as readonly SyntaxNode[]) : [block];
  const statements = lists.flatMap((each) => each["consequent"] ?? each["body"]);
  return statements.filter(isNode).flatMap((statement) => declaredBy(statement));
}

function declaredBy(statement: SyntaxNode): string[] {
  if (statement.type === "VariableDeclaration") {
    return statement["kind"] === "var" ? [] : declaratorNames(statement);
  }
  if (!/^(?:Function|Class)Declaration$/.test(statement.type)) return [];
  return [(statement["id"] as SyntaxNode)["name"] as string];
}

/** What `var` declares anywhere below, functions left out. */
export function varsIn(body: SyntaxNode): string[] {
  const names: string[] = [];
  walk(body, (node) => {
    if (/Function|^Class/.test(node.type)) return false;
    if (node.type === "VariableDeclaration" && node["kind"] === "var") names.push(...declaratorNames(node));
    return true;
  });
  return names;
}

function declaratorNames(declaration: SyntaxNode): string[] {
  return (declaration["declarations"] as readonly SyntaxNode[]).flatMap((item) =>
    patternNames(item["id"] as SyntaxNode),
  );
}

function childrenOf(node: SyntaxNode): [string, SyntaxNode][] {
  const children: [string, SyntaxNode][] = [];
  for (const key in node) {
    const value = node[key];
    if (isNode(value)) children.push([key, value]);
    else if (Array.isArray(value)) for (const item of value) if (isNode(item)) children.push([key, item]);
  }
  return children;
}
