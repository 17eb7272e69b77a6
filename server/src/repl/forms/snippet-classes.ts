/** Classes of a snippet: what they hand over, and to whom. */
import { brandBlock, classBodyStart, classSpec, hasPrivates, planOf } from "./class-spec.ts";
import type { Rewriting } from "./rewriting.ts";
import type { SyntaxNode } from "./syntax.ts";

/** The old class hands its instances and subclasses over to the new one, right behind the declaration. */
export function rewriteClass(r: Rewriting, node: SyntaxNode, name: string): void {
  const { edited, scope } = r;
  r.names.add(name);
  const spec = classSpec(node, (start, end) => edited.slice(start, end));
  r.classes.set(name, spec);
  if (hasPrivates(spec)) edited.appendLeft(classBodyStart(node), brandBlock(spec));
  const known = scope.kind === "global" ? scope.declared : scope.bound;
  if (r.text.mode === "install" || !known.has(name)) {
    return void edited.appendRight(node.start, `${name} = `).appendLeft(node.end, ";");
  }
  const plan = JSON.stringify(planOf(scope.classes?.get(name), spec));
  edited.appendRight(node.start, `await __agentq.adopt(__agentq.old(()=>${name}),${name} = `);
  edited.appendLeft(node.end, `,${plan});`);
}

/** A class that is the value of a variable. */
export function rememberClass(r: Rewriting, declarator: SyntaxNode): void {
  const init = declarator["init"] as SyntaxNode | null;
  const name = (declarator["id"] as SyntaxNode)["name"];
  if (init?.type !== "ClassExpression" || typeof name !== "string") return;
  const spec = classSpec(init, (start, end) => r.edited.slice(start, end));
  r.classes.set(name, spec);
  if (hasPrivates(spec)) r.edited.appendLeft(classBodyStart(init), brandBlock(spec));
}
