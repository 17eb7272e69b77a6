/** How a file indents its code, read from its lines; a file without an indented line is like those around. */
import { dirname } from "node:path";
import { fileTextNow } from "../files/file-text.ts";
import type { Indentation } from "../session/compiler-settings.ts";
import type { View } from "../view.ts";

const MAX_NEIGHBOURS = 20;
const TAB_SIZE = 4;

/** Undefined where no file tells. */
export function indentationOf(view: View, file: string): Indentation | undefined {
  const own = indentationIn([fileTextNow(view, file)]);
  if (own !== undefined) return own;
  const files = view.ownFiles();
  const near = files.filter((each) => dirname(each) === dirname(file));
  const around = [...near, ...files].filter((each) => !view.state.shown.hides(each)).slice(0, MAX_NEIGHBOURS);
  return indentationIn(around.map((each) => fileTextNow(view, each)));
}

/** The step that lines most often take to the right of the line before them. */
export function indentationIn(texts: readonly string[]): Indentation | undefined {
  let tabs = 0;
  const steps = new Map<number, number>();
  for (const text of texts) {
    let before = 0;
    for (const line of text.split(/\r?\n/)) {
      const [space = "", first] = /^([ \t]*)(\S)?/.exec(line)?.slice(1) ?? [];
      // A comment's stars are one column further in.
      if (first === undefined || first === "*") continue;
      if (space.startsWith("\t")) tabs += 1;
      const step = space.includes("\t") ? 0 : space.length - before;
      if (step > 1 && step <= 8) steps.set(step, (steps.get(step) ?? 0) + 1);
      before = space.length;
    }
  }
  const [best] = [...steps].toSorted(([a, countA], [b, countB]) => countB - countA || a - b);
  const spaced = [...steps.values()].reduce((sum, count) => sum + count, 0);
  if (tabs > spaced) return { size: TAB_SIZE, isTabs: true };
  return best === undefined ? undefined : { size: best[0], isTabs: false };
}
