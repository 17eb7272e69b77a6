/** What implements a type or a member besides subclasses: literals and functions, as nodes of the syntax trees. */
import {
  isObjectLiteralExpression,
  isPropertyAssignment,
  isShorthandPropertyAssignment,
  isTypeAliasDeclaration,
  type Node,
} from "typescript/unstable/ast";
import { isUnionType, SymbolFlags, type Project, type Symbol } from "typescript/unstable/async";
import { annotatedValues } from "./annotated-values.ts";
import { isAssignmentPattern } from "./classify-use.ts";
import { annotatedNames } from "./heritage-names.ts";
import type { Declaration } from "../names/declaration.ts";
import { memberNodes } from "../names/members.ts";
import { declarationOf, isNameNode, nameNodeOf, qualifiedName } from "../names/qualified-name.ts";
import { usesOf, type Subtypes } from "./subtypes.ts";
import type { TypeEntry } from "./type-entry.ts";
import { memberKeyOf, membersNamed, type MemberKey } from "./type-members.ts";
import type { View } from "../view.ts";
import { mapLimited } from "../yielding.ts";

/** Literals, functions and classes that are annotated with the type or with one of its subtypes. */
export async function declaredValues(view: View, entry: TypeEntry, subtypes: Subtypes): Promise<Node[]> {
  const names = await annotatedNames(view);
  const asked = [entry, ...subtypes.all.map((subtype) => subtype.entry)];
  const uses = await mapLimited(
    asked,
    async ({ key, declaration, nodes }) => {
      const known = subtypes.uses.get(key);
      if (known !== undefined) return known;
      const isNamed = nodes.some((node) => node.name !== undefined) && view.paths.isOwn(declaration.file);
      return isNamed && !names.has(declaration.name) ? [] : usesOf(view, declaration);
    },
    view.signal,
  );
  return [...new Set(uses.flat().flatMap(({ node }) => annotatedValues(node)))];
}

/**
 * Object literals that implement a type because of what they are handed to. The compiler relates their members to the
 * type's, so one member that every implementer has is asked about.
 */
export async function typedLiterals(view: View, entry: TypeEntry, subtypes: Subtypes): Promise<Node[]> {
  const member = await telling(entry);
  const key = member === undefined ? undefined : memberKeyOf(member);
  if (member === undefined || key === undefined) return [];
  const declaration = declarationOf(member, member.getSourceFile());
  const names = await literalNames(view, declaration, membersBelow(view, key, entry, subtypes));
  return [...new Set(names.map(({ parent }) => parent.parent))];
}

/** A member, the name by which its type has it, and that type. */
export interface OwnedMember {
  readonly member: Declaration;
  readonly key: MemberKey;
  readonly owner: TypeEntry;
}

/** Members of object literals that implement a member; for `{ draw }` what `draw` is declared as. */
export async function literalImplementations(
  view: View,
  { member, key, owner }: OwnedMember,
  subtypes: Subtypes,
): Promise<Node[]> {
  const names = await literalNames(view, member, membersBelow(view, key, owner, subtypes));
  const found = await mapLimited(
    names,
    async ({ parent }) => {
      if (!isShorthandPropertyAssignment(parent)) return [parent];
      const { project } = view.programOf(parent.getSourceFile().fileName) ?? {};
      return project === undefined ? [parent] : shorthandValue(project, parent);
    },
    view.signal,
  );
  return [...new Set(found.flat())];
}

/** The names of members in literals that the compiler takes for the member asked about. */
async function literalNames(view: View, member: Declaration, wanted: ReadonlySet<string>): Promise<Node[]> {
  const uses = await usesOf(view, member);
  const possible = uses.filter(({ node }) => {
    const { parent } = node;
    if (parent?.parent === undefined || !isObjectLiteralExpression(parent.parent)) return false;
    // `({ draw: target } = shape)` takes a member out of a value and is no literal.
    const isPattern = isAssignmentPattern(isPropertyAssignment(parent) ? parent.initializer : node);
    return nameNodeOf(parent) === node && !isPattern;
  });
  const found = await mapLimited(
    possible,
    async ({ node, program }) => ((await isOneOf(view, program.project, node, wanted)) ? [node] : []),
    view.signal,
  );
  return found.flat();
}

/**
 * The compiler also relates members that only implement the same third one; the type that the literal is expected to
 * have tells them apart.
 */
async function isOneOf(view: View, project: Project, name: Node, wanted: ReadonlySet<string>): Promise<boolean> {
  const key = memberKeyOf(name.parent);
  const literal = name.parent.parent;
  if (key === undefined || !isObjectLiteralExpression(literal)) return false;
  const type = await project.checker.getContextualType(literal);
  const types = type === undefined ? [] : isUnionType(type) ? await type.getTypes() : [type];
  const properties = await Promise.all(types.map((each) => project.checker.getPropertyOfType(each, key.name)));
  const handles = properties.flatMap((property) => property?.declarations ?? []);
  const nodes = await Promise.all(handles.map((handle) => handle.resolve(project)));
  const known = nodes.filter((node) => node !== undefined);
  return known.length === 0 || known.some((node) => wanted.has(memberId(view, node)));
}

/** The type's own declarations of the member and those that its subtypes put in their place. */
function membersBelow(view: View, key: MemberKey, owner: TypeEntry, { all }: Subtypes): ReadonlySet<string> {
  const members = [owner, ...all.map(({ entry }) => entry)].flatMap((entry) => membersNamed(entry, key));
  return new Set(members.map((member) => memberId(view, member)));
}

/** One id for a member and for its copy in built declarations. */
function memberId({ state }: View, member: Node): string {
  const { fileName } = member.getSourceFile();
  return `${state.built.get(fileName) ?? state.aliases.primary(fileName)}#${qualifiedName(member)}`;
}

async function shorthandValue(project: Project, shorthand: Node): Promise<Node[]> {
  const value = await project.checker.getShorthandAssignmentValueSymbol(shorthand);
  const symbol = value === undefined ? undefined : await aliased(project, value);
  const nodes = await Promise.all((symbol?.declarations ?? []).map((handle) => handle.resolve(project)));
  const known = nodes.filter((node) => node !== undefined);
  return known.length === 0 ? [shorthand] : known;
}

function aliased(project: Project, symbol: Symbol): Symbol | Promise<Symbol> {
  return (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : project.checker.getAliasedSymbol(symbol);
}

/** A required member that the type declares itself, or else any other. */
async function telling({ nodes, program }: TypeEntry): Promise<Node | undefined> {
  const members = nodes
    .flatMap((node) => (isTypeAliasDeclaration(node) ? [] : memberNodes(node)))
    .filter((member) => isNameNode(nameNodeOf(member) ?? member));
  const names = members.map((member) => nameNodeOf(member) ?? member);
  const symbols = await program.project.checker.getSymbolAtLocation(names);
  const required = members.find((_member, index) => ((symbols[index]?.flags ?? 0) & SymbolFlags.Optional) === 0);
  return required ?? members[0];
}
