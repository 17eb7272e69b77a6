/** For a member without words of its own, the words of the class or interface from which it comes. */
import { isClassLikeDeclaration, isInterfaceDeclaration, SyntaxKind, type Node } from "typescript/unstable/ast";
import { nodesOf } from "../names/tree/checker-lookup.ts";
import type { ProgramView } from "../view.ts";

/** As many members of that name as are looked at: people write fewer classes above each other. */
const MOST_MEMBERS = 50;

/** The nearest words, breadth first: those of a superclass before those of an interface. */
export async function inheritedDocumentation(program: ProgramView, member: Node, name: string): Promise<string> {
  const { checker } = program.project;
  const members: Node[] = [member];
  const seen = new Set<Node>();
  for (let next = members.shift(); next !== undefined && seen.size < MOST_MEMBERS; next = members.shift()) {
    const owner = next.parent;
    if (seen.has(next) || owner === undefined || !(isClassLikeDeclaration(owner) || isInterfaceDeclaration(owner)))
      continue;
    seen.add(next);
    const { modifiers = [] } = next as { readonly modifiers?: readonly Node[] };
    const isStatic = modifiers.some(({ kind }) => kind === SyntaxKind.StaticKeyword);
    for (const base of (owner.heritageClauses ?? []).flatMap((clause) => [...clause.types])) {
      const type = await checker.getTypeAtLocation(isStatic ? base.expression : base);
      const above = type && (await checker.getPropertyOfType(type, name));
      if (above === undefined) continue;
      const words = (await checker.getDocumentationCommentOfSymbol(above)).trim();
      if (words !== "") return words;
      members.push(...(await nodesOf(program, above)));
    }
  }
  return "";
}
