/** Whether the type that declares a member has, or inherits, another member by the new name. */
import type { Type } from "typescript/unstable/async";
import {
  isClassLikeDeclaration,
  isConstructorDeclaration,
  isEnumDeclaration,
  isInterfaceDeclaration,
  isObjectLiteralExpression,
  isParameterDeclaration,
  isTypeLiteralNode,
  type Node,
} from "typescript/unstable/ast";
import { declarationsOfSymbol } from "../names/checker-lookup.ts";
import { isLibFile } from "../names/external-names.ts";
import { declarationAround, modifiersOf } from "../names/inspect-declaration.ts";
import { memberNodes } from "../names/members.ts";
import { nameNodeOf } from "../names/qualified-name.ts";
import type { RenameConflict } from "./rename-place.ts";
import type { SourceView, View } from "../view.ts";
import { mapLimited } from "../yielding.ts";

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

/** `nodes` are the places to be renamed; only those that declare a member count. */
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
    const type = await ownerType(program, declaration);
    const inherited = type === undefined ? undefined : await program.project.checker.getPropertyOfType(type, newName);
    const [first] = inherited === undefined ? [] : await declarationsOfSymbol(view, program, inherited);
    // To override a member of every object, like `toString`, is no collision.
    if (first === undefined || isLibFile(first.file)) return [];
    return [{ kind: "member", place, other: { file: first.file, at: first.at } }];
  });
  return found.flat();
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
