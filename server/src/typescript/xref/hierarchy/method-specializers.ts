/** The forms of a function: its overloads; of a member also what it overrides, what overrides it and who inherits it. */
import { isObjectLiteralExpression, type Node } from "typescript/unstable/ast";
import {
  headerOf,
  inspectDeclaration,
  kindOf,
  modifiersOf,
  oneLine,
  type DeclarationDetail,
} from "../../names/tree/inspect-declaration.ts";
import { doubtAssignedOverrides } from "./assigned-overrides.ts";
import { literalImplementations } from "./literal-members.ts";
import { isNameNode, nameNodeOf } from "../../names/tree/qualified-name.ts";
import type { SymbolTarget } from "../../names/tree/declaration.ts";
import { findFits } from "./structural-fits.ts";
import { findSubtypes, type Subtype } from "./subtypes.ts";
import { callsSuperMember } from "../references/super-calls.ts";
import { findSupertypes, type Supertype } from "./supertypes.ts";
import { type TypeEntry } from "./type-entry.ts";
import {
  isOverridable,
  memberKeyOf,
  memberPath,
  membersNamed,
  ownerOf,
  runningMembers,
  withoutSignatures,
  type MemberKey,
} from "./type-members.ts";
import type { View } from "../../view.ts";
import type { LspPosition } from "../../places.ts";
import { mapLimited } from "../../yielding.ts";
import { nodeKey } from "../../places.ts";

export interface Signature {
  readonly file: string;
  readonly at: LspPosition;
  /** `declaration` for what has no body anywhere: interfaces, abstract methods, declaration files. */
  readonly role: "overload" | "implementation" | "declaration";
  readonly header: string;
}

export interface MemberSite {
  readonly file: string;
  readonly at: LspPosition;
  /** `Circle.area`. */
  readonly path: string;
  /** `method`, `abstract method`, `property`, `getter`, `function` for an arrow function. */
  readonly kind: string;
  /** The heritage clause that leads here: `extends Circle`, `implements Shape`; undefined for a literal. */
  readonly through: string | undefined;
  readonly how: "declared" | "typed" | "named" | "structural";
  readonly hasOverride: boolean;
  /** Undefined for what has no body. */
  readonly callsSuper: boolean | undefined;
  readonly isTest: boolean;
  /** Classes that declare no such member and run this one. */
  readonly inheritedBy: readonly string[];
}

export interface MethodSpecializers {
  readonly kind: string;
  /** Undefined for a function that is no member. */
  readonly owner: string | undefined;
  readonly isAbstract: boolean;
  readonly isInterface: boolean;
  readonly signatures: readonly Signature[];
  /** What it overrides or implements, nearest first. */
  readonly above: readonly MemberSite[];
  /** What overrides or implements it, in the order of the hierarchy, literals last. */
  readonly below: readonly MemberSite[];
  /** Classes below that take it over as it is. */
  readonly inheritedBy: readonly string[];
  readonly complete: boolean;
  readonly notes: readonly string[];
}

const FUNCTION_KINDS = new Set([
  "function",
  "method",
  "getter",
  "setter",
  "property",
  "parameter property",
  "constructor",
]);

/** Undefined for a symbol that is neither a function nor a member of a class or interface. */
export async function methodSpecializers(view: View, target: SymbolTarget): Promise<MethodSpecializers | undefined> {
  const [first] = target.declarations;
  const detail = await inspectDeclaration(view, first);
  if (detail === undefined || !FUNCTION_KINDS.has(detail.kind)) return undefined;
  const owner = await ownerOf(view, detail);
  const key = memberKeyOf(detail.node);
  const signatures = await signaturesOf(detail, owner, key);
  const base = {
    kind: detail.kind,
    owner: owner?.path,
    isAbstract: detail.modifiers.includes("abstract"),
    isInterface: owner?.kind === "interface",
    signatures,
  };
  if (owner === undefined || key === undefined) {
    if (detail.kind !== "function" && !isObjectLiteralExpression(detail.node.parent)) return undefined;
    const above = isObjectLiteralExpression(detail.node.parent) ? await expectedMembers(view, detail) : [];
    return { ...base, above, below: [], inheritedBy: [], complete: true, notes: [] };
  }
  return { ...base, ...(await chainOf(view, owner, key, detail)) };
}

