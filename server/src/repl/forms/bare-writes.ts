/**
 * `total = 3` without a declaration. Forms are strict, as modules are; only at their top such an assignment makes a
 * global all the same, because everybody types it. In a function it stays the error that it is in a file.
 */
import { inKernel } from "../child/wire/kernel-call.ts";
import type MagicString from "magic-string";
import { varsIn, type FreeName } from "../source/free-names.ts";
import type { SyntaxNode } from "../source/syntax.ts";

const GLOBAL = `${inKernel("bare")}.`;

/** `isKnown` says which names are variables: all others are properties of the global object, there or not. */
export function allowBareWrites(
  edited: MagicString,
  body: readonly SyntaxNode[],
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
    const right = writer?.["left"] === node ? (writer["right"] as SyntaxNode) : undefined;
    // A function without a name gets the one of what it is assigned to, and a member would give it none.
    if (right === undefined || !isNameless(right)) continue;
    edited.appendRight(right.start, `({ ${name}: `);
    edited.appendLeft(right.end, ` }).${name}`);
  }
}

function isPlain({ type, operator }: SyntaxNode): boolean {
  return type !== "UpdateExpression" && (operator === undefined || operator === "=");
}

function isNameless({ type, id }: SyntaxNode): boolean {
  if (type === "ArrowFunctionExpression") return true;
  return /^(?:Function|Class)Expression$/.test(type) && (id === null || id === undefined);
}
