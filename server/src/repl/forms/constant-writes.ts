/**
 * Assignments to constants. The rewriter makes every constant of a form a variable, so that it can be declared again;
 * an assignment to a constant must still fail.
 */
import { inKernel } from "../child/wire/kernel-call.ts";
import type MagicString from "magic-string";
import type { FreeName } from "../source/free-names.ts";

const FIXED = `${inKernel("fixed")}.`;
const LOGICAL = /^(\|\||&&|\?\?)=$/;

export function refuseWrites(edited: MagicString, free: readonly FreeName[], constants: ReadonlySet<string>): void {
  for (const { node, name, isShorthand, writer } of free) {
    if (writer === undefined || !constants.has(name)) continue;
    const logical = writer.type === "AssignmentExpression" ? LOGICAL.exec(writer.operator)?.[1] : undefined;
    if (writer.type !== "AssignmentExpression" || logical === undefined) {
      edited.overwrite(node.start, node.end, `${isShorthand ? `${name}: ` : ""}${FIXED}${name}`);
      continue;
    }
    const { right } = writer;
    edited.overwrite(node.end, right.start, ` ${logical} (${FIXED}${name} = `);
    edited.appendLeft(right.end, ")");
  }
}
