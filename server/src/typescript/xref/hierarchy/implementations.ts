/** What implements an interface, an abstract class or one of their members: classes, object literals and functions. */
import {
  isArrowFunction,
  isFunctionExpression,
  isObjectLiteralExpression,
  isParameterDeclaration,
  type Node,
} from "typescript/unstable/ast";
import {
  declarationAround,
  inspectDeclaration,
  kindOf,
  modifiersOf,
  type DeclarationDetail,
} from "../../names/tree/inspect-declaration.ts";
import { declarationOf, enclosingDeclaration, nameNodeOf } from "../../names/tree/qualified-name.ts";
import { lineText } from "../references/line-text.ts";
import { doubtAssignedOverrides } from "./assigned-overrides.ts";
import { inShownOrder } from "../references/references.ts";
import type { SymbolTarget } from "../../names/tree/declaration.ts";
import { findFits, prepareFits } from "./structural-fits.ts";
import { findSubtypes } from "./subtypes.ts";
import { isTypeNodeLike, namedNode, typeEntryOf, type TypeEntry } from "./type-entry.ts";
import {
  isOverridable,
  memberKeyOf,
  memberPath,
  membersNamed,
  ownerOf,
  runningMembers,
  type MemberKey,
} from "./type-members.ts";
import { declaredValues, typedLiterals } from "./implementing-nodes.ts";
import { literalImplementations } from "./literal-members.ts";
import type { View } from "../../view.ts";
import { placeKey, type LspPosition } from "../../places.ts";
import { mapLimited } from "../../yielding.ts";

export interface Implementation {
  readonly file: string;
  readonly at: LspPosition;
  /** `class`, `abstract class`, `interface`, `object literal`, `method`, `property`, `getter`, `function`, … */
  readonly kind: string;
  /** `Outer.member` of what implements it; for a literal, of the declaration that contains it. */
  readonly path: string;
  /**
   * `declared`: by a heritage clause, a type annotation or an assertion. `typed`: an object literal, because of what it
   * is handed to. `named`: the declaration behind `{ draw }`. `structural`: a class that fits without saying so.
   */
  readonly how: "declared" | "typed" | "named" | "structural";
  /** The form of a generic interface a structural one fits. */
  readonly detail: string | undefined;
  readonly line: string;
  readonly isTest: boolean;
}

export interface Implementations {
  readonly found: readonly Implementation[];
  readonly complete: boolean;
  readonly notes: readonly string[];
}

/** Undefined for a symbol of a kind that nothing implements. */
export async function findImplementations(view: View, target: SymbolTarget): Promise<Implementations | undefined> {
  const entry = await typeEntryOf(view, target);
  if (entry !== undefined) return ofType(view, entry);
  const [first] = target.declarations;
  const detail = await inspectDeclaration(view, first);
  const owner = detail === undefined ? undefined : await ownerOf(view, detail);
  const key = detail === undefined ? undefined : memberKeyOf(detail.node);
  if (detail === undefined || owner === undefined || key === undefined || !isOverridable(key)) return undefined;
  return ofMember(view, owner, key, detail);
}

async function ofType(view: View, entry: TypeEntry): Promise<Implementations> {
  prepareFits(view, entry);
  const subtypes = await findSubtypes(view, entry);
  const [values, literals, fits] = await Promise.all([
    declaredValues(view, entry, subtypes),
    typedLiterals(view, entry, subtypes),
    findFits(view, entry, subtypes),
  ]);
  const found = new Collected(entry.nodes);
  for (const { entry: subtype } of subtypes.all) found.add(implementationAt(view, subtype.nodes[0], "declared"));
  for (const node of values) found.add(implementationAt(view, node, "declared"));
  for (const node of literals) found.add(implementationAt(view, node, "typed"));
  for (const fit of fits.fits) {
    for (const each of [fit.entry, ...fit.subtypes.all.map((below) => below.entry)]) {
      found.add(implementationAt(view, each.nodes[0], "structural", fit.text));
    }
  }
  return { found: found.sorted(view), complete: fits.complete && subtypes.notFollowed === 0, notes: fits.notes };
}

async function ofMember(
  view: View,
  owner: TypeEntry,
  key: MemberKey,
  { declaration }: DeclarationDetail,
): Promise<Implementations> {
  prepareFits(view, owner);
  const subtypes = await findSubtypes(view, owner);
  const subclasses = subtypes.all.map(({ entry }) => entry);
  await doubtAssignedOverrides(view, subclasses, key.name);
  const asked = { member: declaration, key, owner };
  const literals = key.isStatic ? [] : await literalImplementations(view, asked, subtypes);
  const fits = key.isStatic ? undefined : await findFits(view, owner, subtypes);
  const found = new Collected(membersNamed(owner, key));
  const running = await mapLimited(subtypes.all, ({ entry }) => runningMembers(entry, key), view.signal);
  for (const member of running.flat()) found.add(implementationAt(view, member, "declared"));
  for (const node of literals) {
    found.add(implementationAt(view, node, isObjectLiteralExpression(node.parent) ? "typed" : "named"));
  }
  for (const fit of fits?.fits ?? []) {
    const entries = [fit.entry, ...fit.subtypes.all.map((each) => each.entry)];
    const members = await mapLimited(entries, (entry) => runningMembers(entry, key), view.signal);
    for (const member of members.flat()) found.add(implementationAt(view, member, "structural", fit.text));
  }
  const complete = (fits?.complete ?? true) && subtypes.notFollowed === 0;
  return { found: found.sorted(view), complete, notes: fits?.notes ?? [] };
}

/** Each place once, with the first words about it. */
class Collected {
  readonly #found = new Map<string, Implementation>();
  readonly #left: ReadonlySet<string>;

  /** The declarations asked about implement nothing. */
  constructor(asked: readonly Node[]) {
    this.#left = new Set(asked.map((node) => placeKey(declarationOf(node, node.getSourceFile()))));
  }

  add(each: Implementation): void {
    const key = placeKey(each);
    if (!this.#found.has(key) && !this.#left.has(key)) this.#found.set(key, each);
  }

  sorted(view: View): Implementation[] {
    return [...this.#found.values()].toSorted(inShownOrder(view));
  }
}

function implementationAt(view: View, node: Node, how: Implementation["how"], detail?: string): Implementation {
  const source = node.getSourceFile();
  const named = isTypeNodeLike(node) ? namedNode(node) : node;
  const at = source.getLineAndCharacterOfPosition((nameNodeOf(named) ?? named).getStart(source));
  return {
    file: source.fileName,
    at,
    kind: implementationKind(node),
    path: pathOf(node, named),
    how,
    detail,
    line: lineText(source, at),
    isTest: view.paths.isTest(source.fileName),
  };
}

function implementationKind(node: Node): string {
  if (isObjectLiteralExpression(node)) return "object literal";
  if (isArrowFunction(node) || isFunctionExpression(node)) return "function";
  if (isParameterDeclaration(node) && (node.modifiers?.length ?? 0) === 0) return "parameter";
  return modifiersOf(node).includes("abstract") ? `abstract ${kindOf(node)}` : kindOf(node);
}

function pathOf(node: Node, named: Node): string {
  return declarationAround(named) === named ? memberPath(named) : enclosingDeclaration(node).path;
}
