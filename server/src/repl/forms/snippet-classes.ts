/** Classes of a snippet: what they hand over, and to whom. */
import { brandBlock, classBodyStart, classSpec, hasPrivates, planOf, type ClassSpec } from "./class-spec.ts";
import { followOthers } from "./private-crossing.ts";
import type { Rewriting } from "./rewriting.ts";
import type { SyntaxNode } from "./syntax.ts";

/** The old class hands its instances and subclasses over to the new one, right behind the declaration. */
export function rewriteClass(r: Rewriting, node: SyntaxNode, name: string): void {
  const { edited, scope } = r;
  r.names.add(name);
  const known = scope.kind === "global" ? scope.declared : scope.bound;
  const spec = remembered(r, node, name);
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
  remembered(r, init, name);
}

/** A class that was there before may have instances: where this one asks others for private names, it asks for theirs. */
function remembered(r: Rewriting, node: SyntaxNode, name: string): ClassSpec {
  const { edited, scope } = r;
  const read = (): ClassSpec => classSpec(node, (start, end) => edited.slice(start, end));
  const known = scope.kind === "global" ? scope.declared : scope.bound;
  let spec = read();
  if (known.has(name) && spec.privates.instance.length > 0) {
    const family = `${r.number}:${name}`;
    const { instance } = spec.privates;
    followOthers(edited, node, family, (each) => instance.includes(each));
    // Only what is compiled once more follows; the texts that are compared with later ones stay as they were.
    spec = { ...spec, members: read().members, family };
  }
  r.classes.set(name, spec);
  if (hasPrivates(spec)) edited.appendLeft(classBodyStart(node), brandBlock(spec));
  return spec;
}
