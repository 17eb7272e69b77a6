/** Members that JavaScript gives a subclass by assigning: no search for what overrides a member goes through them. */
import { isScript } from "../../names/javascript/assigned-names.ts";
import { assignedNames } from "../../names/tree/assigned-outline.ts";
import { referenceOf } from "../../names/tree/named-nodes.ts";
import type { TypeEntry } from "./type-entry.ts";
import type { View } from "../../view.ts";

/** Adds a doubt for the reader of the answer; none when no subclass is given such a member. */
export async function doubtAssignedOverrides(view: View, entries: readonly TypeEntry[], name: string): Promise<void> {
  for (const { path, nodes } of entries) {
    const source = nodes[0].getSourceFile();
    if (!isScript(nodes[0])) continue;
    const assigned = (await assignedNames(view, source)).filter((each) => each.owner === path && each.name === name);
    for (const { nameNode } of assigned) {
      const { file, at } = referenceOf(nameNode, view);
      const place = `${view.paths.show(file)}:${at.line + 1}`;
      view.doubts.add(`Not searched: ${path}.${name} is made by an assignment, ${place}.`);
    }
  }
}
