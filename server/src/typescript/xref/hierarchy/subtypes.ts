/** What extends or implements a class or interface, transitively, across all loaded projects. */
import {
  isCallExpression,
  isExpressionWithTypeArguments,
  isHeritageClause,
  isIntersectionTypeNode,
  isPropertyAccessExpression,
  isQualifiedName,
  isStatement,
  isTypeAliasDeclaration,
  isTypeReferenceNode,
  isVariableDeclaration,
  SyntaxKind,
  type ExpressionWithTypeArguments,
  type Node,
} from "typescript/unstable/ast";
import { doubtUnread, wordsOf } from "../references/unread-mentions.ts";
import { heritageNames } from "./heritage-names.ts";
import { oneLine } from "../../names/tree/inspect-declaration.ts";
import type { Declaration } from "../../names/tree/declaration.ts";
import { declarationOf, nameNodeOf } from "../../names/tree/qualified-name.ts";
import { classifyReferences, findReferences, type ReferenceUse } from "../references/references.ts";
import { isAbove } from "../references/resolved-target.ts";
import { isTypeNodeLike, principalEntry, type TypeEntry } from "./type-entry.ts";
import type { View } from "../../view.ts";
import { mapLimited } from "../../yielding.ts";

export interface Subtype {
  readonly relation: "extends" | "implements" | "through";
  /** The heritage clause as written: `Figure<"mm">`, `Tagged(Circle)`. */
  readonly text: string;
  readonly node: ExpressionWithTypeArguments;
  readonly entry: TypeEntry;
}

/** A subtype with those below it; `repeated` when these are shown at an earlier place. */
export interface SubtypeNode extends Subtype {
  readonly repeated: boolean;
  readonly subtypes: readonly SubtypeNode[];
}

export interface Subtypes {
  readonly tree: readonly SubtypeNode[];
  /** Each subtype once, in the order of the tree. */
  readonly all: readonly Subtype[];
  /** By the key of an entry, the subtypes directly below the entry. */
  readonly below: ReadonlyMap<string, readonly Subtype[]>;
  /** By the key of an entry, every mention of it: for the type itself and the subtypes that were asked about. */
  readonly uses: ReadonlyMap<string, readonly ReferenceUse[]>;
  /** Subtypes whose own subtypes were not looked for, because there are too many. */
  readonly notFollowed: number;
}

const MAX_EXPANDED = 1_000;
const FEW = 6;

export async function findSubtypes(view: View, root: TypeEntry): Promise<Subtypes> {
  const below = new Map<string, readonly Subtype[]>();
  const all = new Map<string, Subtype>();
  const uses = new Map<string, readonly ReferenceUse[]>();
  const rootKey = root.key;
  let level: readonly TypeEntry[] = [root];
  let notFollowed = 0;
  while (level.length > 0) {
    const room = Math.max(0, MAX_EXPANDED - below.size);
    const possible = await extendable(view, level, root);
    const followed = possible.slice(0, room);
    notFollowed += possible.length - followed.length;
    const found = await mapLimited(followed, (entry) => directSubtypes(view, entry, uses), view.signal);
    const next: TypeEntry[] = [];
    for (const [index, entry] of followed.entries()) {
      const subtypes = (found[index] ?? []).filter((each) => each.entry.key !== rootKey);
      below.set(entry.key, subtypes);
      for (const subtype of subtypes) {
        const key = subtype.entry.key;
        if (all.has(key)) continue;
        all.set(key, subtype);
        next.push(subtype.entry);
      }
    }
    level = next;
  }
  const names = new Set(wordsOf([...all.values()].map(({ entry }) => entry.declaration)));
  for (const known of wordsOf([root.declaration])) names.delete(known);
  await doubtUnread(view, names);
  const tree = subtypeTree(rootKey, below, new Set());
  return { tree, all: [...all.values()], below, uses, notFollowed };
}

/** The entries that something may extend; a few entries are asked about without looking at all the texts first. */
export async function extendable(
  view: View,
  entries: readonly TypeEntry[],
  root?: TypeEntry,
): Promise<readonly TypeEntry[]> {
  if (entries.length <= FEW) return entries;
  const isKnown = ({ declaration: { file }, nodes }: TypeEntry): boolean =>
    view.paths.isOwn(file) && nodes.some((node) => node.name !== undefined);
  const known = entries.filter((entry) => entry !== root && isKnown(entry));
  const names = await heritageNames(
    view,
    known.map(({ declaration }) => declaration.name),
  );
  return entries.filter((entry) => entry === root || !isKnown(entry) || names.has(entry.declaration.name));
}

/** Subtypes whose own heritage clauses lead to the type, through aliases and mixins too; each once. */
async function directSubtypes(
  view: View,
  entry: TypeEntry,
  known: Map<string, readonly ReferenceUse[]>,
): Promise<Subtype[]> {
  const found = new Map<string, Subtype>();
  const own = await usesOf(view, entry.declaration);
  known.set(entry.key, own);
  let uses = [...own, ...(await mixinUses(view, entry))];
  if (entry.value !== undefined) uses.push(...(await usesOf(view, entry.value)));
  const followed = new Set<string>();
  while (uses.length > 0) {
    const subtypes = await mapLimited(uses, (use) => subtypeAt(view, use), view.signal);
    const isDirect = followed.size === 0;
    for (const subtype of subtypes) {
      if (subtype === undefined) continue;
      const isNamed = isDirect && subtype.relation !== "through";
      if (!isNamed && !(await isMadeOf(entry, subtype))) continue;
      const before = found.get(subtype.entry.key);
      // A class that names the type in two clauses, or directly and through a mixin, is listed for the nearest of them.
      if (before === undefined || before.relation === "through") found.set(subtype.entry.key, subtype);
    }
    const aliases = uses.flatMap((use, index) => (subtypes[index] === undefined ? (aliasAround(use.node) ?? []) : []));
    const names = aliases.map((alias) => declarationOf(alias, alias.getSourceFile()));
    const fresh = await extendableNames(
      view,
      names.filter((name) => isNew(followed, `${name.file}:${name.at.line}:${name.at.character}`)),
    );
    uses = (await mapLimited(fresh, (name) => usesOf(view, name), view.signal)).flat();
  }
  return [...found.values()];
}

