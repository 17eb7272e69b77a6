/** Literals, functions and classes that implement a type, as nodes of the syntax trees. */
import { isObjectLiteralExpression, isTypeAliasDeclaration, type Node } from "typescript/unstable/ast";
import { isUnionType, SymbolFlags, type Project, type Type } from "typescript/unstable/async";
import { annotatedValues, isInUnion } from "./annotated-values.ts";
import { annotatedNames } from "./heritage-names.ts";
import { literalNames, writtenNames, type OwnedMember } from "./literal-members.ts";
import { memberNodes } from "../../names/tree/members.ts";
import { declarationOf, isNameNode, nameNodeOf } from "../../names/tree/qualified-name.ts";
import { requiredNames } from "./structural-candidates.ts";
import { usesOf, type Subtypes } from "./subtypes.ts";
import type { TypeEntry } from "./type-entry.ts";
import { isOverridable, memberKeyOf } from "./type-members.ts";
import { possibleParts } from "./union-parts.ts";
import type { View } from "../../view.ts";
import { mapLimited } from "../../yielding.ts";

/** Literals, functions and classes that are annotated with the type or with one of its subtypes. */
export async function declaredValues(view: View, entry: TypeEntry, subtypes: Subtypes): Promise<Node[]> {
  const asked = [entry, ...subtypes.all.map((subtype) => subtype.entry)];
  const isNamed = ({ declaration, nodes }: TypeEntry): boolean =>
    nodes.some((node) => node.name !== undefined) && view.paths.isOwn(declaration.file);
  const named = asked.filter((each) => !subtypes.uses.has(each.key) && isNamed(each));
  const names = await annotatedNames(
    view,
    named.map(({ declaration }) => declaration.name),
  );
  const uses = await mapLimited(
    asked,
    async (each) => {
      const known = subtypes.uses.get(each.key);
      if (known !== undefined) return known;
      return isNamed(each) && !names.has(each.declaration.name) ? [] : usesOf(view, each.declaration);
    },
    view.signal,
  );
  const meant = await mapLimited(
    uses.flatMap((own, index) => own.map((use) => ({ use, nodes: asked[index]?.nodes ?? [] }))),
    async ({ use: { node, program }, nodes }) => {
      const values = annotatedValues(node);
      if (values.length === 0 || !isInUnion(node)) return values;
      const isOther = await Promise.all(values.map((value) => isOtherPart(program.project, value, nodes)));
      return values.filter((_value, index) => isOther[index] !== true);
    },
    view.signal,
  );
  return [...new Set(meant.flat())];
}

/** Whether a literal is another part of the union that it is annotated with than the type which those nodes declare. */
async function isOtherPart(project: Project, value: Node, nodes: readonly Node[]): Promise<boolean> {
  const type = isObjectLiteralExpression(value) ? await project.checker.getContextualType(value) : undefined;
  if (type === undefined || !isUnionType(type) || !isObjectLiteralExpression(value)) return false;
  const parts = await type.getTypes();
  const possible = await possibleParts(project, value, parts);
  const owners = await Promise.all(parts.map((part) => isDeclaredBy(project, part, nodes)));
  return owners.includes(true) && !parts.some((part, index) => owners[index] === true && possible.includes(part));
}

async function isDeclaredBy(project: Project, type: Type, nodes: readonly Node[]): Promise<boolean> {
  const symbols = [await type.getAliasSymbol(), await type.getSymbol()];
  const handles = symbols.flatMap((symbol) => symbol?.declarations ?? []);
  const declared = await Promise.all(handles.map((handle) => handle.resolve(project)));
  return declared.some((node) => node !== undefined && nodes.includes(node));
}

/** Object literals that implement a type because of what they are handed to: told by a member that each of these has. */
export async function typedLiterals(view: View, entry: TypeEntry, subtypes: Subtypes): Promise<Node[]> {
  const members = await tellingMembers(entry);
  const [first] = members;
  if (first === undefined) return [];
  const names = (await byText(view, members, subtypes)) ?? (await literalNames(view, first, subtypes));
  return [...new Set(names.map(({ parent }) => parent.parent))];
}

/** Looks for the first member that is not so common a name that the compiler must search for its uses. */
async function byText(view: View, members: readonly OwnedMember[], subtypes: Subtypes): Promise<Node[] | undefined> {
  const own = members.map(({ key }) => key.name);
  const [first] = members;
  const inherited = first === undefined ? [] : (await requiredNames(first.owner)).filter((name) => !own.includes(name));
  const files = [...(await view.state.words.filesWith(view, own)).values()];
  for (const member of members) {
    const { name } = member.key;
    // A member that was only just added to the type is in no literal yet.
    const isUsed = files.filter((words) => words.includes(name)).length > 1;
    const found = isUsed ? await writtenNames(view, member, subtypes, inherited) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The required members that the type declares itself, or else the first of its others. */
async function tellingMembers(owner: TypeEntry): Promise<OwnedMember[]> {
  const nodes = owner.nodes.flatMap((node) => (isTypeAliasDeclaration(node) ? [] : memberNodes(node)));
  const members = nodes.flatMap((node) => {
    const name = nameNodeOf(node) ?? node;
    const key = isNameNode(name) ? memberKeyOf(node) : undefined;
    if (key === undefined || key.isStatic || !isOverridable(key)) return [];
    return [{ name, asked: { member: declarationOf(node, node.getSourceFile()), key, owner } }];
  });
  const symbols = await owner.program.project.checker.getSymbolAtLocation(members.map(({ name }) => name));
  const required = members.filter((_member, index) => ((symbols[index]?.flags ?? 0) & SymbolFlags.Optional) === 0);
  return (required.length > 0 ? required : members.slice(0, 1)).map(({ asked }) => asked);
}
