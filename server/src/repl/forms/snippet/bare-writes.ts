/**
 * `total = 3` without a declaration. Forms are strict, as modules are, but at their top level this assignment makes a
 * global, because people often type such lines. In a function the assignment stays an error, as in a file.
 */
import { inKernel } from "../../child/wire/kernel-call.ts";
import type MagicString from "magic-string";
import { varsIn, type FreeName, type Writer } from "../../source/free-names.ts";
import type { Node } from "oxc-parser";
import { isClass, isFunction, type Body } from "../../source/syntax.ts";

const GLOBAL = `${inKernel("bare")}.`;

/**
 * `isKnown` says which names are variables: all others are properties of the global object, which may not exist yet.
 */
export function allowBareWrites(
  edited: MagicString,
  body: Body,
  free: readonly FreeName[],
  isKnown: (name: string) => boolean,
): void {
  const writes = free.filter(
    ({ name, writer, within }) => within === undefined && writer !== undefined && isPlain(writer) && !isKnown(name),
  );
  if (writes.length === 0) return;
  const hoisted = new Set(body.flatMap(varsIn));
  for (const { node, name, isShorthand, writer } of writes) {
    if (hoisted.has(name)) continue;
    edited.overwrite(node.start, node.end, `${isShorthand ? `${name}: ` : ""}${GLOBAL}${name}`);
    const right = writer?.type === "AssignmentExpression" && writer.left === node ? writer.right : undefined;
    // A nameless function gets the name of the variable to which it is assigned; an assignment to a member would give
    // it none.
    if (right === undefined || !isNameless(right)) continue;
    edited.appendRight(right.start, `({ ${name}: `);
    edited.appendLeft(right.end, ` }).${name}`);
  }
}

function isPlain(writer: Writer): boolean {
  return writer.type !== "UpdateExpression" && (writer.type !== "AssignmentExpression" || writer.operator === "=");
}

function isNameless(node: Node): boolean {
  return (isFunction(node) || isClass(node)) && node.id === null;
}