async function signaturesOf(
  detail: DeclarationDetail,
  owner: TypeEntry | undefined,
  key: MemberKey | undefined,
): Promise<Signature[]> {
  const nodes =
    owner === undefined || key === undefined ? await functionDeclarations(detail) : membersNamed(owner, key);
  const hasBody = nodes.some((node) => bodyOf(node) !== undefined);
  return nodes.map((node): Signature => {
    const source = node.getSourceFile();
    const at = source.getLineAndCharacterOfPosition((nameNodeOf(node) ?? node).getStart(source));
    const role = bodyOf(node) !== undefined ? "implementation" : hasBody ? "overload" : "declaration";
    return { file: source.fileName, at, role, header: headerOf(node, source) };
  });
}

async function functionDeclarations({ node, nameNode, program }: DeclarationDetail): Promise<Node[]> {
  const { checker } = program.project;
  const symbol = await checker.getSymbolAtLocation(isNameNode(nameNode) ? nameNode : node);
  const nodes = await Promise.all((symbol?.declarations ?? []).map((handle) => handle.resolve(program.project)));
  const functions = nodes.filter((each) => each !== undefined && kindOf(each) === kindOf(node));
  return functions.length === 0 ? [node] : functions.filter((each) => each !== undefined);
}

async function chainOf(
  view: View,
  owner: TypeEntry,
  key: MemberKey,
  { declaration }: DeclarationDetail,
): Promise<Pick<MethodSpecializers, "above" | "below" | "inheritedBy" | "complete" | "notes">> {
  const isInherited = isOverridable(key);
  const isShared = isInherited && !key.isStatic;
  const [supertypes, subtypes] = await Promise.all([findSupertypes(view, owner), findSubtypes(view, owner)]);
  const subclasses = subtypes.all.map(({ entry }) => entry);
  await doubtAssignedOverrides(view, subclasses, key.name);
  const asked = { member: declaration, key, owner };
  const literals = isShared ? await literalImplementations(view, asked, subtypes) : [];
  const fits = isShared ? await findFits(view, owner, subtypes) : undefined;
  const below = new Sites(view);
  const own = new Set(withoutSignatures(membersNamed(owner, key)).map(nodeKey));
  const inheritedBy: string[] = [];
  const addAll = async (entries: readonly Subtype[], how: "declared" | "structural"): Promise<void> => {
    const running = await mapLimited(entries, ({ entry }) => runningMembers(entry, key), view.signal);
    for (const [index, subtype] of entries.entries()) {
      const members = running[index] ?? [];
      const declares = membersNamed(subtype.entry, key).length > 0;
      if (declares) below.add(members, how, throughText(subtype));
      else if (subtype.entry.kind === "interface") continue;
      else if (key.name === "constructor" || members.some((member) => own.has(nodeKey(member)))) {
        inheritedBy.push(subtype.entry.path);
      } else below.inherit(members, how, subtype);
    }
  };
  await addAll(subtypes.all, "declared");
  const declared = new Set(subtypes.all.map((subtype) => subtype.entry.key));
  for (const fit of fits?.fits ?? []) {
    below.add(await runningMembers(fit.entry, key), "structural", `fits ${fit.text}`);
    await addAll(
      fit.subtypes.all.filter((subtype) => !declared.has(subtype.entry.key)),
      "structural",
    );
  }
  for (const node of literals) below.add([node], isObjectLiteralExpression(node.parent) ? "typed" : "named", undefined);
  const above = new Sites(view);
  for (const each of chainUp(supertypes)) {
    const entry = each.entry;
    if (entry !== undefined) above.add(withoutSignatures(membersNamed(entry, key)), "declared", aboveText(each));
  }
  return {
    above: isInherited || key.name === "constructor" ? above.all() : [],
    below: key.name.startsWith("#") ? [] : below.all(),
    inheritedBy: key.name.startsWith("#") ? [] : inheritedBy.toSorted(),
    complete: (fits?.complete ?? true) && subtypes.notFollowed === 0,
    notes: fits?.notes ?? [],
  };
}

