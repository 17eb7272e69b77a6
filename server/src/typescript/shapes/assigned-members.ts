/** The members that are assigned to a class, a constructor function, a function or an object, as members of it. */
import type { Type } from "typescript/unstable/async";
import {
  assignedName,
  isScript,
  mayBeGivenMembers,
  SCRIPT,
  type AssignedName,
} from "../names/javascript/assigned-names.ts";
import { membersAssignedTo } from "../names/tree/assigned-outline.ts";
import type { DeclarationDetail } from "../names/tree/inspect-declaration.ts";
import { type MemberGroup, memberFacts, type ClassMember } from "./member-facts.ts";
import { declarationOf } from "../names/tree/qualified-name.ts";
import type { TypeContext } from "./type-text.ts";
import { mapLimited } from "../yielding.ts";

/** In source order; `known` are those that are listed already. */
export async function assignedMembers(
  context: TypeContext,
  { declaration, node, source }: DeclarationDetail,
  known: readonly ClassMember[],
): Promise<ClassMember[]> {
  if (!mayBeGivenMembers(node, declaration.path)) return [];
  const places = new Set(known.map(({ at }) => `${at.line}`));
  const names = new Set(known.map(({ name }) => name));
  const all = await membersAssignedTo(context.view, source, declaration.path);
  const own = all.filter(({ name, nameNode }) => {
    const { line } = source.getLineAndCharacterOfPosition(nameNode.getStart(source));
    return !(names.has(name) || places.has(`${line}`));
  });
  return mapLimited(own, (each) => memberOf(context, each), context.view.signal);
}

/** `groups` with what is assigned to the bases and not known to the compiler. */
export async function withInheritedAssigned(
  context: TypeContext,
  instance: Type | undefined,
  groups: readonly MemberGroup[],
): Promise<readonly MemberGroup[]> {
  if (instance === undefined || !isScriptOrImports(context)) return groups;
  const { project } = context.program;
  const found = [...groups];
  const seen = new Set<Type>(await basesOf(context, instance));
  for (const base of seen) {
    for (const above of await basesOf(context, base)) seen.add(above);
    const symbol = await base.getSymbol();
    const nodes = await Promise.all((symbol?.declarations ?? []).map((handle) => handle.resolve(project)));
    const [node] = nodes.filter((each) => each !== undefined && isScript(each));
    if (node === undefined) continue;
    const source = node.getSourceFile();
    const path = declarationOf(node, source).path;
    const added = await membersAssignedTo(context.view, source, path);
    const symbols =
      added.length === 0 ? [] : await project.checker.getSymbolAtLocation(added.map(({ nameNode }) => nameNode));
    const unknown = added.filter((_each, index) => symbols[index] === undefined);
    const members = await mapLimited(unknown, (each) => memberOf(context, each), context.view.signal);
    if (members.length === 0) continue;
    const at = found.findIndex(({ origin, file }) => origin === path && file === source.fileName);
    const group = found[at] ?? { origin: path, file: source.fileName, members: [] };
    found.splice(at < 0 ? found.length : at, 1, { ...group, members: [...group.members, ...members] });
  }
  return found;
}

/** Only where JavaScript is, are there members that the compiler does not know. */
function isScriptOrImports({ view }: TypeContext): boolean {
  return view.ownFiles().some((file) => SCRIPT.test(file));
}

async function basesOf({ program }: TypeContext, type: Type): Promise<readonly Type[]> {
  return type.isClassOrInterface() ? program.project.checker.getBaseTypes(type) : [];
}

async function memberOf(context: TypeContext, { node, value, name }: AssignedName): Promise<ClassMember> {
  const { checker } = context.program.project;
  const assigned = await checker.getTypeAtLocation(value);
  const type = assigned === undefined ? undefined : await checker.getBaseTypeOfLiteralType(assigned);
  return { ...(await memberFacts(context, [node], type, { unnamed: name })), initializer: undefined };
}

/** What is assigned where the declaration is an assignment. */
export function valueOf(node: DeclarationDetail["node"]): DeclarationDetail["node"] | undefined {
  return assignedName(node)?.value ?? (node as { readonly initializer?: DeclarationDetail["node"] }).initializer;
}
