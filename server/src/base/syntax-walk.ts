/** Walks over syntax trees of oxc-parser, by the keys under which each kind of node has its children. */
import type { Node } from "oxc-parser";
import { childKeys } from "./parser.ts";

type Children = Node | readonly (Node | null)[] | null | undefined;

/** Calls `visit` on every node below; a `false` from it keeps the walk out of that node's children. */
export function walk(node: Node, visit: (node: Node) => boolean | void): void {
  if (visit(node) === false) return;
  for (const key of keysOf(node)) {
    const value = childrenAt(node, key);
    if (isList(value)) {
      for (const item of value) if (item !== null) walk(item, visit);
    } else if (value) walk(value, visit);
  }
}

/** The children of a node, with their keys in it. */
export function childrenOf(node: Node): [string, Node][] {
  const children: [string, Node][] = [];
  for (const key of keysOf(node)) {
    const value = childrenAt(node, key);
    if (isList(value)) {
      for (const item of value) if (item !== null) children.push([key, item]);
    } else if (value) children.push([key, value]);
  }
  return children;
}

function keysOf({ type }: Node): readonly string[] {
  return childKeys(type) ?? [];
}

function childrenAt(node: Node, key: string): Children {
  return (node as unknown as Readonly<Record<string, Children>>)[key];
}

function isList(value: Children): value is readonly (Node | null)[] {
  return Array.isArray(value);
}
