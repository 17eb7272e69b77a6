/** The edits that prepare a form, which is written like a module, for repeated evaluation in one lasting scope. */
import { inKernel, kernelCall } from "../../child/wire/kernel-call.ts";
import type { ClassSpec } from "../../source/classes/class-spec.ts";
import { AWAITED_VALUE } from "../../child/wire/wire.ts";
import { COMPLETION, hasCompletion, trackCompletion } from "./completion-value.ts";
import { keepHelpers } from "../../source/classes/decorator-helpers.ts";
import { giveImports } from "../dropped-imports.ts";
import { flagOf } from "./early-reads.ts";
import { mendNames } from "./mended-names.ts";
import { topLevelNames, type EmittedForm, type Rewriting } from "./rewriting.ts";
import { rewriteClass } from "./snippet-classes.ts";
import { startNamespaceAnew } from "../merged-declarations.ts";
import { hoistNestedVars, reached, rewriteVariables } from "./snippet-variables.ts";
import { moveUp, rewriteImport, rewriteImportsInside, rewriteReexport, sharedImports } from "./snippet-imports.ts";
import type { Class, ExportDefaultDeclaration, Function as FunctionNode, Node } from "oxc-parser";
import { declarationIn, declaredName, isClass, type Body } from "../../source/syntax.ts";
import { NO_VALUE, whereTheValueIs } from "./value-place.ts";

export interface Rewritten {
  /** All names that the form declares. They will be hoisted. */
  readonly names: ReadonlySet<string>;
  /** Imported names that become getters of the global object. */
  readonly live: ReadonlySet<string>;
  readonly constants: ReadonlySet<string>;
  readonly lexical: ReadonlySet<string>;
  readonly classes: ReadonlyMap<string, ClassSpec>;
  readonly imports: boolean;
  /**
   * The form needs a block: `using` disposes at the end of the form, and decorators' helpers are visible only in the
   * form.
   */
  readonly needsBlock: boolean;
}

export function rewriteTopLevel(form: EmittedForm, body: Body): Rewritten {
  const { edited, scope, text } = form;
  const { last, stashed } = text.mode === "install" ? NO_VALUE : whereTheValueIs(body, text);
  const shared = sharedImports(body, scope);
  const all = topLevelNames(body, text.helpers);
  const top = { ...all, names: new Set([...all.names].filter((name) => !shared.has(name))) };
  const taking = giveImports(edited, body, scope, top.names);
  const checked = mendNames(form, body, top);
  const replaced = replacedFunctions(body);
  const r: Rewriting = {
    ...form,
    top: body.find((each) => !isImport(each))?.start ?? Infinity,
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
  // These names are declared in the form's own block, where its functions keep them.
  const own = [...[...checked].map(flagOf), ...(stashed === undefined ? [] : [COMPLETION])];
  if (own.length > 0) edited.prepend(`let ${own.join(",")};`);
  if (taking !== "") edited.prepend(taking);
  const isBlock = r.usings > 0 || own.length > 0 || text.helpers.size > 0;
  return { ...r, lexical: top.lexical, needsBlock: isBlock && scope.kind === "global" && text.mode === "evaluate" };
}

function isImport(node: Node): boolean {
  return node.type === "ImportDeclaration" || (/^Export(?:All|Named)/.test(node.type) && declarationIn(node) === node);
}

/** Functions that the form declares again under the same name: only the last one is kept. */
function replacedFunctions(body: Body): ReadonlySet<Node> {
  const latest = new Map<string | undefined, Node>();
  const replaced = new Set<Node>();
  for (const node of body) {
    if (node.type !== "FunctionDeclaration") continue;
    const name = node.id?.name;
    const before = latest.get(name);
    if (before !== undefined) replaced.add(before);
    latest.set(name, node);
  }
  return replaced;
}

function rewriteStatement(r: Rewriting, node: Node, isLast: boolean): void {
  const { edited } = r;
  switch (node.type) {
    case "ImportDeclaration":
      return rewriteImport(r, node);
    case "ExportAllDeclaration":
      return rewriteReexport(r, node);
    case "ExportNamedDeclaration": {
      const { declaration } = node;
      if (declaration === null) return rewriteReexport(r, node);
      edited.remove(node.start, declaration.start);
      return rewriteStatement(r, declaration, false);
    }
    case "ExportDefaultDeclaration":
      return rewriteDefault(r, node, isLast);
    case "ExpressionStatement":
      startNamespaceAnew(r, node);
      return isLast ? keep(r, node, node.expression, true) : undefined;
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

function rewriteNamedClass(r: Rewriting, node: Class): void {
  const name = node.id?.name ?? "";
  rewriteClass(r, node, name);
  r.edited.appendLeft(node.end, reached(r, [name], "", ";"));
}

function answerCompletion(r: Rewriting, node: Node): void {
  trackCompletion(r.edited, node);
  const answer = r.scope.kind === "module" ? `return ${COMPLETION};` : keeping(r);
  r.edited.prependRight(node.start, `{let ${COMPLETION};`).appendLeft(node.end, `\n${answer}}`);
}

function keeping({ number }: Rewriting): string {
  return `await ${inKernel("keep")}(${number},${COMPLETION})`;
}

/** In a module, the default export has a binding: its own name, or the name from the instrumentation. */
function rewriteDefault(r: Rewriting, node: ExportDefaultDeclaration, isLast: boolean): void {
  const { edited, scope } = r;
  const { declaration } = node;
  const binding = scope.kind === "module" ? scope.defaultName : undefined;
  const name = declaredName(declaration);
  if (name !== undefined) {
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
  if (isClass(declaration)) {
    edited.remove(node.start, declaration.start);
    return rewriteClass(r, declaration, binding);
  }
  const returns = isLast ? "return " : "";
  edited.overwrite(node.start, declaration.start, `${returns}${binding} = `);
  if (declaration.end === node.end) edited.appendLeft(node.end, ";");
}

function keep(r: Rewriting, statement: Node, expression: Node, isLast: boolean): void {
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

/** `function f` is hoisted as `f = function`. The function infers its name, and recursion uses the binding. */
function rewriteFunction(r: Rewriting, node: FunctionNode): void {
  const { id } = node;
  if (id === null) return;
  const { name } = id;
  r.names.add(name);
  const head = `${node.async ? "async " : ""}function${node.generator ? "*" : ""}`;
  const carries = r.scope.kind === "module" && r.text.mode === "evaluate" && r.scope.bound.has(name);
  const before = carries ? `${inKernel("carry")}(${inKernel("old")}(()=>${name}),` : "";
  r.edited.overwrite(node.start, id.end, `${before}${name} = ${head}`).appendLeft(node.end, carries ? ");" : ";");
  moveUp(r, node);
}
