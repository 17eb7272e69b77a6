/** The edits that make a module-shaped form fit for repeated evaluation in one lasting scope. */
import { inKernel, kernelCall } from "../child/wire/kernel-call.ts";
import type { ClassSpec } from "../source/class-spec.ts";
import { AWAITED_VALUE } from "../child/wire/wire.ts";
import { COMPLETION, hasCompletion, trackCompletion } from "./completion-value.ts";
import { keepHelpers } from "../source/decorator-helpers.ts";
import { giveImports } from "./dropped-imports.ts";
import { flagOf } from "./early-reads.ts";
import { mendNames } from "./mended-names.ts";
import { topLevelNames, type EmittedForm, type Rewriting } from "./rewriting.ts";
import { rememberClass, rewriteClass } from "./snippet-classes.ts";
import { rewriteImport, rewriteImportsInside, rewriteReexport, sharedImports } from "./snippet-imports.ts";
import { patternNames, walk, type SyntaxNode } from "../source/syntax.ts";
import { isBareVar, isNamedDeclaration, NO_VALUE, whereTheValueIs } from "./value-place.ts";

export interface Rewritten {
  /** Every name that the form declares, to be hoisted. */
  readonly names: ReadonlySet<string>;
  /** Imported names that become getters of the global object. */
  readonly live: ReadonlySet<string>;
  readonly constants: ReadonlySet<string>;
  readonly lexical: ReadonlySet<string>;
  readonly classes: ReadonlyMap<string, ClassSpec>;
  readonly imports: boolean;
  /** What `using` declares is disposed at the end of the form; what decorators keep is the form's own. */
  readonly needsBlock: boolean;
}

export function rewriteTopLevel(form: EmittedForm, body: readonly SyntaxNode[]): Rewritten {
  const { edited, scope, text } = form;
  const { last, stashed } = text.mode === "install" ? NO_VALUE : whereTheValueIs(body, text);
  const shared = sharedImports(body, scope);
  const all = topLevelNames(body, text.helpers);
  const names = shared.size === 0 ? all.names : new Set([...all.names].filter((name) => !shared.has(name)));
  const top = { ...all, names };
  const taking = giveImports(edited, body, scope, top.names);
  const checked = mendNames(form, body, top);
  const replaced = replacedFunctions(body);
  const r: Rewriting = {
    ...form,
    names: new Set(),
    live: new Set(),
    constants: new Set(),
    classes: new Map(),
    started: new Set(),
    bare: new Set(),
    checked,
    shared,
    imports: false,
    usings: 0,
  };
  for (const statement of body) {
    if (replaced.has(statement)) {
      edited.remove(statement.start, statement.end);
      continue;
    }
    rewriteImportsInside(r, statement);
    if (!keepHelpers(edited, statement, text.helpers)) rewriteStatement(r, statement, statement === last);
    if (statement === stashed) trackCompletion(edited, statement);
  }
  if (stashed !== undefined) edited.append(scope.kind === "module" ? `\n;return ${COMPLETION};` : `\n;${keeping(r)}`);
  else if (scope.kind === "global" && text.mode === "evaluate" && last === undefined)
    edited.append(`\n;await ${kernelCall("ticked")}`);
  // They stand in the form's own block: functions of it keep them.
  const own = [...[...checked].map(flagOf), ...(stashed === undefined ? [] : [COMPLETION])];
  if (own.length > 0) edited.prepend(`let ${own.join(",")};`);
  if (taking !== "") edited.prepend(taking);
  const isBlock = r.usings > 0 || own.length > 0 || text.helpers.size > 0;
  return { ...r, lexical: top.lexical, needsBlock: isBlock && scope.kind === "global" && text.mode === "evaluate" };
}

/** Functions that stand once more under the same name: the last one counts. */
function replacedFunctions(body: readonly SyntaxNode[]): ReadonlySet<SyntaxNode> {
  const latest = new Map<unknown, SyntaxNode>();
  const replaced = new Set<SyntaxNode>();
  for (const node of body) {
    if (node.type !== "FunctionDeclaration") continue;
    const name = (node["id"] as SyntaxNode)["name"];
    const before = latest.get(name);
    if (before !== undefined) replaced.add(before);
    latest.set(name, node);
  }
  return replaced;
}

/** Says that a checked name has its value from here on. */
function reached(r: Rewriting, names: readonly string[], before: string, after: string): string {
  return names.flatMap((name) => (r.checked.has(name) ? [`${before}${flagOf(name)} = true${after}`] : [])).join("");
}

