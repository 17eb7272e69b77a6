/** What each file declares, exported or not, by the name it is addressed with; read per file and kept until it changes. */
import type { DisplayPaths } from "../../files/display-paths.ts";
import type { Declaration, FileOutline, OutlineKind } from "./declaration.ts";
import { withHandedOver } from "./handed-over.ts";
import { withAssigned } from "./assigned-outline.ts";
import { withExpressionNames } from "./expression-names.ts";
import { fileTextNow } from "../../files/file-text.ts";
import { NameIndex } from "./name-index.ts";
import { uriOf } from "../../../workspace/file-uri.ts";
import { outermostNames } from "./outermost-names.ts";
import type { View } from "../../view.ts";
import type { LspPosition, LspRange } from "../../places.ts";

interface LspSymbol {
  readonly name: string;
  readonly kind: number;
  readonly range: LspRange;
  readonly selectionRange: LspRange;
  readonly children?: readonly LspSymbol[];
}

const KINDS: Readonly<Record<number, OutlineKind>> = {
  2: "namespace",
  3: "namespace",
  5: "class",
  6: "method",
  7: "property",
  9: "constructor",
  10: "enum",
  11: "interface",
  12: "function",
  13: "variable",
  14: "variable",
  22: "enum member",
};

export class OutlineCache {
  /** The names of the files that were searched so far. */
  readonly names = new NameIndex();
  readonly #outlines = new Map<string, Promise<FileOutline>>();

  async of(file: string, view: View): Promise<FileOutline> {
    for (;;) {
      const known = this.#outlines.get(file);
      if (known === undefined) return this.#read(file, view);
      try {
        return await known;
      } catch {
        // The first asker gave up, which is no reason for this question to fail.
        view.signal.throwIfAborted();
        if (this.#outlines.get(file) === known) this.#outlines.delete(file);
      }
    }
  }

  forget(files: Iterable<string>): void {
    for (const file of files) {
      this.#outlines.delete(file);
      this.names.forget(file);
    }
  }

  #read(file: string, view: View): Promise<FileOutline> {
    const outline = readOutline(file, view);
    this.#outlines.set(file, outline);
    const drop = (): void => {
      if (this.#outlines.get(file) === outline) this.#outlines.delete(file);
    };
    // The compiler says nothing of a file that is in no project at that moment: an empty outline is not worth keeping.
    outline.then(({ declarations }) => (declarations.length === 0 ? drop() : undefined), drop);
    return outline;
  }
}

/** Beyond this a file's outline is millions of characters of JSON; its outermost names are taken from its text. */
export const LARGE_FILE = 1_500_000;

/** The note about such a file. */
export function largeNote(paths: DisplayPaths, file: string): string {
  return `${paths.show(file)} is very large: only its outermost names were searched.`;
}

async function readOutline(file: string, view: View): Promise<FileOutline> {
  const large = await view.state.readLarge(file, LARGE_FILE);
  if (large !== undefined) return { file, declarations: await outermostNames(file, large), outermostOnly: true };
  const symbols = await view.request<LspSymbol[] | null>("textDocument/documentSymbol", {
    textDocument: { uri: uriOf(file) },
  });
  const declarations: Declaration[] = [];
  const counts = new Map<string, number>();
  collect(symbols ?? [], { file, prefix: "", inFunction: false, declarations, counts });
  // Variables of one name in several blocks are no overloads of each other.
  const told = declarations.filter(({ local, kind, path }) => !local || kind !== "variable" || counts.get(path) === 1);
  const text = fileTextNow(view, file);
  const all = await withExpressionNames(view, { file, text }, told);
  const assigned = await withAssigned(view, file, all);
  return { file, declarations: withHandedOver(assigned, text), outermostOnly: false };
}

interface Collecting {
  readonly file: string;
  readonly prefix: string;
  readonly inFunction: boolean;
  readonly declarations: Declaration[];
  readonly counts: Map<string, number>;
}

function collect(symbols: readonly LspSymbol[], into: Collecting): void {
  for (const symbol of symbols) {
    const kind = KINDS[symbol.kind] ?? "variable";
    // A function's local variables are no names anyone asks for; the functions and classes inside it are.
    if (into.inFunction && kind === "variable" && !mayBeFunction(symbol)) continue;
    const path = into.prefix + symbol.name;
    const ordinal = (into.counts.get(path) ?? 0) + 1;
    into.counts.set(path, ordinal);
    into.declarations.push({
      file: into.file,
      name: symbol.name,
      path,
      kind,
      range: symbol.range,
      at: kind === "namespace" ? lastName(symbol) : symbol.selectionRange.start,
      ordinal,
      local: into.inFunction,
      maybeAlias: kind === "variable" && into.prefix === "" && endsWithItsName(symbol),
    });
    const isBody = kind === "function" || kind === "method" || kind === "constructor";
    collect(symbol.children ?? [], {
      ...into,
      prefix: `${path}.`,
      inFunction: isBody || into.inFunction,
    });
  }
}

/** `const run = () => {` goes on to another line. The outline does not tell what a variable holds. */
function mayBeFunction({ range: { start, end } }: LspSymbol): boolean {
  return end.line > start.line;
}

/** `namespace A.B` is listed as one: its own name is B, and A's is the outer one. */
function lastName({ name, selectionRange: { start, end } }: LspSymbol): LspPosition {
  const own = /^[\w$]+(?:\.[\w$]+)*\.([\w$]+)$/.exec(name)?.[1];
  return own === undefined || start.line !== end.line
    ? start
    : { line: end.line, character: end.character - own.length };
}

/** `export { name }` and `export { local as name }` end with the name; so does `let name;`, hence only "maybe". */
function endsWithItsName({ range, selectionRange }: LspSymbol): boolean {
  return range.end.line === selectionRange.end.line && range.end.character === selectionRange.end.character;
}
