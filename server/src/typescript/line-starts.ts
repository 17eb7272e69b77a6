/** Where the lines of a file begin: the compiler's client looks at every character, and each answer reads many new files. */
import type { SourceFile } from "typescript/unstable/ast";
import { lineStarts } from "../base/line-breaks.ts";

/** What ends a line besides a line feed. */
const OTHER_BREAKS = /[\r\u2028\u2029]/;
const prepared = new WeakSet<SourceFile>();

/** Lets the file find its lines by the searches that strings have built in. What it answers stays the same. */
export function findLinesQuickly(source: SourceFile): void {
  if (prepared.has(source)) return;
  prepared.add(source);
  const before = source.getLineStarts.bind(source);
  let starts: readonly number[] | undefined;
  source.getLineStarts = () => {
    starts ??= OTHER_BREAKS.test(source.text) ? before() : lineStarts(source.text);
    return starts;
  };
}
