/** Puts one method or accessor, written as in a class, into a class or an object literal of a module's source. */
import MagicString from "magic-string";
import type { Class, Node } from "oxc-parser";
import { parseSync } from "../../base/parser.ts";
import { moduleOutline } from "../source/module-outline.ts";
import { declarationIn, isMember, memberName, type Body, type Member } from "../source/syntax.ts";

export interface MemberText {
  /** The name of the class or object. */
  readonly owner: string;
  readonly member: string;
  readonly isStatic: boolean;
  /** The text as it is written in a class, with types and modifiers. */
  readonly written: string;
}

/**
 * Undefined when there is no place for the member: no class or literal of the name at the top level, or a field with
 * the member's name.
 */
export function mergeMember(path: string, source: string, merged: MemberText): string | undefined {
  const { owner } = merged;
  // Only the owner's declaration is parsed again: a module may be large.
  const declaration = moduleOutline(path, source)?.declarations.find(({ name }) => name === owner);
  if (declaration === undefined) return undefined;
  const { start, end } = declaration;
  const text = intoDeclaration(path, source.slice(start, end), merged);
  return text === undefined ? undefined : source.slice(0, start) + text + source.slice(end);
}

/** Whether the source gives the member decorators. Only the declaration of the whole class applies decorators. */
export function isDecorated(
  path: string,
  source: string,
  { owner, member, isStatic }: Pick<MemberText, "owner" | "member" | "isStatic">,
): boolean {
  const declaration = moduleOutline(path, source)?.declarations.find(({ name }) => name === owner);
  if (declaration === undefined) return false;
  const text = source.slice(declaration.start, declaration.end);
  const { program } = parseSync(path, text, { preserveParens: false });
  const members = placeOf(program.body, owner)?.members ?? [];
  const isMeant = memberIn(text, { member, isStatic });
  return members.some((each) => isMeant(each) && "decorators" in each && each.decorators.length > 0);
}

function intoDeclaration(
  path: string,
  source: string,
  { owner, member, isStatic, written }: MemberText,
): string | undefined {
  const { program } = parseSync(path, source, { preserveParens: false });
  const place = placeOf(program.body, owner);
  if (place === undefined || (place.isLiteral && isStatic)) return undefined;
  const edited = new MagicString(source);
  const isMeant = memberIn(source, { member, isStatic });
  const accessor = /^\s*(?:\w+\s+)*?(get|set)\s+[\p{ID_Start}$_[]/u.exec(written)?.[1];
  for (const each of place.members) {
    if (!isMeant(each)) continue;
    const isAccessor = "kind" in each && (each.kind === "get" || each.kind === "set");
    const isMethod = each.type === "MethodDefinition" || (each.type === "Property" && each.method);
    if (!isMethod && !isAccessor) return undefined;
    const isOtherHalf = isAccessor && accessor !== undefined && each.kind !== accessor;
    if (!isOtherHalf) edited.remove(each.start, place.isLiteral ? afterComma(source, each.end) : each.end);
  }
  const text = written.trim().replace(/;$/, "");
  edited.prependRight(place.start, place.isLiteral ? `${text},` : text);
  const merged = edited.toString();
  return moduleOutline(path, merged) === undefined ? undefined : merged;
}

interface Place {
  readonly members: readonly Node[];
  /** The offset after the opening brace. */
  readonly start: number;
  readonly isLiteral: boolean;
}

function placeOf(body: Body, owner: string): Place | undefined {
  for (const statement of body) {
    const node = declarationIn(statement);
    if (node.type === "ClassDeclaration" && node.id?.name === owner) return inClass(node);
    if (node.type !== "VariableDeclaration") continue;
    for (const { id, init } of node.declarations) {
      if (id.type !== "Identifier" || id.name !== owner || init === null) continue;
      if (init.type === "ClassExpression") return inClass(init);
      // A declared type fixes the members of the object, so a member cannot be added to the literal.
      if (init.type !== "ObjectExpression" || (id.typeAnnotation ?? null) !== null) return undefined;
      return { members: init.properties, start: init.start + 1, isLiteral: true };
    }
  }
  return undefined;
}

function inClass({ body }: Class): Place {
  return { members: body.body, start: body.start + 1, isLiteral: false };
}

/** A test that recognises the member of that name. */
function memberIn(source: string, { member, isStatic }: Pick<MemberText, "member" | "isStatic">) {
  const text = (start: number, end: number): string => source.slice(start, end);
  return (node: Node): node is Member =>
    isMember(node) && memberName(node, text) === member && ("static" in node && node.static) === isStatic;
}

function afterComma(source: string, end: number): number {
  return end + (/^\s*,/.exec(source.slice(end))?.[0].length ?? 0);
}
