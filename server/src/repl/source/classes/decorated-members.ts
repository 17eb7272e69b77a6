/**
 * Finds the decorated methods and accessors of instances in swc's output. A function that a decorator returns always
 * calls the one function that the decorator was given.
 */
import type { Class, ClassBody, Node } from "oxc-parser";
import { identifierName } from "../syntax.ts";
import { walk } from "../../../base/syntax-walk.ts";

/** The end of `_ts_decorate([…], Invoice.prototype, "send", null)`, as swc prints it. */
const LEGACY = /^\], ([\w$]+)\.prototype, "([^"\n]+)", null\);/gm;

/** The names of the members. `code` has the class, followed by the calls of legacy decorators. */
export function decoratedMembers({ body }: Class, name: string, code: string): ReadonlySet<string> {
  const legacy = [...code.matchAll(LEGACY)].flatMap(([, owner, member]) => (owner === name && member ? [member] : []));
  return new Set([...legacy, ...standardMembers(body)]);
}

/** `_apply_decs(this, [[logged, 2, "send"]], …)` in a static block. */
function standardMembers({ body }: ClassBody): ReadonlySet<string> {
  const names = new Set<string>();
  for (const member of body) {
    if (member.type !== "StaticBlock") continue;
    walk(member, (at) => {
      if (at.type !== "CallExpression") return true;
      const [target, entries] = at.arguments;
      const callee = identifierName(at.callee);
      if (callee?.startsWith("_apply_decs_") !== true || target?.type !== "ThisExpression") return true;
      for (const entry of elementsOf(entries)) {
        const [, kind, key, isPrivate] = elementsOf(entry);
        const isInstance = kind?.type === "Literal" && Number(kind.value) < STATIC_KINDS && isPrivate === undefined;
        if (isInstance && key?.type === "Literal" && typeof key.value === "string") names.add(key.value);
      }
      return false;
    });
  }
  return names;
}

/** swc numbers the kinds of members: this number and higher ones are members of the class itself. */
const STATIC_KINDS = 5;

function elementsOf(list: Node | null | undefined): readonly (Node | null)[] {
  return list?.type === "ArrayExpression" ? list.elements : [];
}
