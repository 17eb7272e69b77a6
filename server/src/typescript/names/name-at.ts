/** The node at a place where the compiler said that a name begins. */
import {
  getTouchingPropertyName,
  isIdentifier,
  NodeFlags,
  type Node,
  type NodeArray,
  type SourceFile,
} from "typescript/unstable/ast";

/**
 * Finds the same node as `getTouchingPropertyName` by going straight down; that function looks at the trivia and
 * documentation of everything it passes. A node that is no identifier, or begins elsewhere, is left to that function.
 */
export function nameAt(source: SourceFile, offset: number): Node {
  let at: Node | undefined = source;
  let deepest: Node = source;
  while (at !== undefined) {
    deepest = at;
    at = childAround(at, offset);
  }
  const isWanted = isIdentifier(deepest) && deepest.getStart(source) === offset;
  return isWanted ? deepest : getTouchingPropertyName(source, offset);
}

function childAround(node: Node, offset: number): Node | undefined {
  return node.forEachChild(
    (child) => (isAround(child, offset) ? child : undefined),
    (list) => (list.pos <= offset && offset < list.end ? listed(list, offset) : undefined),
  );
}

const LONG_LIST = 64;
const longLists = new WeakMap<NodeArray<Node>, readonly Node[]>();

function listed(list: NodeArray<Node>, offset: number): Node | undefined {
  if (list.length >= LONG_LIST) return searched(list, offset);
  for (const child of list) if (isAround(child, offset)) return child;
  return undefined;
}

/** A list of nodes can only be walked from its start, so a long one is kept as an array to be halved. */
function searched(list: NodeArray<Node>, offset: number): Node | undefined {
  const nodes = longLists.get(list) ?? [...list].filter((node) => (node.flags & NodeFlags.Reparsed) === 0);
  longLists.set(list, nodes);
  let low = 0;
  let high = nodes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((nodes[middle]?.end ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  const found = nodes[low];
  return found !== undefined && isAround(found, offset) ? found : undefined;
}

/** The tree has nodes that were made from documentation comments a second time. */
function isAround(node: Node, offset: number): boolean {
  return node.pos <= offset && offset < node.end && (node.flags & NodeFlags.Reparsed) === 0;
}
