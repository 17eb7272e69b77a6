/** What a single use really refers to, where the name alone does not say: base members, overrides and overloads. */
import { isBindingElement, isClassLikeDeclaration, isInterfaceDeclaration, type Node } from "typescript/unstable/ast";
import { SymbolFlags, type Project, type Type } from "typescript/unstable/async";
import type { Declaration } from "./outline.ts";
import { isNameNode, nameNodeOf, qualifiedName } from "./qualified-name.ts";
import type { ReferenceUse } from "./references.ts";

/**
 * How a use of a member reaches it. `base`: it names the member of a base class or interface, so this one may be run.
 * `override`: it names the member of a subtype, which replaces this one. `unrelated`: both only implement the same
 * base, so this one is not run.
 */
export interface Indirection {
  readonly owner: string;
  readonly relation: "base" | "override" | "unrelated";
}

/** By use, for those that name another declaration than the target's own. */
export async function indirections(
  uses: readonly ReferenceUse[],
  declarations: readonly Declaration[],
): Promise<Map<ReferenceUse, Indirection>> {
  const found = new Map<ReferenceUse, Indirection>();
  for (const [project, group] of Map.groupBy(
    uses.filter((use) => isNameNode(use.node)),
    (use) => use.program.project,
  )) {
    const symbols = await project.checker.getSymbolAtLocation(group.map((use) => use.node));
    const relations = new Map<Node, Indirection["relation"]>();
    for (const [index, use] of group.entries()) {
      const named = symbols[index];
      const isAlias = named !== undefined && (named.flags & SymbolFlags.Alias) !== 0;
      const handles = (isAlias ? await project.checker.getAliasedSymbol(named) : named)?.declarations ?? [];
      const nodes = await Promise.all(handles.map((handle) => handle.resolve(project)));
      const known = nodes.filter((node) => node !== undefined);
      const [first] = known;
      // A destructured name is a variable of its own that was already traced back to the member.
      if (first === undefined || isBindingElement(first)) continue;
      if (known.some((node) => declarations.some((each) => isAt(node, each)))) continue;
      const relation = relations.get(first) ?? (await relationOf(project, first, declarations));
      relations.set(first, relation);
      found.set(use, { owner: qualifiedName(first), relation });
    }
  }
  return found;
}

/** Whether the call resolves to that overload. A call the checker cannot resolve counts: it may. */
export async function resolvesTo(project: Project, invocation: Node, overload: Declaration): Promise<boolean> {
  const signature = await project.checker.getResolvedSignature(invocation);
  const node = await signature?.declaration?.resolve(project);
  return node === undefined || isAt(node, overload);
}

async function relationOf(
  project: Project,
  member: Node,
  declarations: readonly Declaration[],
): Promise<Indirection["relation"]> {
  const [declaration] = declarations;
  const source = declaration === undefined ? undefined : await project.program.getSourceFile(declaration.file);
  if (declaration === undefined || source === undefined) return "base";
  const { line, character } = declaration.range.start;
  const start = source.getPositionOfLineAndCharacter(line, character);
  const ownType = await typeAround(project, findAt(source, start));
  const otherType = await typeAround(project, member);
  // Without two types to compare the use is kept: too many callers is a lesser fault than too few.
  if (ownType === undefined || otherType === undefined) return "base";
  if (await project.checker.isTypeAssignableTo(ownType, otherType)) return "base";
  return (await project.checker.isTypeAssignableTo(otherType, ownType)) ? "override" : "unrelated";
}

async function typeAround(project: Project, member: Node | undefined): Promise<Type | undefined> {
  let at = member;
  while (at !== undefined && !isClassLikeDeclaration(at) && !isInterfaceDeclaration(at)) at = at.parent;
  const name = at === undefined ? undefined : nameNodeOf(at);
  const symbol = name === undefined ? undefined : await project.checker.getSymbolAtLocation(name);
  return symbol === undefined ? undefined : project.checker.getDeclaredTypeOfSymbol(symbol);
}

/** The smallest class or interface member that contains the position. */
function findAt(node: Node, position: number): Node {
  return (
    node.forEachChild((child) =>
      child.pos <= position && position < child.end ? findAt(child, position) : undefined,
    ) ?? node
  );
}

function isAt(node: Node, declaration: Declaration): boolean {
  const source = node.getSourceFile();
  if (source.fileName !== declaration.file) return false;
  const at = source.getLineAndCharacterOfPosition((nameNodeOf(node) ?? node).getStart(source));
  return at.line === declaration.at.line && at.character === declaration.at.character;
}
