/** Texts that the image runs in the place of a module's source, and the names that forms have installed in modules. */
import type { Merged } from "../redefine/module-merge.ts";

/** A text that a form made of a source: the text holds as long as the source stays `base`. */
interface ReplacedText {
  readonly base: string;
  readonly merged: Merged;
}

export interface Redefinition {
  readonly evalId: string;
  /** What was installed. */
  readonly name: string;
}

export class ReplacedTexts {
  readonly #read: (path: string) => string;
  readonly #replaced = new Map<string, ReplacedText>();
  /** By module and name: the form, the latest last. */
  readonly #names = new Map<string, Map<string, string>>();

  constructor(read: (path: string) => string) {
    this.#read = read;
  }

  /** The source, or what a form made of the source as long as the source stays what it was. */
  textOf(path: string): string {
    const text = this.#read(path);
    const known = this.#replaced.get(path);
    if (known === undefined || known.base === text) return known?.merged.text ?? text;
    this.#replaced.delete(path);
    return text;
  }

  replacementOf(path: string): ReplacedText | undefined {
    return this.#replaced.get(path);
  }

  /** Answers how to take the replacement back. */
  replace(path: string, merged: Merged): () => void {
    const earlier = this.#replaced.get(path);
    this.#replaced.set(path, { base: this.#read(path), merged });
    return () => {
      if (earlier === undefined) this.#replaced.delete(path);
      else this.#replaced.set(path, earlier);
    };
  }

  installed(path: string, names: readonly string[], evalId: string): void {
    const known = this.#names.get(path) ?? new Map<string, string>();
    for (const name of names) {
      known.delete(name);
      known.set(name, evalId);
    }
    this.#names.set(path, known);
  }

  /**
   * Installations under this name, the latest last: the last one of the whole, then those of its parts (`Cart.add` of
   * `Cart`).
   */
  redefinitionsOf(path: string, wanted: string): readonly Redefinition[] {
    const all = [...(this.#names.get(path) ?? [])].map(([name, evalId]) => ({ name, evalId }));
    const found = all.filter(({ name }) => isWithin(wanted, name) || isWithin(name, wanted));
    const whole = found.findLastIndex(({ name }) => isWithin(wanted, name));
    return found.slice(Math.max(0, whole));
  }

  /** The names that were installed in a module, told once: when the module was loaded anew without them. */
  takeInstalled(path: string): readonly string[] {
    const gone = [...(this.#names.get(path)?.keys() ?? [])];
    this.#names.delete(path);
    return gone;
  }
}

function isWithin(name: string, outer: string): boolean {
  return name === outer || name.startsWith(`${outer}.`);
}
