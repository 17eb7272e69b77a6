/** The own names of class and function expressions, `const x = class Inner {}`, which the compiler's outline leaves out. */
import { isClassExpression, isFunctionExpression } from "typescript/unstable/ast";
import type { Declaration } from "./declaration.ts";
import { nameAt } from "../name-at.ts";
import { declarationOf, nameNodeOf } from "./qualified-name.ts";
import type { View } from "../../view.ts";

/** The places where a value may be, and not a statement. */
const NAMED_VALUE =
  /(?:[=(,:?&|[>{]|\breturn|\bnew|\bdefault)\s*(?:async\s+)?(?:class|function)\b\s*\*?\s*(?!extends\b)([\p{ID_Start}$_][\p{ID_Continue}$]*)/gu;

export async function withExpressionNames(
  view: View,
  { file, text }: { readonly file: string; readonly text: string },
  outlined: readonly Declaration[],
): Promise<readonly Declaration[]> {
  const found = [...text.matchAll(NAMED_VALUE)];
  // The tree of a file costs more than a look at the text.
  const source = found.length === 0 ? undefined : (await view.source(file))?.source;
  if (source === undefined) return outlined;
  const known = new Set(outlined.map(({ at }) => `${at.line}:${at.character}`));
  const added = found.flatMap(({ index, 0: whole, 1: name = "" }) => {
    const node = nameAt(source, index + whole.length - name.length).parent;
    if (node === undefined || !(isClassExpression(node) || isFunctionExpression(node))) return [];
    const own = declarationOf(node, source);
    // `const f = function f() {}` is one thing with one name.
    const isSame = nameNodeOf(node.parent)?.getText(source) === name;
    if (own.name !== name || isSame || known.has(`${own.at.line}:${own.at.character}`)) return [];
    return [{ ...own, file, local: true }];
  });
  return added.length === 0 ? outlined : [...outlined, ...added];
}
