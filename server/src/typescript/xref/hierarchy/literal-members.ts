/** Members of object literals that stand for a member of a type, because of what the literals are handed to. */
import {
  isIdentifier,
  isObjectLiteralExpression,
  isPropertyAssignment,
  isShorthandPropertyAssignment,
  isStringLiteral,
  type Node,
} from "typescript/unstable/ast";
import { isUnionType, SymbolFlags, type Project, type Symbol, type Type } from "typescript/unstable/async";
import { fileTextNow } from "../../files/file-text.ts";
import { SCRIPT } from "../../names/javascript/assigned-names.ts";
import type { Declaration } from "../../names/tree/declaration.ts";
import { nameAt } from "../../names/name-at.ts";
import { nameNodeOf, qualifiedName } from "../../names/tree/qualified-name.ts";
import { isAssignmentPattern } from "../references/classify-use.ts";
import { propertyPlaces } from "../references/property-places.ts";
import { usesOf, type Subtypes } from "./subtypes.ts";
import type { TypeEntry } from "./type-entry.ts";
import { memberKeyOf, membersNamed, type MemberKey } from "./type-members.ts";
import { possibleParts } from "./union-parts.ts";
import type { ProgramView, View } from "../../view.ts";
import { forEachYielding, mapLimited } from "../../yielding.ts";

/** A member, the name by which its type has it, and that type. */
export interface OwnedMember {
  readonly member: Declaration;
  readonly key: MemberKey;
  readonly owner: TypeEntry;
}

interface Named {
  readonly node: Node;
  readonly program: ProgramView;
}

/**
 * Beyond so many files that may have such a literal, the compiler's own search costs less than the files' trees; in a
 * smaller project the search costs seconds, for it compares the member with each of the same name.
 */
const MAX_FILES = 300;
const PLAIN_NAME = /^[a-z_$][\w$]*$/i;

/** Members of object literals that implement a member; for `{ draw }` what `draw` is declared as. */
export async function literalImplementations(view: View, asked: OwnedMember, subtypes: Subtypes): Promise<Node[]> {
  const names = await literalNames(view, asked, subtypes);
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

/** The names of members in literals that stand for the member asked about. */
export async function literalNames(view: View, asked: OwnedMember, subtypes: Subtypes): Promise<Node[]> {
  const written = await writtenNames(view, asked, subtypes);
  if (written !== undefined) return written;
  const wanted = membersBelow(view, asked, subtypes);
  // A place that the compiler's search relates to the member is taken also where the checker expects no type.
  return namesOf(view, await usesOf(view, asked.member), async (node, project) => {
    return (await isOneOf(view, project, node, wanted)) ?? true;
  });
}

/**
 * Like `literalNames`, without a search of the compiler: by the texts. Undefined where too many may have such a literal.
 * `beside` are names that each such literal has too, unless it takes them from another object.
 */
export async function writtenNames(
  view: View,
  asked: OwnedMember,
  subtypes: Subtypes,
  beside: readonly string[] = [],
): Promise<Node[] | undefined> {
  const { name } = asked.key;
  if (SCRIPT.test(asked.member.file) || !PLAIN_NAME.test(name)) return undefined;
  const possible: string[] = [];
  const visit = ([file, words]: readonly [string, readonly string[]]): void => {
    if (possible.length > MAX_FILES || !words.includes(name)) return;
    const text = fileTextNow(view, file);
    const isWhole = words.length > beside.length || text.includes("...");
    if (isWhole && propertyPlaces(text, name).length > 0) possible.push(file);
  };
  await forEachYielding(await view.state.words.filesWith(view, [name, ...beside]), visit, view.signal);
  if (possible.length > MAX_FILES) return undefined;
  const found = await mapLimited(possible, (file) => namesIn(view, file, name), view.signal);
  const wanted = membersBelow(view, asked, subtypes);
  return namesOf(view, found.flat(), async (node, project) => (await isOneOf(view, project, node, wanted)) ?? false);
}

async function namesOf(
  view: View,
  places: readonly Named[],
  isMeant: (node: Node, project: Project) => Promise<boolean>,
): Promise<Node[]> {
  const found = await mapLimited(
    places.filter(({ node }) => isInLiteral(node)),
    async ({ node, program }) => ((await isMeant(node, program.project)) ? [node] : []),
    view.signal,
  );
  return found.flat();
}

async function namesIn(view: View, file: string, name: string): Promise<Named[]> {
  const found = await view.source(file);
  if (found === undefined) return [];
  const { source, program } = found;
  const nodes = propertyPlaces(source.text, name).map((offset) => nameAt(source, offset));
  const named = nodes.filter((node) => (isIdentifier(node) || isStringLiteral(node)) && node.text === name);
  return [...new Set(named)].map((node) => ({ node, program }));
}

function isInLiteral(node: Node): boolean {
  const { parent } = node;
  if (parent?.parent === undefined || !isObjectLiteralExpression(parent.parent)) return false;
  // `({ draw: target } = shape)` takes a member out of a value and is no literal.
  const isPattern = isAssignmentPattern(isPropertyAssignment(parent) ? parent.initializer : node);
  return nameNodeOf(parent) === node && !isPattern;
}

/**
 * Members that only implement the same third one are told apart by the type that the literal is expected to have.
 * Undefined where the checker expects no type with the member.
 */
async function isOneOf(
  view: View,
  project: Project,
  name: Node,
  wanted: ReadonlySet<string>,
): Promise<boolean | undefined> {
  const key = memberKeyOf(name.parent);
  const literal = name.parent.parent;
  if (key === undefined || !isObjectLiteralExpression(literal)) return false;
  const type = await project.checker.getContextualType(literal);
  const parts = type === undefined ? [] : isUnionType(type) ? await type.getTypes() : [type];
  const members = await membersOf(project, parts, key.name);
  if (members.length === 0) return undefined;
  const isWanted = (nodes: readonly Node[]): boolean => nodes.some((node) => wanted.has(memberId(view, node)));
  // Most literals are handed to another type, whose parts nobody needs to tell apart.
  if (parts.length === 1 || !isWanted(members)) return isWanted(members);
  return isWanted(await membersOf(project, await possibleParts(project, literal, parts), key.name));
}

/** The declarations of the types' members of that name. */
async function membersOf(project: Project, types: readonly Type[], name: string): Promise<Node[]> {
  const properties = await Promise.all(types.map((each) => project.checker.getPropertyOfType(each, name)));
  const handles = properties.flatMap((property) => property?.declarations ?? []);
  const nodes = await Promise.all(handles.map((handle) => handle.resolve(project)));
  return nodes.filter((node) => node !== undefined);
}

/** The type's own declarations of the member and those that its subtypes put in their place. */
function membersBelow(view: View, { key, owner }: OwnedMember, { all }: Subtypes): ReadonlySet<string> {
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
