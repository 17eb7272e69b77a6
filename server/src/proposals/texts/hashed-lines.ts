/** A text as the list of its lines, none of which is a string of its own: hundreds of thousands would take a while to make. */

export interface HashedLines {
  readonly text: string;
  readonly count: number;
  /** Where each line starts, and where the last one ends. A line ends behind its line feed. */
  readonly starts: Int32Array;
  readonly hashes: Int32Array;
}

const LINE_FEED = 10;
const HASH_SEED = 5381;

export function hashedLines(text: string): HashedLines {
  const starts = [0];
  const hashes: number[] = [];
  let hash = HASH_SEED;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    hash = (Math.imul(hash, 33) + code) | 0;
    if (code !== LINE_FEED && at + 1 < text.length) continue;
    hashes.push(hash);
    starts.push(at + 1);
    hash = HASH_SEED;
  }
  return { text, count: hashes.length, starts: Int32Array.from(starts), hashes: Int32Array.from(hashes) };
}

export function isSameLine(a: HashedLines, line: number, b: HashedLines, other: number): boolean {
  if (a.hashes[line] !== b.hashes[other]) return false;
  const start = a.starts[line] ?? 0;
  const shift = (b.starts[other] ?? 0) - start;
  const end = a.starts[line + 1] ?? 0;
  if (end + shift !== b.starts[other + 1]) return false;
  for (let at = start; at < end; at += 1) if (a.text.charCodeAt(at) !== b.text.charCodeAt(at + shift)) return false;
  return true;
}
