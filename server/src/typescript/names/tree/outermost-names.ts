/** The outermost names of a file by its text alone, for files whose tree is too large or too many to carry over. */
import type { Declaration, OutlineKind } from "./declaration.ts";
import { forEachYielding } from "../../yielding.ts";

/**
 * A formatted file starts the line of every outermost declaration; what is indented is inside another, and only the
 * insides of a `declare module`, `declare global` or namespace are taken as well.
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
  const reader = new LineReader(file);
  await forEachYielding(source.split("\n").entries(), ([line, text]) => reader.read(line, text));
  return [...reader.found.values()];
}

class LineReader {
  readonly found = new Map<string, Declaration>();
  readonly #file: string;
  /** What is around the lines: the name of a `declare module`, `global` or a namespace. */
  #container: string | undefined;
  /** How far the container's own declarations are indented. */
  #level: number | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  read(line: number, text: string): void {
    this.#enterOrLeave(text);
    const [match, indent = "", keyword = "", name = ""] = DECLARATION.exec(text) ?? [];
    if (match === undefined || !this.#isOutermost(indent)) return;
    const path = indent === "" ? name : `${this.#container}.${name}`;
    if (this.found.has(path)) return;
    const at = { line, character: match.length - name.length };
    const range = { start: { line, character: 0 }, end: { line, character: text.length } };
    const kind = KINDS.get(keyword) ?? "variable";
    const known = { ordinal: 1, local: false, maybeAlias: false };
    this.found.set(path, { file: this.#file, name, path, kind, range, at, ...known });
  }

  #enterOrLeave(text: string): void {
    const [, quoted, global] = CONTAINER.exec(text) ?? [];
    if (quoted !== undefined || global !== undefined) {
      this.#container = quoted?.replaceAll("'", '"') ?? global;
      this.#level = undefined;
    } else if (text.startsWith("}")) this.#container = undefined;
  }

  #isOutermost(indent: string): boolean {
    if (indent === "") return true;
    if (this.#container === undefined) return false;
    this.#level ??= indent.length;
    return indent.length <= Math.min(this.#level, ONE_LEVEL);
  }
}
