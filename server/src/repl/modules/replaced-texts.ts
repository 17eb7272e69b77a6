/** Texts that the image runs in the place of a module's source, and what forms have installed beside the source. */
import type { Merged } from "../redefine/module-merge.ts";

export interface ReplacedTexts {
  /** The source, or what a form made of it as long as the source stays what it was. */
  readonly textOf: (path: string) => string;
  readonly replacementOf: (path: string) => { readonly base: string; readonly merged: Merged } | undefined;
  /** Answers how to take it back. */
  readonly replace: (path: string, merged: Merged) => () => void;
  /** `evalId` is the form's. */
  readonly installed: (path: string, names: readonly string[], evalId: string) => void;
  /** What forms gave the module of this name, the latest last: all of it, and since then parts of it (`Cart.add` of `Cart`). */
  readonly redefinitionsOf: (path: string, name: string) => readonly Redefinition[];
  /** The names that were installed in a module, which is told once: when it was loaded anew without them. */
  readonly takeInstalled: (path: string) => readonly string[];
}

export interface Redefinition {
  readonly evalId: string;
  /** What was installed. */
  readonly name: string;
}

export function createReplacedTexts(read: (path: string) => string): ReplacedTexts {
  const replaced = new Map<string, { readonly base: string; readonly merged: Merged }>();
  /** By module and name: the form, the latest last. */
  const names = new Map<string, Map<string, string>>();
  return {
    textOf: (path) => {
      const text = read(path);
      const known = replaced.get(path);
      if (known === undefined || known.base === text) return known?.merged.text ?? text;
      replaced.delete(path);
      return text;
    },
    replacementOf: (path) => replaced.get(path),
    replace: (path, merged) => {
      const earlier = replaced.get(path);
      replaced.set(path, { base: read(path), merged });
      return () => {
        if (earlier === undefined) replaced.delete(path);
        else replaced.set(path, earlier);
      };
    },
    installed: (path, more, evalId) => {
      const known = names.get(path) ?? new Map<string, string>();
      for (const name of more) {
        known.delete(name);
        known.set(name, evalId);
      }
      names.set(path, known);
    },
    redefinitionsOf: (path, wanted) => {
      const all = [...(names.get(path) ?? [])].map(([name, evalId]) => ({ name, evalId }));
      const found = all.filter(({ name }) => isWithin(wanted, name) || isWithin(name, wanted));
      const whole = found.findLastIndex(({ name }) => isWithin(wanted, name));
      return found.slice(Math.max(0, whole));
    },
    takeInstalled: (path) => {
      const gone = [...(names.get(path)?.keys() ?? [])];
      names.delete(path);
      return gone;
    },
  };
}

function isWithin(name: string, outer: string): boolean {
  return name === outer || name.startsWith(`${outer}.`);
}
