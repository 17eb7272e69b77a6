/**
 * Which methods and accessors of instances decorators were given, in what swc makes of them. What the decorators made of
 * them goes on calling the one function that they were given.
 */
import { walk, type SyntaxNode } from "./syntax.ts";

/** The end of `_ts_decorate([…], Invoice.prototype, "send", null)`, as it is printed. */
const LEGACY = /^\], ([\w$]+)\.prototype, "([^"\n]+)", null\);/gm;

/** By name. `code` has the class, and what legacy decorators do behind it. */
export function decoratedMembers(node: SyntaxNode, name: string, code: string): ReadonlySet<string> {
  const legacy = [...code.matchAll(LEGACY)].flatMap(([, owner, member]) => (owner === name && member ? [member] : []));
  return new Set([...legacy, ...standardMembers(node)]);
}

/** `_apply_decs(this, [[logged, 2, "send"]], …)` in a static block. */
function standardMembers(node: SyntaxNode): ReadonlySet<string> {
  const names = new Set<string>();
  for (const member of (node["body"] as SyntaxNode)["body"] as readonly SyntaxNode[]) {
    if (member.type !== "StaticBlock") continue;
    walk(member, (at) => {
      if (at.type !== "CallExpression") return true;
      const [target, entries] = at["arguments"] as readonly SyntaxNode[];
      const callee = String((at["callee"] as SyntaxNode)["name"]);
      if (!callee.startsWith("_apply_decs_") || target?.type !== "ThisExpression") return true;
      for (const entry of elementsOf(entries)) {
        const [, kind, key, isPrivate] = elementsOf(entry);
        const isInstance = Number(kind?.["value"]) < STATIC_KINDS && isPrivate === undefined;
        if (isInstance && typeof key?.["value"] === "string") names.add(key["value"]);
      }
      return false;
    });
  }
  return names;
}

/** swc numbers the kinds of members, those of the class itself from here on. */
const STATIC_KINDS = 5;

function elementsOf(list: SyntaxNode | undefined): readonly SyntaxNode[] {
  return list?.type === "ArrayExpression" ? (list["elements"] as readonly SyntaxNode[]) : [];
}
