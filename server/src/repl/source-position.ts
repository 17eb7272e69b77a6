/** Positions between generated code and what the person wrote. All lines and columns are 0-based. */
import { SourceMap } from "node:module";
import type { SourceMapJson } from "./transpile.ts";

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The original position of a generated one; undefined where the code has no origin. */
export type PositionMapper = (position: Position) => Position | undefined;

export function mapperOf(map: SourceMapJson | undefined): PositionMapper {
  if (map === undefined) return (position) => position;
  let parsed: SourceMap | undefined;
  return ({ line, column }) => {
    parsed ??= new SourceMap({ ...map, file: "", sourceRoot: "", sourcesContent: [] } as never);
    const entry = parsed.findEntry(line, column);
    if (!("originalLine" in entry)) return undefined;
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

/**
 * Moves every mapping of the first generated line to the right, for a prefix that was put before it. Columns within a
 * line are relative, so only the first number of the first segment changes.
 */
export function shiftFirstLine(map: SourceMapJson, columns: number): SourceMapJson {
  const end = map.mappings.search(/[;]|$/);
  const line = map.mappings.slice(0, end);
  if (line === "") return map;
  const { value, length } = decodeVlq(line);
  return { ...map, mappings: encodeVlq(value + columns) + map.mappings.slice(length) };
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function decodeVlq(text: string): { value: number; length: number } {
  let value = 0;
  let shift = 0;
  for (let index = 0; index < text.length; index++) {
    const digit = DIGITS.indexOf(text.charAt(index));
    value |= (digit & 31) << shift;
    shift += 5;
    if ((digit & 32) === 0) return { value: value & 1 ? -(value >> 1) : value >> 1, length: index + 1 };
  }
  return { value: 0, length: 0 };
}

function encodeVlq(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1;
  let text = "";
  do {
    const digit = rest & 31;
    rest >>>= 5;
    text += DIGITS.charAt(rest > 0 ? digit | 32 : digit);
  } while (rest > 0);
  return text;
}
