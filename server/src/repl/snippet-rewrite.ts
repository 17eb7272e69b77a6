/** The edits that make a module-shaped snippet fit for repeated evaluation in one lasting scope. */
import type MagicString from "magic-string";
import type { SnippetScope } from "./snippet.ts";
import { patternNames, walk, type SyntaxNode } from "./syntax.ts";

interface Rewriting {
  readonly edited: MagicString;
  readonly scope: SnippetScope;
  readonly number: number;
  /** Names that the snippet's text declares as enums. */
  readonly enums: ReadonlySet<string>;
  /** Every name the snippet declares, to be hoisted. */
  readonly names: Set<string>;
  /** Imported names that become getters of the global object. */
  readonly live: Set<string>;
  imports: boolean;
}

export function rewriteTopLevel(
  edited: MagicString,
  body: readonly SyntaxNode[],
  scope: SnippetScope,
  number: number,
  enums: ReadonlySet<string>,
): { names: ReadonlySet<string>; live: ReadonlySet<string>; imports: boolean } {
  const r: Rewriting = { edited, scope, number, enums, names: new Set(), live: new Set(), imports: false };
  const last = body.findLast((node) => node.type !== "EmptyStatement" && !isEmptyExport(node) && !isBareVar(node));
  for (const statement of body) {
    rewriteImportsInside(r, statement);
    rewriteStatement(r, statement, statement === last);
  }
  if (scope.kind === "global" && !(last !== undefined && isValue(last))) edited.append("\n;undefined");
  return r;
}

function isEmptyExport(node: SyntaxNode): boolean {
  return node.type === "ExportNamedDeclaration" && node["declaration"] === null;
}

/** `var N;` alone declares and does nothing; transpilers put it behind the last statement. */
function isBareVar(node: SyntaxNode): boolean {
  if (node.type !== "VariableDeclaration" || node["kind"] !== "var") return false;
  return (node["declarations"] as readonly SyntaxNode[]).every((declarator) => declarator["init"] === null);
}

function isValue(node: SyntaxNode): boolean {
  if (node.type === "ExpressionStatement") return true;
  return node.type === "ExportDefaultDeclaration" && !isNamedDeclaration(node["declaration"] as SyntaxNode);
}

function isNamedDeclaration(node: SyntaxNode): boolean {
  return /^(Function|Class)Declaration$/.test(node.type) && node["id"] !== null;
}

function rewriteStatement(r: Rewriting, node: SyntaxNode, isLast: boolean): void {
  const { edited } = r;
  switch (node.type) {
    case "ImportDeclaration":
      return rewriteImport(r, node);
    case "ExportAllDeclaration":
      return void edited.remove(node.start, node.end);
    case "ExportNamedDeclaration": {
      const declaration = node["declaration"] as SyntaxNode | null;
      if (declaration === null) return void edited.remove(node.start, node.end);
      edited.remove(node.start, declaration.start);
      return rewriteStatement(r, declaration, false);
    }
    case "ExportDefaultDeclaration": {
      const declaration = node["declaration"] as SyntaxNode;
      if (!isNamedDeclaration(declaration)) return keep(r, node, declaration, isLast);
      edited.remove(node.start, declaration.start);
      return rewriteStatement(r, declaration, false);
    }
    case "ExpressionStatement":
      return isLast ? keep(r, node, node["expression"] as SyntaxNode, true) : undefined;
    case "VariableDeclaration":
      return rewriteVariables(r, node, "statement");
    case "FunctionDeclaration":
      return rewriteFunction(r, node);
    case "ClassDeclaration": {
      const id = node["id"] as SyntaxNode;
      r.names.add(id["name"] as string);
      edited.appendRight(node.start, `${id["name"] as string} = `).appendLeft(node.end, ";");
      return;
    }
    default:
      return hoistNestedVars(r, node);
  }
}

function keep(r: Rewriting, statement: SyntaxNode, expression: SyntaxNode, isLast: boolean): void {
  const open = !isLast ? "(" : r.scope.kind === "module" ? "return (" : `await __agentq.keep(${r.number},(`;
  const close = isLast && r.scope.kind === "global" ? "));" : ");";
  if (statement.start < expression.start) r.edited.remove(statement.start, expression.start);
  r.edited.appendRight(expression.start, open);
  if (expression.end < statement.end) r.edited.remove(expression.end, statement.end);
  r.edited.appendLeft(expression.end, close);
}

/** `function f` is hoisted as `f = function`: its name is inferred, and recursion goes through the binding. */
function rewriteFunction(r: Rewriting, node: SyntaxNode): void {
  const id = node["id"] as SyntaxNode;
  const name = id["name"] as string;
  r.names.add(name);
  const head = `${node["async"] === true ? "async " : ""}function${node["generator"] === true ? "*" : ""}`;
  r.edited.overwrite(node.start, id.end, `${name} = ${head}`).appendLeft(node.end, ";");
  if (node.start > 0) r.edited.move(node.start, node.end, 0);
}

