/**
 * Assignments to constants. Every constant of a form's or a module's top level is made a variable, so that the constant can be
 * declared again or redefined; an assignment to a constant must still fail.
 */
import { inKernel } from "../child/wire/kernel-call.ts";
import type { FreeName } from "./free-names.ts";

const FIXED = `${inKernel("fixed")}.`;
const LOGICAL = /^(?:\|\||&&|\?\?)=$/;

/** What changes in a text: nothing but insertions, some of them before a name that goes until there, and replacements of the same length. */
export interface WriteEdits {
  readonly same: { readonly start: number; readonly text: string }[];
  readonly inserted: { readonly at: number; readonly text: string; readonly until?: number }[];
}

/** `uses` are those of constants, in `text`. */
export function refuseWrites(edits: WriteEdits, uses: readonly FreeName[], text: string): void {
  for (const { node, name, isShorthand, writer } of uses) {
    if (writer === undefined) continue;
    if (writer.type === "AssignmentExpression" && LOGICAL.test(writer.operator)) {
      const { operator, right } = writer;
      edits.same.push({ start: text.indexOf(operator, node.end), text: `${operator.slice(0, 2)} ` });
      edits.inserted.push({ at: right.start, text: `(${FIXED}${name} = ` }, { at: right.end, text: ")" });
    } else edits.inserted.push({ at: node.start, text: `${isShorthand ? `${name}: ` : ""}${FIXED}`, until: node.end });
  }
}
