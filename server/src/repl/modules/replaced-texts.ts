/** Texts that the image runs in the place of a module's source, and what forms have installed beside the source. */
import type { Merged } from "./module-merge.ts";

export interface ReplacedTexts {
  /** The source, or what a form made of it as long as the source stays what it was. */
  readonly textOf: (path: string) => string;
  readonly replacementOf: (path: string) => { readonly base: string; readonly merged: Merged } | undefined;
  /** Answers how to take it back. */
  readonly replace: (path: string, merged: Merged) => () => void;
  readonly installed: (path: string, names: readonly string[]) => void;
  /** The names that were installed in a module, which is told once: when it was loaded anew without them. */
  readonly takeInstalled: (path: string) => readonly string[];
}

export function createReplacedTexts(read: (path: string) => string): ReplacedTexts {
  const replaced = new Map<string, { readonly base: string; readonly merged: Merged }>();
  const names = new Map<string, ReadonlySet<string>>();
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
    installed: (path, more) => void names.set(path, new Set([...(names.get(path) ?? []), ...more])),
    takeInstalled: (path) => {
      const gone = [...(names.get(path) ?? [])];
      names.delete(path);
      return gone;
    },
  };
}
