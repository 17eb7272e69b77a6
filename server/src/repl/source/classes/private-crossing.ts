/**
 * A `#name` belongs to one definition of a class, and `other.#name` reads an object that an earlier definition may have
 * made. When a class is redefined, these places ask the image, which knows every definition. `this` needs no question:
 * a method runs inside of the definition that made its instance.
 */
import { inKernel } from "../../child/wire/kernel-call.ts";
import type MagicString from "magic-string";
import type { Class, Node } from "oxc-parser";
import { isClass } from "../syntax.ts";
import { walk } from "../../../base/syntax-walk.ts";

/** The `#names`, without the `#`, that `node` reads from other objects than `this`. */
export function crossingNames(node: Node): readonly { readonly name: string; readonly canFollow: boolean }[] {
  return placesIn(node).map(({ name, canFollow }) => ({ name, canFollow }));
}

export interface ClassFamily {
  /** The name of the family of all definitions of the class. */
  readonly family: string;
  /** Whether the private name belongs to the class. */
  readonly isOwn: (name: string) => boolean;
  /**
   * Members with decorators: only the newest text exists, for instances of all definitions, so their reads of `this`
   * ask the image too.
   */
  readonly decorated?: readonly Node[];
}

export function followOthers(edited: MagicString, node: Node, { family, isOwn, decorated = [] }: ClassFamily): void {
  const shown = JSON.stringify(family);
  const isGiven = ({ start }: Node): boolean => decorated.some((each) => each.start <= start && start < each.end);
  // Inner places come first: the text for an outer place is put before that of an inner one.
  for (const { at, name, other, canFollow, isCalled } of placesIn(node, true).toReversed()) {
    if (!canFollow || !isOwn(name) || (other.type === "ThisExpression" && !isGiven(at))) continue;
    if (at.type === "BinaryExpression") {
      edited.overwrite(at.start, other.start, `${inKernel("bears")}(${shown},${JSON.stringify(name)},`);
      edited.appendLeft(other.end, ")");
      continue;
    }
    edited.prependRight(other.start, `${inKernel("other")}(${shown},`);
    const dot = at.type === "MemberExpression" && at.optional ? "?." : "";
    edited.overwrite(other.end, at.end, `${isCalled ? ",true" : ""})${dot}[${JSON.stringify(`#${name}`)}]`);
  }
}

interface Place {
  readonly at: Node;
  readonly name: string;
  readonly other: Node;
  readonly canFollow: boolean;
  /** The private member is called, with the object as `this`. */
  readonly isCalled: boolean;
}

function placesIn(node: Node, ofThis = false): readonly Place[] {
  const places: Place[] = [];
  const called = new Set<Node>();
  // An inner class also sees the names of the outer class: its places are reported and not changed.
  const inner: Class[] = [];
  walk(node, (at) => {
    if (isClass(at) && at !== node) inner.push(at);
    if (at.type === "CallExpression") called.add(bare(at.callee));
    if (at.type === "TaggedTemplateExpression") called.add(bare(at.tag));
    const place = privatePlace(at);
    if (place === undefined || (place.other.type === "ThisExpression" && !ofThis)) return;
    const isInside = inner.some(({ start, end }) => start <= at.start && at.end <= end);
    places.push({ ...place, canFollow: !isInside && !mayEndEarly(place.other), isCalled: called.has(at) });
  });
  return places;
}

/** `other.#name` and `#name in other`. */
function privatePlace(at: Node): Pick<Place, "at" | "name" | "other"> | undefined {
  if (at.type === "MemberExpression" && at.property.type === "PrivateIdentifier") {
    return { at, name: at.property.name, other: at.object };
  }
  if (at.type === "BinaryExpression" && at.left.type === "PrivateIdentifier") {
    return { at, name: at.left.name, other: at.right };
  }
  return undefined;
}

function bare(node: Node): Node {
  return node.type === "ParenthesizedExpression" ? bare(node.expression) : node;
}

/** A `?.` on undefined or null skips the rest of the chain, so its object cannot become an argument. */
function mayEndEarly(node: Node): boolean {
  if (node.type === "MemberExpression") return node.optional || mayEndEarly(node.object);
  return node.type === "CallExpression" && (node.optional || mayEndEarly(node.callee));
}