function rewriteStatement(r: Rewriting, node: SyntaxNode, isLast: boolean): void {
  const { edited } = r;
  switch (node.type) {
    case "ImportDeclaration":
      return rewriteImport(r, node);
    case "ExportAllDeclaration":
      return rewriteReexport(r, node);
    case "ExportNamedDeclaration": {
      const declaration = node["declaration"] as SyntaxNode | null;
      if (declaration === null) return rewriteReexport(r, node);
      edited.remove(node.start, declaration.start);
      return rewriteStatement(r, declaration, false);
    }
    case "ExportDefaultDeclaration":
      return rewriteDefault(r, node, isLast);
    case "ExpressionStatement":
      startNamespaceAnew(r, node);
      return isLast ? keep(r, node, node["expression"] as SyntaxNode, true) : undefined;
    case "VariableDeclaration":
      return rewriteVariables(r, node, "statement");
    case "FunctionDeclaration":
      return rewriteFunction(r, node);
    case "ClassDeclaration":
      return rewriteNamedClass(r, node);
    default:
      hoistNestedVars(r, node);
      if (isLast && hasCompletion(node)) answerCompletion(r, node);
  }
}

function rewriteNamedClass(r: Rewriting, node: SyntaxNode): void {
  const name = (node["id"] as SyntaxNode)["name"] as string;
  rewriteClass(r, node, name);
  r.edited.appendLeft(node.end, reached(r, [name], "", ";"));
}

function answerCompletion(r: Rewriting, node: SyntaxNode): void {
  trackCompletion(r.edited, node);
  const answer = r.scope.kind === "module" ? `return ${COMPLETION};` : keeping(r);
  r.edited.prependRight(node.start, `{let ${COMPLETION};`).appendLeft(node.end, `\n${answer}}`);
}

function keeping({ number }: Rewriting): string {
  return `await ${inKernel("keep")}(${number},${COMPLETION})`;
}

/** In a module the default export has a binding: its own name, or the one that the instrumentation gave it. */
function rewriteDefault(r: Rewriting, node: SyntaxNode, isLast: boolean): void {
  const { edited, scope } = r;
  const declaration = node["declaration"] as SyntaxNode;
  const binding = scope.kind === "module" ? scope.defaultName : undefined;
  if (isNamedDeclaration(declaration)) {
    const name = (declaration["id"] as SyntaxNode)["name"] as string;
    edited.remove(node.start, declaration.start);
    rewriteStatement(r, declaration, false);
    if (binding === undefined || binding === name) return;
    r.names.add(binding);
    return void edited.append(`\n;${binding} = ${name};`);
  }
  if (binding === undefined) {
    if (r.text.mode === "evaluate") return keep(r, node, declaration, isLast);
    return void edited.overwrite(node.start, declaration.start, ";(");
  }
  r.names.add(binding);
  if (/^Class/.test(declaration.type)) {
    edited.remove(node.start, declaration.start);
    return rewriteClass(r, declaration, binding);
  }
  const returns = isLast ? "return " : "";
  edited.overwrite(node.start, declaration.start, `${returns}${binding} = `);
  if (declaration.end === node.end) edited.appendLeft(node.end, ";");
}

function keep(r: Rewriting, statement: SyntaxNode, expression: SyntaxNode, isLast: boolean): void {
  const [open, close] = !isLast
    ? ["(", ");"]
    : r.scope.kind === "module"
      ? [`return ${inKernel("come")}((`, `),${r.number},${AWAITED_VALUE});`]
      : [`await ${inKernel("keep")}(${r.number},(`, "));"];
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
  const carries = r.scope.kind === "module" && r.text.mode === "evaluate" && r.scope.bound.has(name);
  const before = carries ? `${inKernel("carry")}(${inKernel("old")}(()=>${name}),` : "";
  r.edited.overwrite(node.start, id.end, `${before}${name} = ${head}`).appendLeft(node.end, carries ? ");" : ";");
  if (node.start > 0) r.edited.move(node.start, node.end, 0);
}

