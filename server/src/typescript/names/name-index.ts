/** The names that files declare, each once with its declarations, kept until a file changes: what a search goes through. */
import type { Declaration } from "./outline.ts";

export class NameIndex {
  /** Files so large that only their outermost names are known. */
  readonly outermostOnly = new Set<string>();
  readonly #byFile = new Map<string, readonly Declaration[]>();
  readonly #byName = new Map<string, Declaration[]>();

  has(file: string): boolean {
    return this.#byFile.has(file);
  }

  add(file: string, declarations: readonly Declaration[]): void {
    this.forget(file);
    this.#byFile.set(file, declarations);
    for (const declaration of declarations) {
      const known = this.#byName.get(declaration.name);
      if (known === undefined) this.#byName.set(declaration.name, [declaration]);
      else known.push(declaration);
    }
  }

  forget(file: string): void {
    this.outermostOnly.delete(file);
    const declarations = this.#byFile.get(file);
    if (declarations === undefined) return;
    this.#byFile.delete(file);
    for (const name of new Set(declarations.map((declaration) => declaration.name))) {
      const left = (this.#byName.get(name) ?? []).filter((declaration) => declaration.file !== file);
      if (left.length === 0) this.#byName.delete(name);
      else this.#byName.set(name, left);
    }
  }

  names(): string[] {
    return [...this.#byName.keys()];
  }

  declarations(name: string): readonly Declaration[] {
    return this.#byName.get(name) ?? [];
  }
}