/** The member of the type that an object literal is expected to be. */
async function expectedMembers(view: View, { node, program }: DeclarationDetail): Promise<MemberSite[]> {
  const literal = node.parent;
  const key = memberKeyOf(node);
  if (!isObjectLiteralExpression(literal) || key === undefined) return [];
  const { project } = program;
  const type = await project.checker.getContextualType(literal);
  const property = type === undefined ? undefined : await project.checker.getPropertyOfType(type, key.name);
  const nodes = await Promise.all((property?.declarations ?? []).map((handle) => handle.resolve(project)));
  const sites = new Sites(view);
  const expected = nodes.filter((each) => each !== undefined).filter((each) => nodeKey(each) !== nodeKey(node));
  const shown = type === undefined ? "" : await project.checker.typeToString(type);
  sites.add(expected, "declared", `expected by ${oneLine(shown)}`);
  return sites.all();
}

/** Superclasses before interfaces, nearest first, each once. */
function chainUp(supertypes: readonly Supertype[]): Supertype[] {
  const found = new Map<string, Supertype>();
  let level = supertypes;
  while (level.length > 0) {
    for (const each of level) {
      if (each.entry === undefined) continue;
      const key = each.entry.key;
      if (!found.has(key)) found.set(key, each);
    }
    level = level.flatMap((each) => each.supertypes);
  }
  const isInterface = ({ entry }: Supertype): boolean => entry?.kind === "interface";
  return [...found.values()].toSorted((a, b) => Number(isInterface(a)) - Number(isInterface(b)));
}

class Sites {
  readonly #view: View;
  readonly #found = new Map<string, MemberSite & { readonly inheritedBy: string[] }>();

  constructor(view: View) {
    this.#view = view;
  }

  add(members: readonly Node[], how: MemberSite["how"], through: string | undefined): void {
    for (const member of members) {
      const key = nodeKey(member);
      const before = this.#found.get(key);
      // A member that was only known as inherited is listed at its own class.
      const inheritedBy = before?.inheritedBy ?? [];
      if (before !== undefined && (before.through !== undefined || through === undefined)) continue;
      this.#found.delete(key);
      this.#found.set(key, { ...siteOf(this.#view, member, how, through), inheritedBy });
    }
  }

  /** For a class that runs a member which another class declares. */
  inherit(members: readonly Node[], how: MemberSite["how"], { entry }: Subtype): void {
    this.add(members, how, undefined);
    for (const member of members) {
      const inheritedBy = this.#found.get(nodeKey(member))?.inheritedBy;
      if (inheritedBy?.includes(entry.path) === false) inheritedBy.push(entry.path);
    }
  }

  all(): MemberSite[] {
    return [...this.#found.values()].map((site) => ({ ...site, inheritedBy: site.inheritedBy.toSorted() }));
  }
}

function siteOf(view: View, member: Node, how: MemberSite["how"], through: string | undefined): MemberSite {
  const source = member.getSourceFile();
  const modifiers = modifiersOf(member);
  return {
    file: source.fileName,
    at: source.getLineAndCharacterOfPosition((nameNodeOf(member) ?? member).getStart(source)),
    path: memberPath(member),
    kind: modifiers.includes("abstract") ? `abstract ${kindOf(member)}` : kindOf(member),
    through,
    how,
    hasOverride: modifiers.includes("override"),
    callsSuper: bodyOf(member) === undefined ? undefined : callsSuperMember(member),
    isTest: view.paths.isTest(source.fileName),
    inheritedBy: [],
  };
}

function throughText({ relation, text }: Subtype): string {
  return relation === "implements" ? `implements ${text}` : `extends ${text}`;
}

function aboveText({ relation, text }: Supertype): string {
  return `${relation} ${text}`;
}

function bodyOf(node: Node): Node | undefined {
  const value = (node as { readonly initializer?: Node }).initializer;
  return (node as { readonly body?: Node }).body ?? (value as { readonly body?: Node } | undefined)?.body;
}
