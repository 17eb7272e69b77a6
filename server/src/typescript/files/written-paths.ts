/** The paths that the texts of files name, read once for all questions about files that move. */
import { TextFacts } from "./file-text.ts";

export interface WrittenPaths {
  /** The specifiers of `declare module "./foo"`, and where each begins. */
  readonly augmented: readonly { readonly specifier: string; readonly start: number }[];
  /** What is quoted and begins as a relative path, with the line, counted from 1. */
  readonly quoted: readonly { readonly path: string; readonly line: number }[];
}

const AUGMENTED = /\bdeclare\s+module\s+["']([^"'\n]+)["']/g;
const QUOTED = /["'`](\.{1,2}\/[^"'`\n]*)["'`]|\n/g;

export const writtenPaths = new TextFacts<WrittenPaths>((text) => {
  const augmented = text.includes("module")
    ? [...text.matchAll(AUGMENTED)].map(({ index, 0: whole, 1: specifier = "" }) => ({
        specifier,
        start: index + whole.length - 1 - specifier.length,
      }))
    : [];
  const quoted: { path: string; line: number }[] = [];
  let line = 1;
  for (const [, path] of text.matchAll(QUOTED)) {
    if (path === undefined) line += 1;
    else quoted.push({ path, line });
  }
  return { augmented, quoted };
});
