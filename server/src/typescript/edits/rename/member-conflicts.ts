/** Whether the type that declares a member has, or inherits, another member by the new name. */
import type { Type } from "typescript/unstable/async";
import {
  isClassLikeDeclaration,
  isConstructorDeclaration,
  isEnumDeclaration,
  isInterfaceDeclaration,
  isObjectLiteralExpression,
  isParameterDeclaration,
  isPropertyAccessExpression,
  isSpreadAssignment,
  isTypeLiteralNode,
  type Node,
} from "typescript/unstable/ast";
import { declarationsOfSymbol } from "../../names/tree/checker-lookup.ts";
import { isLibFile } from "../../names/index/external-names.ts";
import { declarationAround, modifiersOf } from "../../names/tree/inspect-declaration.ts";
import { memberNodes } from "../../names/tree/members.ts";
import { nameNodeOf } from "../../names/tree/qualified-name.ts";
import type { RenameConflict } from "./rename-place.ts";
import type { Reference } from "../../places.ts";
import { findSubtypes } from "../../xref/hierarchy/subtypes.ts";
import { entryOfNode, isTypeNodeLike } from "../../xref/hierarchy/type-entry.ts";
import type { SourceView, View } from "../../view.ts";
import { mapLimited } from "../../yielding.ts";

/** Whether a declaration is looked up through its owner and not through a scope. */
export function isMemberDeclaration(declaration: Node): boolean {
  const owner = ownerOf(declaration);
  return (
    isClassLikeDeclaration(owner) ||
    isInterfaceDeclaration(owner) ||
    isTypeLiteralNode(owner) ||
    isEnumDeclaration(owner) ||
    isObjectLiteralExpression(owner)
  );
}

/** A parameter property is declared in the constructor and belongs to the class. */
function ownerOf(declaration: Node): Node {
  const { parent } = declaration;
  const isProperty = isParameterDeclaration(declaration) && (declaration.modifiers?.length ?? 0) > 0;
  return isProperty && isConstructorDeclaration(parent) ? parent.parent : parent;
}

/** `nodes` are the places to be renamed; only those that declare a member matter. */
export async function findMemberConflicts(
  view: View,
  { source, program }: SourceView,
  nodes: readonly (Node | undefined)[],
  newName: string,
): Promise<RenameConflict[]> {
  const declared = nodes.flatMap((node) => {
    const declaration = node === undefined ? undefined : declarationAround(node);
    if (declaration === undefined || nameNodeOf(declaration) !== node || !isMemberDeclaration(declaration)) return [];
    return [declaration];
  });
  const owners = new Map(declared.map((declaration) => [ownerOf(declaration), declaration]));
  const found = await mapLimited([...owners.values()], async (declaration): Promise<RenameConflict[]> => {
    const at = source.getLineAndCharacterOfPosition((nameNodeOf(declaration) ?? declaration).getStart(source));
    const place = { file: source.fileName, at };
    const sibling = siblingNamed(declaration, newName);
    if (sibling !== undefined) {
      const other = { file: source.fileName, at: source.getLineAndCharacterOfPosition(sibling.getStart(source)) };
      return [{ kind: "member", place, other }];
    }
    const below = await memberBelow(view, program, declaration, newName);
    if (below !== undefined) return [{ kind: "member", place, other: below }];
    const type = await ownerType(program, declaration);
    const inherited = type === undefined ? undefined : await program.project.checker.getPropertyOfType(type, newName);
    const [first] = inherited === undefined ? [] : await declarationsOfSymbol(view, program, inherited);
    // To override a member of every object, like `toString`, is no collision.
    if (first === undefined || isLibFile(first.file)) return [];
    return [{ kind: "member", place, other: { file: first.file, at: first.at } }];
  });
  return found.flat();
}

