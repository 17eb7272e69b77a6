/** Pairs the lines of one text with those of another. Pure. */

/** Two lines that are paired, or a line of one side alone. Indexes begin at 0. */
export interface Row {
  readonly old?: number;
  readonly new?: number;
}

/** Above this many pairs of lines nobody waits for the best alignment. */
const MAX_PAIRS = 20_000;
const MIN_SIMILARITY = 0.4;
/** A line that stays is worth more than lines that are alike. */
const SAME = 2;

/** The lines of a text with their line endings; only the last one may have none. */
export function linesOf(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

/**
 * Texts of equally many lines are paired by index, others by the alignment in which the pairs are most alike. Between
 * two pairs, lines that go come before lines that are new.
 */
export function rowsBetween(old: readonly string[], now: readonly string[]): Row[] {
  const pairs =
    old.length === now.length || old.length * now.length > MAX_PAIRS ? byIndex(old, now) : aligned(old, now);
  const rows: Row[] = [];
  let [oldAt, newAt] = [0, 0];
  const alone = (oldEnd: number, newEnd: number): void => {
    for (; oldAt < oldEnd; oldAt += 1) rows.push({ old: oldAt });
    for (; newAt < newEnd; newAt += 1) rows.push({ new: newAt });
  };
  for (const [first, second] of pairs) {
    alone(first, second);
    rows.push({ old: first, new: second });
    oldAt = first + 1;
    newAt = second + 1;
  }
  alone(old.length, now.length);
  return rows;
}

function byIndex(old: readonly string[], now: readonly string[]): [number, number][] {
  return Array.from({ length: Math.min(old.length, now.length) }, (_, index) => [index, index]);
}

/** `best[i][j]` is the most that the lines from `i` and from `j` on can be worth. */
function aligned(old: readonly string[], now: readonly string[]): [number, number][] {
  const numbers = new Map<string, number>();
  const wordsOf = (line: string): Words => wordsIn(line, numbers);
  const [oldWords, newWords] = [old.map(wordsOf), now.map(wordsOf)];
  const worth = (i: number, j: number): number => {
    if (old[i] === now[j]) return SAME;
    const similarity = likeness(oldWords[i] ?? NONE, newWords[j] ?? NONE);
    return similarity < MIN_SIMILARITY ? 0 : similarity;
  };
  const values = old.map((_, i) => now.map((__, j) => worth(i, j)));
  const best = [...old, ""].map(() => new Float64Array(now.length + 1));
  const at = (i: number, j: number): number => best[i]?.[j] ?? 0;
  const paired = (i: number, j: number): number => {
    const value = values[i]?.[j] ?? 0;
    return value === 0 ? 0 : value + at(i + 1, j + 1);
  };
  for (const [i, row] of [...best.entries()].toReversed().slice(1)) {
    for (let j = now.length - 1; j >= 0; j -= 1) row[j] = Math.max(at(i + 1, j), at(i, j + 1), paired(i, j));
  }
  const pairs: [number, number][] = [];
  for (let [i, j] = [0, 0]; i < old.length && j < now.length;) {
    const isPair = paired(i, j) > 0 && paired(i, j) >= at(i, j);
    if (isPair) pairs.push([i, j]);
    const goesOld = !isPair && at(i + 1, j) >= at(i, j + 1);
    if (isPair || goesOld) i += 1;
    if (!goesOld) j += 1;
  }
  return pairs;
}

/** The numbers of a line's words, sorted: each pair of lines is compared. */
type Words = Int32Array;

const NONE: Words = new Int32Array();

function wordsIn(line: string, numbers: Map<string, number>): Words {
  const words = line.match(/[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]/gu) ?? [];
  for (const word of words) if (!numbers.has(word)) numbers.set(word, numbers.size);
  return Int32Array.from(words, (word) => numbers.get(word) ?? -1).toSorted();
}

/** From 0, nothing in common, to 1, the same words. */
function likeness(one: Words, other: Words): number {
  let common = 0;
  for (let [i, j] = [0, 0]; i < one.length && j < other.length;) {
    const difference = (one[i] ?? 0) - (other[j] ?? 0);
    if (difference === 0) common += 1;
    if (difference <= 0) i += 1;
    if (difference >= 0) j += 1;
  }
  const all = one.length + other.length;
  return all === 0 ? 0 : (2 * common) / all;
}
