/**
 * What runs a class's constructor. A class and its constructor are one question: every `new` spells the class's name, and
 * `new Sub()` of a subclass that inherits the constructor runs it too.
 */
import {
  isClassLikeDeclaration,
  isConstructorDeclaration,
  type ClassLikeDeclaration,
  type Node,
} from "typescript/unstable/ast";
import { inspectDeclaration } from "../names/tree/inspect-declaration.ts";
import type { Declaration } from "../names/tree/declaration.ts";
import { declarationOf, qualifiedName } from "../names/tree/qualified-name.ts";
import { findUses, type ReferenceUse } from "./references/references.ts";
import { superCallBehind, type SuperCall } from "./references/super-calls.ts";
import { namedNode } from "./hierarchy/type-entry.ts";
import type { View } from "../view.ts";
import { placeKey } from "../places.ts";

export interface ConstructorRun {
  readonly use: ReferenceUse;
  /** Set for the name in an `extends` clause, whose subclass runs the constructor by `super`. */
  readonly superCall: SuperCall | undefined;
  /** The subclass that has no constructor of its own and so runs the inherited one. */
  readonly heir: string | undefined;
}

export interface Construction {
  /** Every mention of the class, and `new this()` inside it. */
  readonly uses: readonly ReferenceUse[];
  /** What the uses do not show: calls by `super`, and what constructs a subclass that inherits the constructor. */
  readonly runs: readonly ConstructorRun[];
}

/** Undefined for a declaration that is neither a class nor a constructor. */
export async function constructionOf(view: View, declaration: Declaration): Promise<Construction | undefined> {
  if (declaration.kind !== "class" && declaration.kind !== "constructor" && declaration.kind !== "variable") {
    return undefined;
  }
  const detail = await inspectDeclaration(view, declaration);
  const owner = detail === undefined ? undefined : classOf(detail.node);
  if (owner === undefined) return undefined;
  const named = declarationOf(namedNode(owner), owner.getSourceFile());
  const uses = await findUses(view, named);
  const runs = await runsThrough(view, uses, undefined, new Set([placeKey(named)]));
  const known = new Set([...uses, ...runs.map(({ use }) => use)].map(placeKey));
  const own = owner.members.find(isConstructorDeclaration);
  const found = own === undefined ? [] : await findUses(view, declarationOf(own, own.getSourceFile()));
  const more = found.filter((use) => use.use.kind === "new" && !known.has(placeKey(use)));
  return { uses: [...uses, ...more], runs };
}

/** Follows the subclasses: each calls the constructor by `super`, or passes it on to whoever constructs it. */
async function runsThrough(
  view: View,
  uses: readonly ReferenceUse[],
  heir: string | undefined,
  seen: Set<string>,
): Promise<ConstructorRun[]> {
  const runs: ConstructorRun[] = [];
  for (const use of uses) {
    if (use.use.kind !== "extends") continue;
    const superCall = superCallBehind(use.node);
    if (superCall === undefined) continue;
    // The silent call in a subclass of an heir shows where that subclass is constructed.
    if (heir === undefined || superCall.keyword !== undefined) runs.push({ use, superCall, heir });
    if (superCall.keyword !== undefined || !isClassLikeDeclaration(superCall.caller)) continue;
    const named = declarationOf(namedNode(superCall.caller), superCall.caller.getSourceFile());
    if (seen.has(placeKey(named))) continue;
    seen.add(placeKey(named));
    const subclass = qualifiedName(superCall.caller);
    const below = await findUses(view, named);
    for (const each of below) {
      if (each.use.kind === "new") runs.push({ use: each, superCall: undefined, heir: subclass });
    }
    runs.push(...(await runsThrough(view, below, subclass, seen)));
  }
  return runs;
}

function classOf(node: Node): ClassLikeDeclaration | undefined {
  if (isClassLikeDeclaration(node)) return node;
  if (isConstructorDeclaration(node)) return isClassLikeDeclaration(node.parent) ? node.parent : undefined;
  const value = (node as { readonly initializer?: Node }).initializer;
  return value !== undefined && isClassLikeDeclaration(value) ? value : undefined;
}
