/** Maps positions of generated code to positions in the person's text. All lines and columns are 0-based. */
import { SourceMap } from "node:module";
import type { SourceMapJson } from "./transpile.ts";

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Gives the original position of a generated position; undefined where the code has no origin. */
export type PositionMapper = (position: Position) => Position | undefined;

/**
 * `ofLine`: code before its line's first mapping has no origin. Without it, such code gets the origin of the line
 * above.
 */
export function mapperOf(map: SourceMapJson | undefined, ofLine = false): PositionMapper {
  if (map === undefined) return (position) => position;
  let parsed: SourceMap | undefined;
  return ({ line, column }) => {
    parsed ??= new SourceMap({ ...map, file: "", sourceRoot: "", sourcesContent: [] } as never);
    const entry = parsed.findEntry(line, column);
    if (!("originalLine" in entry) || (ofLine && entry.generatedLine !== line)) return undefined;
    return { line: entry.originalLine, column: entry.originalColumn };
  };
}

export function chain(outer: PositionMapper, inner: PositionMapper): PositionMapper {
  return (position) => {
    const between = outer(position);
    return between === undefined ? undefined : inner(between);
  };
}

export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const line = before.split("\n").length - 1;
  return { line, column: offset - (before.lastIndexOf("\n") + 1) };
}
