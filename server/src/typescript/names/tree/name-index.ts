/** The names that files declare, each once with its declarations, kept until a file changes: what a search goes through. */
import type { Declaration } from "./declaration.ts";

export interface IndexedName {
  readonly name: string;
  /** The name in small letters: most searches do not care about case. */
  readonly lower: string;
  readonly declarations: readonly Declaration[];
}

export class NameIndex {
  /** Files so large that only their outermost names are known. */
  readonly outermostOnly = new Set<string>();
  readonly #byFile = new Map<string, readonly Declaration[]>();
  readonly #byName = new Map<string, IndexedName & { declarations: Declaration[] }>();

  has(file: string): boolean {
    return this.#byFile.has(file);
  }

  add(file: string, declarations: readonly Declaration[]): void {
    this.forget(file);
    this.#byFile.set(file, declarations);
    for (const declaration of declarations) {
      const { name } = declaration;
      const known = this.#byName.get(name);
      if (known !== undefined) known.declarations.push(declaration);
      else this.#byName.set(name, { name, lower: name.toLowerCase(), declarations: [declaration] });
    }
  }

  forget(file: string): void {
    this.outermostOnly.delete(file);
    const declarations = this.#byFile.get(file);
    if (declarations === undefined) return;
    this.#byFile.delete(file);
    for (const name of new Set(declarations.map((declaration) => declaration.name))) {
      const known = this.#byName.get(name);
      if (known === undefined) continue;
      known.declarations = known.declarations.filter((declaration) => declaration.file !== file);
      if (known.declarations.length === 0) this.#byName.delete(name);
    }
  }

  get size(): number {
    return this.#byName.size;
  }

  /** Each name once. Names that come in while a caller walks are among them or not; none is there twice. */
  names(): Iterable<IndexedName> {
    return this.#byName.values();
  }
}
