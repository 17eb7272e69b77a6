/**
 * A `#name` belongs to one definition of a class, and `other.#name` asks an object that an earlier one may have made.
 * Where a class is redefined such places ask the image, which knows every definition. `this` is never asked for: a
 * method runs inside of the definition that made its instance.
 */
import { inKernel } from "../child/wire/kernel-call.ts";
import type MagicString from "magic-string";
import { walk, type SyntaxNode } from "./syntax.ts";

/** The `#names`, without the `#`, that `node` looks for in something else than `this`. */
export function crossingNames(node: SyntaxNode): readonly { readonly name: string; readonly canFollow: boolean }[] {
  return placesIn(node).map(({ name, canFollow }) => ({ name, canFollow }));
}

export interface ClassFamily {
  /** Stands for all definitions of the class. */
  readonly family: string;
  /** Whether the private name belongs to the class. */
  readonly isOwn: (name: string) => boolean;
  /** Only the newest of these members exists, for instances of all definitions: in them `this` is asked for too. */
  readonly decorated?: readonly SyntaxNode[];
}

export function followOthers(
  edited: MagicString,
  node: SyntaxNode,
  { family, isOwn, decorated = [] }: ClassFamily,
): void {
  const shown = JSON.stringify(family);
  const isGiven = ({ start }: SyntaxNode): boolean => decorated.some((each) => each.start <= start && start < each.end);
  // The inner ones first: what stands around them is put before them.
  for (const { at, name, other, canFollow, isCalled } of placesIn(node, true).toReversed()) {
    if (!canFollow || !isOwn(name) || (other.type === "ThisExpression" && !isGiven(at))) continue;
    if (at.type === "BinaryExpression") {
      edited.overwrite(at.start, other.start, `${inKernel("bears")}(${shown},${JSON.stringify(name)},`);
      edited.appendLeft(other.end, ")");
      continue;
    }
    edited.prependRight(other.start, `${inKernel("other")}(${shown},`);
    const dot = at["optional"] === true ? "?." : "";
    edited.overwrite(other.end, at.end, `${isCalled ? ",true" : ""})${dot}[${JSON.stringify(`#${name}`)}]`);
  }
}

interface Place {
  readonly at: SyntaxNode;
  readonly name: string;
  readonly other: SyntaxNode;
  readonly canFollow: boolean;
  /** What is found is called with the object as `this`. */
  readonly isCalled: boolean;
}

function placesIn(node: SyntaxNode, ofThis = false): readonly Place[] {
  const places: Place[] = [];
  const called = new Set<SyntaxNode>();
  // A class inside has names of its own, and those of this one too: they are told, and left as they are.
  const inner: SyntaxNode[] = [];
  walk(node, (at) => {
    if (/^Class(?:Declaration|Expression)$/.test(at.type) && at !== node) inner.push(at);
    if (at.type === "CallExpression") called.add(bare(at["callee"] as SyntaxNode));
    if (at.type === "TaggedTemplateExpression") called.add(bare(at["tag"] as SyntaxNode));
    const isTest = at.type === "BinaryExpression";
    const [name, other] = [at[isTest ? "left" : "property"], at[isTest ? "right" : "object"]] as (
      | SyntaxNode
      | undefined
    )[];
    if (name?.type !== "PrivateIdentifier" || other === undefined) return true;
    if (other.type === "ThisExpression" && !ofThis) return true;
    const isInside = inner.some(({ start, end }) => start <= at.start && at.end <= end);
    const canFollow = !isInside && !mayEndEarly(other);
    places.push({ at, name: name["name"] as string, other, canFollow, isCalled: called.has(at) });
    return true;
  });
  return places;
}

function bare(node: SyntaxNode): SyntaxNode {
  return node.type === "ParenthesizedExpression" ? bare(node["expression"] as SyntaxNode) : node;
}

/** Behind a `?.` the rest of the chain is left out with it: it cannot be an argument. */
function mayEndEarly(node: SyntaxNode): boolean {
  for (let at: SyntaxNode | undefined = node; at !== undefined;) {
    if (at["optional"] === true) return true;
    at = (at.type === "MemberExpression" ? at["object"] : at.type === "CallExpression" ? at["callee"] : undefined) as
      | SyntaxNode
      | undefined;
  }
  return false;
}