function rewriteVariables(r: Rewriting, node: SyntaxNode, place: "statement" | "forInit" | "forLeft"): void {
  const { edited } = r;
  const declarators = node["declarations"] as readonly SyntaxNode[];
  const first = declarators[0] as SyntaxNode;
  const reset = node["kind"] === "var" ? "" : " = undefined";
  for (const declarator of declarators) {
    startEnumAnew(r, declarator);
    for (const name of patternNames(declarator["id"] as SyntaxNode)) r.names.add(name);
    if (declarator["init"] === null && place === "statement") edited.appendLeft(declarator.end, reset);
  }
  if (place === "statement" && isBareVar(node)) return void edited.overwrite(node.start, node.end, ";");
  if (place !== "statement") return void edited.remove(node.start, first.start);
  const lastEnd = (declarators.at(-1) as SyntaxNode).end;
  edited.overwrite(node.start, first.start, "(");
  if (lastEnd < node.end) edited.overwrite(lastEnd, node.end, ");");
  else edited.appendLeft(lastEnd, ");");
}

/**
 * An enum is emitted as `X = function(X){…}(X || {})`, which adds to an X of an earlier snippet. The first declaration
 * in a snippet begins with nothing; the later ones of the same snippet are assignments and merge with it.
 */
function startEnumAnew(r: Rewriting, declarator: SyntaxNode): void {
  const id = declarator["id"] as SyntaxNode;
  const init = declarator["init"] as SyntaxNode | null;
  const name = id["name"];
  if (init?.type !== "CallExpression" || typeof name !== "string" || !r.enums.has(name) || r.names.has(name)) return;
  const [argument] = init["arguments"] as readonly SyntaxNode[];
  if (argument?.type !== "LogicalExpression") return;
  const left = argument["left"] as SyntaxNode;
  if (left["name"] === name) r.edited.overwrite(argument.start, argument.end, "{}");
}

/** A `var` in a block or a loop belongs to the whole snippet, so it is hoisted like one at the top. */
function hoistNestedVars(r: Rewriting, statement: SyntaxNode): void {
  const places = new Map<SyntaxNode, "forInit" | "forLeft">();
  walk(statement, (node) => {
    if (/Function|^Class/.test(node.type)) return false;
    if (node.type === "ForStatement" && node["init"] !== null) places.set(node["init"] as SyntaxNode, "forInit");
    if (/^For(In|Of)Statement$/.test(node.type)) places.set(node["left"] as SyntaxNode, "forLeft");
    if (node.type === "VariableDeclaration" && node["kind"] === "var") {
      rewriteVariables(r, node, places.get(node) ?? "statement");
    }
    return true;
  });
}

function rewriteImport(r: Rewriting, node: SyntaxNode): void {
  const { edited, scope } = r;
  r.imports = true;
  const specifier = JSON.stringify((node["source"] as SyntaxNode)["value"]);
  const pairs = (node["specifiers"] as readonly SyntaxNode[]).map((item): readonly [string, string] => {
    const local = (item["local"] as SyntaxNode)["name"] as string;
    if (item.type === "ImportDefaultSpecifier") return [local, "default"];
    if (item.type === "ImportNamespaceSpecifier") return [local, "*"];
    const imported = item["imported"] as SyntaxNode;
    return [local, (imported["name"] ?? imported["value"]) as string];
  });
  // A lexical name of an earlier snippet would hide a getter of the global object: it is assigned instead.
  const assigned = scope.kind === "module" ? pairs : pairs.filter(([local]) => scope.declared.has(local));
  const live = pairs.filter((pair) => !assigned.includes(pair));
  for (const [local] of live) r.live.add(local);
  const from = scope.kind === "module" ? `,undefined,${JSON.stringify(scope.url)}` : "";
  const parts = assigned.map(([local, imported]) => {
    r.names.add(local);
    return `${local} = __agentq.pick(await __agentq.imp(${specifier}${from}),${JSON.stringify(imported)},${specifier});`;
  });
  if (live.length > 0) parts.push(`await __agentq.bring(${specifier},${JSON.stringify(live)});`);
  if (parts.length === 0) parts.push(`await __agentq.imp(${specifier}${from});`);
  edited.overwrite(node.start, node.end, parts.join(""));
  if (node.start > 0) edited.move(node.start, node.end, 0);
}

/** `import()` and `import.meta` have no meaning in evaluated code: the bridge gives them one. */
function rewriteImportsInside(r: Rewriting, statement: SyntaxNode): void {
  const { edited, scope } = r;
  walk(statement, (node) => {
    if (node.type === "ImportExpression") {
      r.imports = true;
      edited.overwrite(node.start, node.start + "import".length, "__agentq.imp");
      if (scope.kind === "module") {
        const options = node["options"] === null ? ",undefined" : "";
        edited.appendLeft(node.end - 1, `${options},${JSON.stringify(scope.url)}`);
      }
    }
    if (node.type === "MetaProperty" && (node["meta"] as SyntaxNode)["name"] === "import") {
      const meta = scope.kind === "module" ? `__agentq.meta(${JSON.stringify(scope.url)})` : "__agentq.root";
      edited.overwrite(node.start, node.end, meta);
    }
    return true;
  });
}
