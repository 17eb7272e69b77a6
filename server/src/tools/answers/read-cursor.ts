/** Where a page begins: the one reading of the parameter `cursor`. */
import { ToolFailure } from "../tool.ts";
import { plural } from "../../base/plural.ts";

/** The number of entries before the page; 0 without a cursor. A text that no answer gave out is refused. */
export function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw new ToolFailure(
    `The cursor "${cursor}" is not one that this tool gave out: a cursor is a whole number, as "30" in the nextCursor of the previous answer. Leave it out to read from the beginning.`,
  );
}

export function pastTheEnd(first: number, total: number): ToolFailure {
  const has = plural(total, "entry", "entries");
  return new ToolFailure(
    `The cursor "${first}" lies past the end: the answer has ${has} now. Leave it out to read from the beginning.`,
  );
}
