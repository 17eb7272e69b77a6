/** Texts that the image runs in the place of a module's source, and the names that forms have installed in modules. */
import type { Merged } from "../redefine/module-merge.ts";

/** A text that a form made from a source. It is used as long as the source is `base`. */
interface ReplacedText {
  readonly base: string;
  readonly merged: Merged;
}

export interface Redefinition {
  readonly evalId: string;
  /** The installed name. */
  readonly name: string;
}

export class ReplacedTexts {
  readonly #read: (path: string) => string;
  readonly #replaced = new Map<string, ReplacedText>();
  /** For each module and name, the form that installed it; the latest comes last. */
  readonly #names = new Map<string, Map<string, string>>();

  constructor(read: (path: string) => string) {
    this.#read = read;
  }

  /** The source, or the text that a form made from it as long as the source has not changed. */
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

  /** Returns a function that takes the replacement back. */
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
   * The installations under this name, the latest last: the last installation of the whole, then those of its parts
   * (`Cart.add` of `Cart`).
   */
  redefinitionsOf(path: string, wanted: string): readonly Redefinition[] {
    const all = [...(this.#names.get(path) ?? [])].map(([name, evalId]) => ({ name, evalId }));
    const found = all.filter(({ name }) => isWithin(wanted, name) || isWithin(name, wanted));
    const whole = found.findLastIndex(({ name }) => isWithin(wanted, name));
    return found.slice(Math.max(0, whole));
  }

  /**
   * The names that were installed in a module. They are removed here: they are told once, when the module was reloaded
   * without them.
   */
  takeInstalled(path: string): readonly string[] {
    const gone = [...(this.#names.get(path)?.keys() ?? [])];
    this.#names.delete(path);
    return gone;
  }
}

function isWithin(name: string, outer: string): boolean {
  return name === outer || name.startsWith(`${outer}.`);
}
