/** What a single use really refers to, where the name alone does not say: base members, overrides and overloads. */
import {
  isBindingElement,
  isClassLikeDeclaration,
  isInterfaceDeclaration,
  type ClassLikeDeclaration,
  type InterfaceDeclaration,
  type Node,
} from "typescript/unstable/ast";
import { isIntersectionType, SymbolFlags, type Project } from "typescript/unstable/async";
import type { Declaration } from "../../names/tree/declaration.ts";
import { isNameNode, nameNodeOf, qualifiedName } from "../../names/tree/qualified-name.ts";
import type { ReferenceUse } from "./references.ts";
import type { ViewState } from "../../view.ts";

/**
 * How a use reaches the member asked about. `base`: the use names the member of a base class or interface, so the
 * member asked about may be run. `override`: the use names the member of a subtype, which replaces it. `unrelated`:
 * both members only implement the same base, so the member asked about is not run.
 */
export interface Indirection {
  readonly owner: string;
  readonly relation: "base" | "override" | "unrelated";
}

/** By use, for those that name another declaration than the target's own. */
export async function indirections(
  uses: readonly ReferenceUse[],
  declarations: readonly Declaration[],
  { built, aliases }: Pick<ViewState, "built" | "aliases">,
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
      const isSame = (node: Node): boolean => {
        const { fileName } = node.getSourceFile();
        const file = built.get(fileName) ?? aliases.primary(fileName);
        return declarations.some((each) => each.file === file && each.path === qualifiedName(node));
      };
      // The same member under another name of its file, or in what was built from it.
      if (known.some(isSame)) continue;
      const relation = relations.get(first) ?? (await relationOf(project, first, declarations));
      relations.set(first, relation);
      found.set(use, { owner: qualifiedName(first), relation });
    }
  }
  return found;
}

/**
 * Whether the call resolves to one of the overloads: to one and its counterparts in what was built. A call that the
 * checker cannot resolve may, so the answer is yes.
 */
export async function resolvesTo(
  project: Project,
  invocation: Node,
  overloads: readonly Declaration[],
): Promise<boolean> {
  const signature = await project.checker.getResolvedSignature(invocation);
  const node = await signature?.declaration?.resolve(project);
  return node === undefined || overloads.some((each) => isAt(node, each));
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
  const own = typeAround(findAt(source, start));
  const other = typeAround(member);
  // Without two types to compare the use is kept: too many callers is a lesser fault than too few.
  if (own === undefined || other === undefined) return "base";
  if (await isAbove(project, other, own)) return "base";
  return (await isAbove(project, own, other)) ? "override" : "unrelated";
}

function typeAround(member: Node): TypeNode | undefined {
  let at: Node | undefined = member;
  while (at !== undefined && !isClassLikeDeclaration(at) && !isInterfaceDeclaration(at)) at = at.parent;
  return at;
}

type TypeNode = ClassLikeDeclaration | InterfaceDeclaration;

/**
 * Whether the second type extends or implements the first, however far up. By name and not by `isTypeAssignableTo`, for
 * which the type parameters of two generic classes are strangers.
 */
export async function isAbove(project: Project, above: Node, below: Node): Promise<boolean> {
  const seen = new Set<Node>([below]);
  for (const type of seen) {
    for (const base of await basesOf(project, type)) {
      if (isSameNode(base, above)) return true;
      seen.add(base);
    }
  }
  return false;
}

/** All declarations of the classes and interfaces named after `extends` and `implements`, or that a mixin makes. */
async function basesOf(project: Project, type: Node): Promise<Node[]> {
  if (!isClassLikeDeclaration(type) && !isInterfaceDeclaration(type)) return [];
  const { checker } = project;
  const named = [...(type.heritageClauses ?? [])].flatMap((clause) => [...clause.types]);
  const found = await Promise.all(
    named.map(async (each) => {
      const base = await checker.getTypeAtLocation(each);
      if (base === undefined) return [];
      const parts = isIntersectionType(base) ? await base.getTypes() : [base];
      return Promise.all(parts.map((part) => part.getSymbol()));
    }),
  );
  const handles = found.flat().flatMap((symbol) => symbol?.declarations ?? []);
  const nodes = await Promise.all(handles.map((handle) => handle.resolve(project)));
  return nodes.filter((node) => node !== undefined);
}

function isSameNode(a: Node, b: Node): boolean {
  return a === b || (a.pos === b.pos && a.end === b.end && a.getSourceFile().fileName === b.getSourceFile().fileName);
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
