/** The outermost names of a file by its text alone, for files whose tree is too large or too many to carry over. */
import type { Declaration, OutlineKind } from "./declaration.ts";
import { forEachYielding } from "../yielding.ts";

/**
 * A formatted file starts the line of every outermost declaration; what is indented is inside another, and only the
 * insides of a `declare module`, `declare global` or namespace count as well.
 */
const DECLARATION =
  /^(\s*)(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:async )?(var|let|const enum|const|function|interface|type|class|enum|namespace)\*? ([\w$]+)/;
const CONTAINER = /^(?:export )?(?:declare )?(?:(?:module|namespace) ("[^"]+"|'[^']+'|[\w$.]+)|(global)) \{/;
const ONE_LEVEL = 4;

const KINDS: ReadonlyMap<string, OutlineKind> = new Map<string, OutlineKind>([
  ["function", "function"],
  ["interface", "interface"],
  ["type", "type"],
  ["class", "class"],
  ["enum", "enum"],
  ["const enum", "enum"],
  ["namespace", "namespace"],
]);

/** Each name once, at its first declaration. */
export async function outermostNames(file: string, source: string): Promise<Declaration[]> {
  const found = new Map<string, Declaration>();
  let container: string | undefined;
  let level: number | undefined;
  await forEachYielding(source.split("\n").entries(), ([line, text]) => {
    const [, quoted, global] = CONTAINER.exec(text) ?? [];
    if (quoted !== undefined || global !== undefined) {
      container = quoted?.replaceAll("'", '"') ?? global;
      level = undefined;
    } else if (text.startsWith("}")) container = undefined;
    const [match, indent = "", keyword = "", name = ""] = DECLARATION.exec(text) ?? [];
    if (match === undefined || (indent !== "" && container === undefined)) return;
    if (indent !== "") level ??= indent.length;
    if (indent.length > Math.min(level ?? 0, ONE_LEVEL)) return;
    const path = indent === "" ? name : `${container}.${name}`;
    if (found.has(path)) return;
    const at = { line, character: match.length - name.length };
    const range = { start: { line, character: 0 }, end: { line, character: text.length } };
    const kind = KINDS.get(keyword) ?? "variable";
    found.set(path, { file, name, path, kind, range, at, ordinal: 1, local: false, maybeAlias: false });
  });
  return [...found.values()];
}
