/** Texts that the image runs in the place of a module's source, and what forms have installed beside the source. */
import type { Merged } from "./module-merge.ts";

export interface ReplacedTexts {
  /** The source, or what a form made of it as long as the source stays what it was. */
  readonly textOf: (path: string) => string;
  readonly replacementOf: (path: string) => { readonly base: string; readonly merged: Merged } | undefined;
  /** Answers how to take it back. */
  readonly replace: (path: string, merged: Merged) => () => void;
  /** `evalId` is the form's. */
  readonly installed: (path: string, names: readonly string[], evalId: string) => void;
  /** The form that gave the module this name, or the last that gave it something of it: `Cart.add` is of `Cart`. */
  readonly redefinitionOf: (path: string, name: string) => Redefinition | undefined;
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
    redefinitionOf: (path, wanted) => {
      const found = [...(names.get(path) ?? [])].findLast(([name]) => isWithin(wanted, name) || isWithin(name, wanted));
      return found === undefined ? undefined : { name: found[0], evalId: found[1] };
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
