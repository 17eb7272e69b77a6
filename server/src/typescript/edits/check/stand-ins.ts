/**
 * Files in folders that are not on disk yet. 7.0.2 resolves no import into such a folder: its module resolution asks
 * the disk alone whether a folder exists, whatever documents are open in the folder. So the text of such a file is
 * put into the nearest folder that exists, under its path as a name, and the imports of all texts lead there.
 */
import { existsSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { specifier } from "../../expand/specifier.ts";
import { specifiersIn, stemOf } from "../../files/packages/specifiers.ts";

/** In names it looks like a slash, and no file system takes it for one. */
const SLASH = "\u2215";
const SPECIFIER = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*(?<quote>["'`])(?<name>[^"'`\n]+)\k<quote>/dg;
const PATH = /^\.{1,2}(?:\/|$)/;

interface Rewritten {
  readonly start: number;
  readonly name: string;
  readonly written: string;
}

export interface Problem {
  readonly pos: number;
  readonly end: number;
  readonly code: number;
  readonly text: string;
}

export class StandIns {
  readonly #texts: ReadonlyMap<string, string | null>;
  readonly #folders = new Map<string, string>();
  readonly #rewritten = new Map<string, readonly Rewritten[]>();

  constructor(texts: ReadonlyMap<string, string | null>) {
    this.#texts = texts;
    for (const [file, text] of texts) if (text !== null) this.#learn(dirname(file));
  }

  get isNeeded(): boolean {
    return this.#folders.size > 0;
  }

  /** Why the imports cannot be led to the files; undefined when they can. */
  whyNot(): string | undefined {
    const created = [...this.#texts].flatMap(([file, text]) =>
      text !== null && this.placeOf(file) !== file ? file : [],
    );
    const config = created.find((file) => /^(?:package|tsconfig.*|jsconfig)\.json$/.test(basename(file)));
    if (config !== undefined) return `${basename(config)} comes into a folder that does not exist yet.`;
    const stems = new Set(created.flatMap((file) => [stemOf(file), stemOf(dirname(file))]));
    const names = [...this.#texts.values()].flatMap((text) => (text === null ? [] : specifiersIn(text)));
    const other = names.find((name) => !PATH.test(name) && stems.has(stemOf(name)));
    return other === undefined
      ? undefined
      : `"${other}" may name a file in a folder that does not exist yet, where no import is resolved.`;
  }

  /** The place of a file's text. */
  placeOf(file: string): string {
    const existing = this.#folders.get(dirname(file));
    return existing === undefined ? file : join(existing, relative(existing, file).split(sep).join(SLASH));
  }

  /** The text with imports that lead to the places of the files. */
  textOf(file: string, text: string): string {
    const rewritten: Rewritten[] = [];
    let result = "";
    let at = 0;
    for (const match of text.matchAll(SPECIFIER)) {
      const [start = 0, end = 0] = match.indices?.groups?.["name"] ?? [];
      const name = text.slice(start, end);
      const written = PATH.test(name) ? this.#specifier(file, name) : name;
      if (written === name) continue;
      result += text.slice(at, start) + written;
      rewritten.push({ start, name, written });
      at = end;
    }
    this.#rewritten.set(file, rewritten);
    return result + text.slice(at);
  }

  /** A problem in the text of `textOf` as one of the text itself. */
  inOriginal(file: string, problem: Problem): Problem {
    const rewritten = this.#rewritten.get(file) ?? [];
    let text = problem.text.replaceAll(SLASH, "/");
    for (const { name, written } of rewritten) {
      text = text.replaceAll(`'${written.replaceAll(SLASH, "/")}'`, `'${name}'`);
    }
    return { ...problem, pos: offsetIn(rewritten, problem.pos), end: offsetIn(rewritten, problem.end), text };
  }

  #specifier(file: string, name: string): string {
    const target = join(dirname(file), name);
    const folder = this.#folders.get(dirname(target));
    const index = this.#folders.has(target) ? `${target}${sep}index` : target;
    const place = folder === undefined && index === target ? target : this.placeOf(index);
    return this.placeOf(file) === file && place === target ? name : specifier(this.placeOf(file), place);
  }

  /** Every folder that does not exist, with the nearest one above that does. */
  #learn(folder: string): void {
    if (existsSync(folder)) return;
    let existing = dirname(folder);
    const missing = [folder];
    while (!existsSync(existing) && existing !== dirname(existing)) {
      missing.push(existing);
      existing = dirname(existing);
    }
    for (const each of missing) this.#folders.set(each, existing);
  }
}

/** The offset before the specifiers were rewritten; inside of one, its beginning or its end. */
function offsetIn(rewritten: readonly Rewritten[], offset: number): number {
  let shift = 0;
  for (const { start, name, written } of rewritten) {
    if (offset <= start + shift) break;
    if (offset < start + shift + written.length) return start;
    shift += written.length - name.length;
  }
  return offset - shift;
}
