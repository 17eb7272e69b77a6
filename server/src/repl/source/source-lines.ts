/**
 * Lines of files that stacks name, for the code beside a place. Any program can write a stack that names any file, so
 * little is read: small regular files, each once while it stays as it is, and so much in a second.
 */
import { performance } from "node:perf_hooks";
import { readRegularTextSync } from "../../workspace/regular-file.ts";

export interface SourceLines {
  /** A line (0-based) of the file on disk; undefined for none, and for what is not read. */
  readonly line: (path: string, line: number, stamp: string) => string | undefined;
}

const MAX_BYTES = 1024 * 1024;
const MAX_BYTES_A_SECOND = 8 * MAX_BYTES;
const KEPT = 8;

export function createSourceLines(): SourceLines {
  const kept = new Map<string, { readonly stamp: string; readonly text: string | undefined }>();
  let since = 0;
  let spent = 0;
  const textOf = (path: string, stamp: string): string | undefined => {
    const known = kept.get(path);
    kept.delete(path);
    const now = performance.now();
    if (now - since > 1000) [since, spent] = [now, 0];
    if (known?.stamp !== stamp && spent > MAX_BYTES_A_SECOND) return undefined;
    const current = known?.stamp === stamp ? known : { stamp, text: read(path) };
    if (current !== known) spent += current.text?.length ?? 0;
    kept.set(path, current);
    for (const oldest of kept.keys()) if (kept.size > KEPT) kept.delete(oldest);
    return current.text;
  };
  return {
    line: (path, line, stamp) => {
      const text = stamp === "missing" ? undefined : textOf(path, stamp);
      return text === undefined ? undefined : lineOf(text, line);
    },
  };
}

/**
 * One line of a text, found without cutting the text into lines; undefined past the end and in a text that is too
 * large.
 */
export function lineOf(text: string, line: number): string | undefined {
  if (text.length > MAX_BYTES) return undefined;
  let start = 0;
  for (let at = 0; at < line; at++) {
    const end = text.indexOf("\n", start);
    if (end < 0) return undefined;
    start = end + 1;
  }
  const end = text.indexOf("\n", start);
  return text.slice(start, end < 0 ? undefined : end);
}

function read(path: string): string | undefined {
  try {
    return readRegularTextSync(path, { limit: MAX_BYTES, lossy: true });
  } catch {
    return undefined;
  }
}
