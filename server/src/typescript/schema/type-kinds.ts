/** Kinds of types, as a schema of their values tells them apart. */
import { ObjectFlags, TypeFlags, type Type } from "typescript/unstable/async";

export const UNDEFINED: TypeFlags = TypeFlags.Undefined | TypeFlags.Void;

/** Whether the value may be left out. */
export async function allowsUndefined(type: Type): Promise<boolean> {
  if ((type.flags & UNDEFINED) !== 0) return true;
  return type.isUnionType() && (await type.getTypes()).some((member) => (member.flags & UNDEFINED) !== 0);
}

/** What can contain itself: objects other than arrays (their elements are looked at), unions and intersections. */
export function isStructured(type: Type): boolean {
  if (type.isUnionType()) return (type.flags & TypeFlags.EnumLiteral) === 0 && (type.flags & TypeFlags.Boolean) === 0;
  if (type.isIntersectionType()) return true;
  return type.isObjectType() && (type.objectFlags & ObjectFlags.Tuple) === 0;
}
