/**
 * Lines of files that stacks name, to show the code at a place. Any program can write a stack that names any file, so
 * reading is limited: small regular files only, each once while it does not change, and `MAX_BYTES_A_SECOND` in a
 * second.
 */
import { performance } from "node:perf_hooks";
import { readRegularTextSync } from "../../workspace/regular-file.ts";

const MAX_BYTES = 1024 * 1024;
const MAX_BYTES_A_SECOND = 8 * MAX_BYTES;
const KEPT = 8;

interface KeptText {
  readonly stamp: string;
  /** Undefined for a file that was not read. */
  readonly text: string | undefined;
}

export class SourceLines {
  readonly #kept = new Map<string, KeptText>();
  #since = 0;
  #spent = 0;

  /** A line (0-based) of the file on disk; undefined when the file or the line does not exist or is not read. */
  line(path: string, line: number, stamp: string): string | undefined {
    const text = stamp === "missing" ? undefined : this.#textOf(path, stamp);
    return text === undefined ? undefined : lineOf(text, line);
  }

  #textOf(path: string, stamp: string): string | undefined {
    const known = this.#kept.get(path);
    this.#kept.delete(path);
    const now = performance.now();
    if (now - this.#since > 1000) [this.#since, this.#spent] = [now, 0];
    if (known?.stamp !== stamp && this.#spent > MAX_BYTES_A_SECOND) return undefined;
    const current = known?.stamp === stamp ? known : { stamp, text: read(path) };
    if (current !== known) this.#spent += current.text?.length ?? 0;
    this.#kept.set(path, current);
    for (const oldest of this.#kept.keys()) if (this.#kept.size > KEPT) this.#kept.delete(oldest);
    return current.text;
  }
}

/** One line of a text, found without splitting the text; undefined after the end and in a text that is too large. */
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
