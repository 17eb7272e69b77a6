/** Positions between generated code and what the person wrote. All lines and columns are 0-based. */
import { SourceMap } from "node:module";
import type { SourceMapJson } from "./transpile.ts";

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The original position of a generated one; undefined where the code has no origin. */
export type PositionMapper = (position: Position) => Position | undefined;

/** `ofLine`: what stands on a line before its first mapping has no origin; else it has that of the line above. */
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

/**
 * Moves every mapping of a generated line at or after `column` to the right, for text that was put in there. Columns
 * within a line are relative, so only the first number of one segment changes.
 */
export function shiftLine(map: SourceMapJson, line: number, column: number, by: number): SourceMapJson {
  const { mappings } = map;
  let start = 0;
  for (let skipped = 0; skipped < line; skipped++) {
    start = mappings.indexOf(";", start) + 1;
    if (start === 0) return map;
  }
  let at = 0;
  while (start < mappings.length && mappings.charAt(start) !== ";") {
    const { value, length } = decodeVlq(mappings, start);
    at += value;
    if (at >= column) {
      return { ...map, mappings: mappings.slice(0, start) + encodeVlq(value + by) + mappings.slice(start + length) };
    }
    while (start < mappings.length && !/[,;]/.test(mappings.charAt(start))) start++;
    if (mappings.charAt(start) === ",") start++;
  }
  return map;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function decodeVlq(text: string, start: number): { value: number; length: number } {
  let value = 0;
  let shift = 0;
  for (let index = start; index < text.length; index++) {
    const digit = DIGITS.indexOf(text.charAt(index));
    value |= (digit & 31) << shift;
    shift += 5;
    if ((digit & 32) === 0) return { value: value & 1 ? -(value >> 1) : value >> 1, length: index + 1 - start };
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
