/** Places in a package as both sides can name them: `src/file.ts:12:3`, counted from 1. */
import ts from "@typescript/typescript6";
import path from "node:path";

/** `src/file.ts:12:3` inside the project; the file's name alone, `lib.dom.d.ts`, for the language's own declarations. */
export type Place = string;

export function placeOf(folder: string, file: string, line: number, character: number): Place {
  const relative = path.relative(folder, file).split(path.sep).join("/");
  // Each compiler brings its own copy of the language's declarations, with other lines in some.
  if (relative.startsWith("..")) return path.basename(file);
  return `${relative}:${line + 1}:${character + 1}`;
}

export function offsetPlace(folder: string, source: ts.SourceFile, offset: number): Place {
  const { line, character } = source.getLineAndCharacterOfPosition(offset);
  return placeOf(folder, source.fileName, line, character);
}

/** Where a node's own text starts. */
export function startPlace(folder: string, node: ts.Node): Place {
  const source = node.getSourceFile();
  return offsetPlace(folder, source, node.getStart(source));
}

/** Undefined for one of the language's own declarations. */
export function splitPlace(place: Place): { file: string; line: number; character: number } | undefined {
  const match = /^(.*):(\d+):(\d+)$/.exec(place);
  if (match === null) return undefined;
  return { file: match[1] ?? "", line: Number(match[2]) - 1, character: Number(match[3]) - 1 };
}

/** The innermost token that starts at, or holds, an offset. */
export function tokenAt(source: ts.SourceFile, offset: number): ts.Node {
  let at: ts.Node = source;
  for (;;) {
    const inner: ts.Node | undefined = at
      .getChildren(source)
      .find((child) => child.getStart(source) <= offset && offset < child.end);
    if (inner === undefined) return at;
    at = inner;
  }
}