/** Uses whose object has both members, such as one of an intersection. */
export async function findUseConflicts(
  view: View,
  { source, program }: SourceView,
  nodes: readonly Node[],
  newName: string,
): Promise<RenameConflict[]> {
  const uses = nodes.filter((node) => isPropertyAccessExpression(node.parent) && node.parent.name === node);
  const { checker } = program.project;
  const types = uses.length === 0 ? [] : await checker.getTypeAtLocation(uses.map(objectOf));
  const firstOf = new Map(
    types.flatMap((type, index) => (type === undefined ? [] : [[type.id, { type, index }] as const])),
  );
  const found = await mapLimited([...firstOf.values()], async ({ type, index }): Promise<RenameConflict[]> => {
    const property = await checker.getPropertyOfType(type, newName);
    const [first] = property === undefined ? [] : await declarationsOfSymbol(view, program, property);
    const use = uses[index];
    if (first === undefined || use === undefined || isLibFile(first.file)) return [];
    const place = { file: source.fileName, at: source.getLineAndCharacterOfPosition(use.getStart(source)) };
    return [{ kind: "member", place, other: { file: first.file, at: first.at } }];
  });
  return found.flat();
}

function objectOf({ parent }: Node): Node {
  return isPropertyAccessExpression(parent) ? parent.expression : parent;
}

/** A member of this name in a class or interface that extends the owner, or in a spread of the same object. */
async function memberBelow(
  view: View,
  program: SourceView["program"],
  declaration: Node,
  newName: string,
): Promise<Reference | undefined> {
  const owner = ownerOf(declaration);
  if (isObjectLiteralExpression(owner)) {
    for (const spread of owner.properties.filter(isSpreadAssignment)) {
      const type = await program.project.checker.getTypeAtLocation(spread.expression);
      const property = type && (await program.project.checker.getPropertyOfType(type, newName));
      const [first] = property === undefined ? [] : await declarationsOfSymbol(view, program, property);
      if (first !== undefined) return { file: first.file, at: first.at };
    }
    return undefined;
  }
  // A private name is the class's own.
  if (!isTypeNodeLike(owner) || newName.startsWith("#")) return undefined;
  const { all } = await findSubtypes(view, await entryOfNode(view, program, owner));
  const isStatic = modifiersOf(declaration).includes("static");
  for (const node of all.flatMap(({ entry }) => entry.nodes)) {
    if (!isClassLikeDeclaration(node) && !isInterfaceDeclaration(node)) continue;
    const found = [...memberNodes(node)].find((member) => {
      return nameNodeOf(member)?.getText() === newName && modifiersOf(member).includes("static") === isStatic;
    });
    const name = found && nameNodeOf(found);
    if (name === undefined) continue;
    const source = node.getSourceFile();
    return { file: source.fileName, at: source.getLineAndCharacterOfPosition(name.getStart(source)) };
  }
  return undefined;
}

function siblingNamed(declaration: Node, name: string): Node | undefined {
  const owner = ownerOf(declaration);
  const isStatic = modifiersOf(declaration).includes("static");
  const members = isObjectLiteralExpression(owner)
    ? [...owner.properties]
    : isTypeLiteralNode(owner)
      ? [...owner.members]
      : memberNodes(owner);
  return members
    .filter((member) => modifiersOf(member).includes("static") === isStatic)
    .map(nameNodeOf)
    .find((each) => each?.getText() === name);
}

async function ownerType(program: SourceView["program"], declaration: Node): Promise<Type | undefined> {
  const { checker } = program.project;
  const direct = ownerOf(declaration);
  const owner = isTypeLiteralNode(direct) ? direct.parent : direct;
  const name = nameNodeOf(isObjectLiteralExpression(owner) ? owner.parent : owner);
  const symbol = name === undefined ? undefined : await checker.getSymbolAtLocation(name);
  if (symbol === undefined) return undefined;
  const isValue =
    isEnumDeclaration(owner) || isObjectLiteralExpression(owner) || modifiersOf(declaration).includes("static");
  return isValue ? checker.getTypeOfSymbol(symbol) : checker.getDeclaredTypeOfSymbol(symbol);
}
