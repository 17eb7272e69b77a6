/** Members in one spelling for both sides. */
import type { Place } from "./places.ts";

/** Members without a name, such as index signatures, are compared as such by the place they stand at. */
export function memberItem(name: string, isStatic: boolean, place: Place): string[] {
  if (name === "") return [];
  const plain = name.replace(/^(["'])(.*)\1$/, "$2");
  return [`${isStatic ? "static " : ""}${plain} at ${place}`];
}
