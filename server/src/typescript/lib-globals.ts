/** The global names in TypeScript's own `lib.*.d.ts`, read from their text: their trees are tens of megabytes. */
import { readFileSync } from "node:fs";
import type { Declaration, OutlineKind } from "./outline.ts";

const LIB_FILE = /[/\\]lib(?:\.[\w.]+)?\.d\.ts$/;
/** Every outermost declaration in these files starts its line; what is indented is inside another. */
const OUTERMOST = /^(?:declare )?(?:abstract )?(var|let|const|function|interface|type|class|enum|namespace) ([\w$]+)/;

const KINDS: ReadonlyMap<string, OutlineKind> = new Map<string, OutlineKind>([
  ["function", "function"],
  ["interface", "interface"],
  ["type", "type"],
  ["class", "class"],
  ["enum", "enum"],
  ["namespace", "namespace"],
]);

const known = new Map<string, readonly Declaration[]>();

export function isLibFile(file: string): boolean {
  return LIB_FILE.test(file);
}

/** Each name once; a name that is both an interface and a variable is listed at the first of the two. */
export function libGlobals(file: string): readonly Declaration[] {
  const before = known.get(file);
  if (before !== undefined) return before;
  const found = new Map<string, Declaration>();
  for (const [line, text] of readLines(file).entries()) {
    const [match, keyword = "", name = ""] = OUTERMOST.exec(text) ?? [];
    if (match === undefined || found.has(name)) continue;
    const at = { line, character: match.length - name.length };
    const range = { start: { line, character: 0 }, end: { line, character: text.length } };
    const kind = KINDS.get(keyword) ?? "variable";
    found.set(name, { file, name, path: name, kind, range, at, ordinal: 1, local: false, maybeAlias: false });
  }
  const declarations = [...found.values()];
  known.set(file, declarations);
  return declarations;
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch {
    return [];
  }
}