function rewriteVariables(r: Rewriting, node: SyntaxNode, place: "statement" | "forInit" | "forLeft"): void {
  const { edited } = r;
  const declarators = node["declarations"] as readonly SyntaxNode[];
  const first = declarators[0] as SyntaxNode;
  if (/using$/.test(node["kind"] as string)) return rewriteUsing(r, node, declarators);
  const reset = node["kind"] === "var" ? "" : " = undefined";
  for (const declarator of declarators) {
    startEnumAnew(r, declarator);
    for (const name of patternNames(declarator["id"] as SyntaxNode)) {
      r.names.add(name);
      // Transpilers turn enums and namespaces into variables; what they make is a constant all the same.
      if (node["kind"] === "const") r.constants.add(name);
      else r.constants.delete(name);
    }
    rememberClass(r, declarator);
    if (declarator["init"] === null) r.bare.add(patternNames(declarator["id"] as SyntaxNode).join());
    const isReset = declarator["init"] === null && place === "statement" && !mayBelong(r, declarator);
    if (isReset) edited.appendLeft(declarator.end, reset);
    edited.appendLeft(declarator.end, reached(r, patternNames(declarator["id"] as SyntaxNode), ", ", ""));
  }
  if (place === "statement" && isBareVar(node)) return void edited.overwrite(node.start, node.end, ";");
  if (place !== "statement") return void edited.remove(node.start, first.start);
  const lastEnd = (declarators.at(-1) as SyntaxNode).end;
  // A bracket alone would make a call of a line before it that has no semicolon.
  edited.overwrite(node.start, first.start, "void (");
  if (lastEnd < node.end) edited.overwrite(lastEnd, node.end, ");");
  else edited.appendLeft(lastEnd, ");");
}

/**
 * An enum is emitted as `X = function(X){…}(X || {})`, which adds to an X of an earlier form. The first declaration
 * in a form begins with nothing; the later ones of the same form are assignments and merge with it.
 */
function startEnumAnew(r: Rewriting, declarator: SyntaxNode): void {
  const id = declarator["id"] as SyntaxNode;
  const init = declarator["init"] as SyntaxNode | null;
  const name = id["name"];
  if (init?.type !== "CallExpression" || typeof name !== "string" || !r.text.enums.has(name) || r.names.has(name))
    return;
  const [argument] = init["arguments"] as readonly SyntaxNode[];
  if (argument?.type !== "LogicalExpression") return;
  const left = argument["left"] as SyntaxNode;
  if (left["name"] === name) r.edited.overwrite(argument.start, argument.end, "{}");
}

/** The variable of a namespace that the module's class or function of that name may have. */
function mayBelong(r: Rewriting, declarator: SyntaxNode): boolean {
  const name = (declarator["id"] as SyntaxNode)["name"];
  const isNamespace = typeof name === "string" && r.text.namespaces.has(name);
  return isNamespace && r.scope.kind === "module" && r.scope.bound.has(name);
}

/**
 * `(function(N) {…})(N || (N = {}))` adds to the N of an earlier form: the first one of a form begins with nothing, but
 * for one that belongs to a class, a function or an enum.
 */
function startNamespaceAnew(r: Rewriting, node: SyntaxNode): void {
  const call = node["expression"] as SyntaxNode | undefined;
  if (node.type !== "ExpressionStatement" || call?.type !== "CallExpression") return;
  const argument = (call["arguments"] as readonly SyntaxNode[]).at(-1);
  if (argument?.type !== "LogicalExpression") return;
  const name = (argument["left"] as SyntaxNode)["name"];
  if (typeof name !== "string" || !r.text.namespaces.has(name) || r.started.has(name)) return;
  r.started.add(name);
  const right = argument["right"] as SyntaxNode;
  // What the same form declared under that name before is extended.
  if (r.names.has(name) && !r.bare.has(name)) return;
  if (r.scope.kind === "module" && r.scope.enums?.has(name) === true) return;
  r.edited.overwrite(argument.start, right.start, `typeof ${name} === "function" ? ${name} : `);
}

/** `using` stays what it is, beside a variable that later forms can see; there it is disposed of. */
function rewriteUsing(r: Rewriting, node: SyntaxNode, declarators: readonly SyntaxNode[]): void {
  for (const declarator of declarators) {
    const id = declarator["id"] as SyntaxNode;
    const init = declarator["init"] as SyntaxNode;
    const name = id["name"] as string;
    r.names.add(name);
    r.constants.add(name);
    r.edited.overwrite(id.start, init.start, `__agentq$u${++r.usings} = (${name} = `);
    r.edited.appendLeft(init.end, ")");
  }
}

/** A `var` in a block or a loop belongs to the whole form, so it is hoisted like one at the top. */
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
