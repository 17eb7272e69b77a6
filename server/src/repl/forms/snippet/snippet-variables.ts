/** The variables of a form: each declaration becomes an assignment to a name that is declared before the form. */
import type { Node, VariableDeclaration, VariableDeclarator } from "oxc-parser";
import { flagOf } from "./early-reads.ts";
import { mayBelong, startEnumAnew } from "../merged-declarations.ts";
import type { Rewriting } from "./rewriting.ts";
import { rememberClass } from "./snippet-classes.ts";
import { isClass, isFunction, patternNames } from "../../source/syntax.ts";
import { walk } from "../../../base/syntax-walk.ts";
import { isBareVar } from "./value-place.ts";

export function rewriteVariables(
  r: Rewriting,
  node: VariableDeclaration,
  place: "statement" | "forInit" | "forLeft",
): void {
  const { edited } = r;
  const { declarations: declarators } = node;
  if (/using$/.test(node.kind)) return rewriteUsing(r, declarators);
  const reset = node.kind === "var" ? "" : " = undefined";
  for (const declarator of declarators) {
    startEnumAnew(r, declarator);
    const names = patternNames(declarator.id);
    for (const name of names) {
      r.names.add(name);
      // Transpilers turn enums and namespaces into variables, but they are constants.
      if (node.kind === "const") r.constants.add(name);
      else r.constants.delete(name);
    }
    rememberClass(r, declarator);
    if (declarator.init === null) r.bare.add(names.join());
    const isReset = declarator.init === null && place === "statement" && !mayBelong(r, declarator);
    if (isReset) edited.appendLeft(declarator.end, reset);
    edited.appendLeft(declarator.end, reached(r, names, ", ", ""));
  }
  if (place === "statement" && isBareVar(node)) return void edited.overwrite(node.start, node.end, ";");
  const [first, last] = [declarators.at(0)?.start ?? node.start, declarators.at(-1)?.end ?? node.end];
  if (place !== "statement") return void edited.remove(node.start, first);
  // A bracket alone would continue the line before as a call, if that line has no semicolon.
  edited.overwrite(node.start, first, "void (");
  if (last < node.end) edited.overwrite(last, node.end, ");");
  else edited.appendLeft(last, ");");
}

/** A `var` in a block or a loop belongs to the whole form, so it is hoisted like one at the top level. */
export function hoistNestedVars(r: Rewriting, statement: Node): void {
  const places = new Map<Node, "forInit" | "forLeft">();
  walk(statement, (node) => {
    if (isFunction(node) || isClass(node)) return false;
    if (node.type === "ForStatement" && node.init !== null) places.set(node.init, "forInit");
    if (node.type === "ForInStatement" || node.type === "ForOfStatement") places.set(node.left, "forLeft");
    if (node.type === "VariableDeclaration" && node.kind === "var") {
      rewriteVariables(r, node, places.get(node) ?? "statement");
    }
    return true;
  });
}

/**
 * `using` stays, with a variable beside it that later forms can see; the value in it is disposed of at the end of the
 * form.
 */
function rewriteUsing(r: Rewriting, declarators: readonly VariableDeclarator[]): void {
  for (const { id, init } of declarators) {
    if (id.type !== "Identifier" || init === null) continue;
    const { name } = id;
    r.names.add(name);
    r.constants.add(name);
    r.edited.overwrite(id.start, init.start, `__agentq$u${++r.usings} = (${name} = `);
    r.edited.appendLeft(init.end, ")");
  }
}

/** The code that marks a checked name as having its value from here on. */
export function reached(r: Rewriting, names: readonly string[], before: string, after: string): string {
  return names.flatMap((name) => (r.checked.has(name) ? [`${before}${flagOf(name)} = true${after}`] : [])).join("");
}
