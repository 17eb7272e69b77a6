/** What a single use really refers to, where the name alone does not say: base members and overloads. */
import type { Node } from "typescript/unstable/ast";
import type { Project } from "typescript/unstable/async";
import type { Declaration } from "./outline.ts";
import { nameNodeOf, qualifiedName } from "./qualified-name.ts";
import type { ReferenceUse } from "./references.ts";

/** By use: the other declaration it names, for one that goes through a base class or an interface. */
export async function indirectOwners(
  uses: readonly ReferenceUse[],
  declarations: readonly Declaration[],
): Promise<Map<ReferenceUse, string>> {
  const owners = new Map<ReferenceUse, string>();
  for (const [project, group] of Map.groupBy(uses, (use) => use.program.project)) {
    const symbols = await project.checker.getSymbolAtLocation(group.map((use) => use.node));
    for (const [index, use] of group.entries()) {
      const handles = symbols[index]?.declarations ?? [];
      const nodes = await Promise.all(handles.map((handle) => handle.resolve(project)));
      const known = nodes.filter((node) => node !== undefined);
      if (known.length === 0 || known.some((node) => declarations.some((each) => isAt(node, each)))) continue;
      const [first] = known;
      if (first !== undefined) owners.set(use, qualifiedName(first));
    }
  }
  return owners;
}

/** Whether the call resolves to that overload. A call the checker cannot resolve counts: it may. */
export async function resolvesTo(project: Project, invocation: Node, overload: Declaration): Promise<boolean> {
  const signature = await project.checker.getResolvedSignature(invocation);
  const node = await signature?.declaration?.resolve(project);
  return node === undefined || isAt(node, overload);
}

function isAt(node: Node, declaration: Declaration): boolean {
  const source = node.getSourceFile();
  if (source.fileName !== declaration.file) return false;
  const at = source.getLineAndCharacterOfPosition((nameNodeOf(node) ?? node).getStart(source));
  return at.line === declaration.at.line && at.character === declaration.at.character;
}