function isNew(known: Set<string>, key: string): boolean {
  if (known.has(key)) return false;
  known.add(key);
  return true;
}

async function extendableNames(view: View, names: readonly Declaration[]): Promise<readonly Declaration[]> {
  if (names.length <= FEW) return names;
  const extended = await heritageNames(
    view,
    names.map(({ name }) => name),
  );
  return names.filter(({ file, name }) => !view.paths.isOwn(file) || extended.has(name));
}

export async function usesOf(view: View, declaration: TypeEntry["declaration"]): Promise<ReferenceUse[]> {
  return classifyReferences(view, await findReferences(view, declaration));
}

/** A class that a function makes is extended by calling that function. */
async function mixinUses(view: View, entry: TypeEntry): Promise<ReferenceUse[]> {
  const [node] = entry.nodes;
  if (node.kind !== SyntaxKind.ClassExpression && node.parent.parent?.kind === SyntaxKind.SourceFile) return [];
  let at: Node | undefined = node.parent;
  while (at !== undefined && !isStatement(at)) at = at.parent;
  for (; at !== undefined; at = at.parent) {
    const holder = at.kind === SyntaxKind.FunctionDeclaration ? at : undefined;
    if (holder === undefined || nameNodeOf(holder) === undefined) continue;
    const uses = await usesOf(view, declarationOf(holder, holder.getSourceFile()));
    return uses.filter((use) => heritageAround(use.node) !== undefined);
  }
  return [];
}

async function subtypeAt(view: View, use: ReferenceUse): Promise<Subtype | undefined> {
  const heritage = heritageAround(use.node);
  const owner = heritage?.parent.parent;
  if (heritage === undefined || owner === undefined || !isTypeNodeLike(owner)) return undefined;
  const isNamed = nameIn(heritage) === use.node;
  // A type argument is no base; what a mixin is called with becomes one.
  if (!isNamed && !isWithin(use.node, heritage.expression)) return undefined;
  const written = isHeritageClause(heritage.parent) && heritage.parent.token === SyntaxKind.ImplementsKeyword;
  const relation = isNamed ? (written ? "implements" : "extends") : "through";
  const text = oneLine(heritage.getText());
  return { relation, text, node: heritage, entry: await principalEntry(view, use.program, owner) };
}

/** Not everything a base is computed from becomes a part of it: `extends Service(Options)` has no Options in it. */
async function isMadeOf({ nodes }: TypeEntry, { node, entry }: Subtype): Promise<boolean> {
  const { project } = entry.program;
  const base = await project.checker.getTypeAtLocation(node);
  // Where there is no base to look into, and where an alias has no declaration of its own in it, the text must do.
  if (base === undefined || base.isErrorType() || nodes.some(isTypeAliasDeclaration)) return true;
  for (const above of nodes) if (await isAbove(project, above, entry.nodes[0])) return true;
  return false;
}

function heritageAround(node: Node): ExpressionWithTypeArguments | undefined {
  for (let at: Node | undefined = node; at !== undefined && !isStatement(at); at = at.parent) {
    if (isExpressionWithTypeArguments(at) && isHeritageClause(at.parent)) return at;
    if (isTypeNodeLike(at)) return undefined;
  }
  return undefined;
}

function nameIn({ expression }: ExpressionWithTypeArguments): Node {
  return isPropertyAccessExpression(expression) ? expression.name : expression;
}

function isWithin(node: Node, whole: Node): boolean {
  return node.pos >= whole.pos && node.end <= whole.end;
}

/** `const Alias = Name`, `type Alias = Name<…>`, `type Alias = Name & …`: another name for the same type. */
function aliasAround(node: Node): Node | undefined {
  let at = node.parent;
  if (isPropertyAccessExpression(at) && at.name === node) at = at.parent;
  // `const Mixed = Mixin(Name)` hands it on as well.
  while (isCallExpression(at)) at = at.parent;
  if (isVariableDeclaration(at) && at.initializer !== undefined && isWithin(node, at.initializer)) return at;
  if (isQualifiedName(at) && at.right === node) at = at.parent;
  if (!isTypeReferenceNode(at)) return undefined;
  const holder = isIntersectionTypeNode(at.parent) ? at.parent.parent : at.parent;
  return isTypeAliasDeclaration(holder) ? holder : undefined;
}

/** `shown` holds the keys of the subtypes shown at an earlier place, and receives the keys of this tree. */
export function subtypeTree(
  key: string,
  below: ReadonlyMap<string, readonly Subtype[]>,
  shown: Set<string>,
): readonly SubtypeNode[] {
  return (below.get(key) ?? []).map((subtype): SubtypeNode => {
    const own = subtype.entry.key;
    const repeated = shown.has(own);
    shown.add(own);
    return { ...subtype, repeated, subtypes: repeated ? [] : subtypeTree(own, below, shown) };
  });
}
