/** Whether what a declaration makes can be called at all, and whether reading it is the call. */
import { TypeFlags, type Type } from "typescript/unstable/async";
import type { Declaration } from "../names/tree/declaration.ts";
import { inspectDeclaration } from "../names/tree/inspect-declaration.ts";
import { isNameNode } from "../names/tree/qualified-name.ts";
import type { View } from "../view.ts";

export type Callable = "called" | "called by reading" | "only read";

/** Objects hand on the functions in them; a name of one of the other kinds may stand for anything. */
const MAY_BE_CALLED =
  TypeFlags.Object |
  TypeFlags.NonPrimitive |
  TypeFlags.AnyOrUnknown |
  TypeFlags.TypeParameter |
  TypeFlags.IndexedAccess;

export async function callable(view: View, declaration: Declaration): Promise<Callable> {
  const detail = await inspectDeclaration(view, declaration);
  if (detail?.kind === "getter") return "called by reading";
  // What has no name is a default export, mostly of a function.
  if (detail === undefined || !isNameNode(detail.nameNode)) return "called";
  const type = await detail.program.project.checker.getTypeAtLocation(detail.nameNode);
  return type === undefined || (await mayBeCalled(type)) ? "called" : "only read";
}

async function mayBeCalled(type: Type): Promise<boolean> {
  if (!type.isUnionType() && !type.isIntersectionType()) return (type.flags & MAY_BE_CALLED) !== 0;
  const parts = await type.getTypes();
  return (await Promise.all(parts.map(mayBeCalled))).some(Boolean);
}
