/** A module's source with one method or accessor in a class or an object literal of it, written as in a class. */
import MagicString from "magic-string";
import { parseSync } from "oxc-parser";
import { moduleOutline } from "../source/module-outline.ts";
import { type SyntaxNode } from "../source/syntax.ts";

export interface MemberText {
  /** The name of the class or object. */
  readonly owner: string;
  readonly member: string;
  readonly isStatic: boolean;
  /** As it stands in a class, types and modifiers included. */
  readonly written: string;
}

/** Undefined when there is no place for it: no such class or literal at the top level, or a field of that name. */
export function mergeMember(path: string, source: string, merged: MemberText): string | undefined {
  const { owner } = merged;
  // Only that declaration is parsed again: a module may be large.
  const declaration = moduleOutline(path, source)?.declarations.find(({ name }) => name === owner);
  if (declaration === undefined) return undefined;
  const { start, end } = declaration;
  const text = intoDeclaration(path, source.slice(start, end), merged);
  return text === undefined ? undefined : source.slice(0, start) + text + source.slice(end);
}

/** Whether the source gives the member decorators, which only the declaration of its class applies. */
export function isDecorated(
  path: string,
  source: string,
  { owner, member, isStatic }: Pick<MemberText, "owner" | "member" | "isStatic">,
): boolean {
  const declaration = moduleOutline(path, source)?.declarations.find(({ name }) => name === owner);
  if (declaration === undefined) return false;
  const text = source.slice(declaration.start, declaration.end);
  const { program } = parseSync(path, text, { preserveParens: false });
  const members = placeOf(program.body as unknown as readonly SyntaxNode[], owner)?.members ?? [];
  return members.some((each) => {
    const isMeant = keyOf(each, text) === member && (each["static"] === true) === isStatic;
    return isMeant && ((each["decorators"] as readonly unknown[] | undefined) ?? []).length > 0;
  });
}

function intoDeclaration(
  path: string,
  source: string,
  { owner, member, isStatic, written }: MemberText,
): string | undefined {
  const { program } = parseSync(path, source, { preserveParens: false });
  const place = placeOf(program.body as unknown as readonly SyntaxNode[], owner);
  if (place === undefined || (place.isLiteral && isStatic)) return undefined;
  const edited = new MagicString(source);
  const accessor = /^\s*(?:\w+\s+)*?(get|set)\s+[\p{ID_Start}$_[]/u.exec(written)?.[1];
  for (const each of place.members) {
    if (keyOf(each, source) !== member || (each["static"] === true) !== isStatic) continue;
    const kind = each["kind"] as string;
    const isMethod = each.type === "MethodDefinition" || each["method"] === true || kind === "get" || kind === "set";
    if (!isMethod) return undefined;
    const isOtherHalf = (kind === "get" || kind === "set") && accessor !== undefined && kind !== accessor;
    if (!isOtherHalf) edited.remove(each.start, place.isLiteral ? afterComma(source, each.end) : each.end);
  }
  const text = written.trim().replace(/;$/, "");
  edited.prependRight(place.start, place.isLiteral ? `${text},` : text);
  const merged = edited.toString();
  return moduleOutline(path, merged) === undefined ? undefined : merged;
}

interface Place {
  readonly members: readonly SyntaxNode[];
  /** Behind the brace that opens it. */
  readonly start: number;
  readonly isLiteral: boolean;
}

function placeOf(body: readonly SyntaxNode[], owner: string): Place | undefined {
  for (const statement of body) {
    const node = (statement["declaration"] as SyntaxNode | null | undefined) ?? statement;
    if (node.type === "ClassDeclaration" && nameOf(node["id"]) === owner) return inClass(node);
    if (node.type !== "VariableDeclaration") continue;
    for (const { id, init } of node["declarations"] as readonly Record<string, SyntaxNode | null>[]) {
      if (nameOf(id) !== owner || init === null || init === undefined) continue;
      if (init.type === "ClassExpression") return inClass(init);
      // A declared type says what the object has, whatever the literal has.
      if (init.type !== "ObjectExpression" || (id?.["typeAnnotation"] ?? null) !== null) return undefined;
      return { members: init["properties"] as readonly SyntaxNode[], start: init.start + 1, isLiteral: true };
    }
  }
  return undefined;
}

function inClass(node: SyntaxNode): Place {
  const body = node["body"] as SyntaxNode;
  return { members: body["body"] as readonly SyntaxNode[], start: body.start + 1, isLiteral: false };
}

function keyOf(member: SyntaxNode, source: string): string {
  const key = member["key"] as SyntaxNode | undefined;
  if (key === undefined) return "";
  if (member["computed"] === true) return `[${source.slice(key.start, key.end)}]`;
  const value = key["value"];
  return typeof value === "string" || typeof value === "number" ? `${value}` : nameOf(key);
}

function nameOf(node: unknown): string {
  return ((node as SyntaxNode | null)?.["name"] as string | undefined) ?? "";
}

function afterComma(source: string, end: number): number {
  return end + (/^\s*,/.exec(source.slice(end))?.[0].length ?? 0);
}
