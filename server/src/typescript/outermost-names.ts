/** The outermost names of a file by its text alone, for files whose tree is too large to carry over. */
import type { Declaration, OutlineKind } from "./outline.ts";
import { forEachYielding } from "./yielding.ts";

/** A formatted file starts the line of every outermost declaration; what is indented is inside another. */
const OUTERMOST =
  /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:async )?(var|let|const|function|interface|type|class|enum|namespace)\*? ([\w$]+)/;

const KINDS: ReadonlyMap<string, OutlineKind> = new Map<string, OutlineKind>([
  ["function", "function"],
  ["interface", "interface"],
  ["type", "type"],
  ["class", "class"],
  ["enum", "enum"],
  ["namespace", "namespace"],
]);

/** Each name once, at its first declaration. */
export async function outermostNames(file: string, source: string): Promise<Declaration[]> {
  const found = new Map<string, Declaration>();
  await forEachYielding(source.split("\n").entries(), ([line, text]) => {
    const [match, keyword = "", name = ""] = OUTERMOST.exec(text) ?? [];
    if (match === undefined || found.has(name)) return;
    const at = { line, character: match.length - name.length };
    const range = { start: { line, character: 0 }, end: { line, character: text.length } };
    const kind = KINDS.get(keyword) ?? "variable";
    found.set(name, { file, name, path: name, kind, range, at, ordinal: 1, local: false, maybeAlias: false });
  });
  return [...found.values()];
}
