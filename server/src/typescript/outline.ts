/** What each file declares, exported or not, by the name it is addressed with; read per file and kept until it changes. */
import { uriOf } from "./open-documents.ts";
import { outermostNames } from "./outermost-names.ts";
import type { LspPosition, LspRange, View } from "./view.ts";

export type OutlineKind =
  | "function"
  | "method"
  | "constructor"
  | "property"
  | "class"
  | "type"
  | "interface"
  | "enum"
  | "enum member"
  | "variable"
  | "namespace";

export interface Declaration {
  readonly file: string;
  readonly name: string;
  /** The full name inside its file: `Outer.member`. */
  readonly path: string;
  /**
   * What the outline tells apart. An own type alias is listed as a class, an accessor as a property, an export specifier as
   * a variable: `inspectDeclaration` tells them apart where it matters.
   */
  readonly kind: OutlineKind;
  readonly range: LspRange;
  /** Where the name stands. */
  readonly at: LspPosition;
  /** Counts the declarations of the same path in this file, from 1. */
  readonly ordinal: number;
  /** True for what only exists inside a function's body. */
  readonly local: boolean;
  /** True when this may be `export { name }` and no declaration of its own. */
  readonly maybeAlias: boolean;
}

export interface FileOutline {
  readonly file: string;
  readonly declarations: readonly Declaration[];
  /** True for a very large file, of which only the outermost names are known. */
  readonly outermostOnly: boolean;
}

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
  readonly #outlines = new Map<string, Promise<FileOutline>>();

  of(file: string, view: View): Promise<FileOutline> {
    const known = this.#outlines.get(file);
    if (known !== undefined) return known;
    const outline = readOutline(file, view);
    this.#outlines.set(file, outline);
    outline.catch(() => this.#outlines.delete(file));
    return outline;
  }

  forget(files: Iterable<string>): void {
    for (const file of files) this.#outlines.delete(file);
  }
}

/** Beyond this a file's outline is millions of characters of JSON; its outermost names are taken from its text. */
const LARGE_FILE = 1_500_000;

async function readOutline(file: string, view: View): Promise<FileOutline> {
  const large = await view.state.readLarge(file, LARGE_FILE);
  if (large !== undefined) return { file, declarations: await outermostNames(file, large), outermostOnly: true };
  const symbols = await view.request<LspSymbol[] | null>("textDocument/documentSymbol", {
    textDocument: { uri: uriOf(file) },
  });
  const declarations: Declaration[] = [];
  const counts = new Map<string, number>();
  collect(symbols ?? [], { file, prefix: "", inFunction: false, declarations, counts });
  return { file, declarations, outermostOnly: false };
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
    if (into.inFunction && kind === "variable") continue;
    const path = into.prefix + symbol.name;
    const ordinal = (into.counts.get(path) ?? 0) + 1;
    into.counts.set(path, ordinal);
    into.declarations.push({
      file: into.file,
      name: symbol.name,
      path,
      kind,
      range: symbol.range,
      at: symbol.selectionRange.start,
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

/** `export { name }` and `export { local as name }` end with the name; so does `let name;`, hence only "maybe". */
function endsWithItsName({ range, selectionRange }: LspSymbol): boolean {
  return range.end.line === selectionRange.end.line && range.end.character === selectionRange.end.character;
}
