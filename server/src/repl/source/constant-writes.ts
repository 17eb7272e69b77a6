/**
 * Assignments to constants. Each top-level constant of a form or a module is made a variable, so that it can be
 * declared again or redefined; an assignment to it must still throw.
 */
import { inKernel } from "../child/wire/kernel-call.ts";
import type { FreeName } from "./free-names.ts";

const FIXED = `${inKernel("fixed")}.`;
const LOGICAL = /^(?:\|\||&&|\?\?)=$/;

/**
 * The edits of a text: `same` are replacements of the same length, `inserted` are insertions. An insertion with `until`
 * comes before a name that ends there.
 */
export interface WriteEdits {
  readonly same: { readonly start: number; readonly text: string }[];
  readonly inserted: { readonly at: number; readonly text: string; readonly until?: number }[];
}

/** `uses` are the uses of constants in `text`. */
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
