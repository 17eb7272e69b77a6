/**
 * Which lines go and which come between two lists of lines: the shortest such difference (E. Myers, "An O(ND) Difference
 * Algorithm and Its Variations", 1986), and a near one where the shortest would take too long.
 */
import { isSameLine, type HashedLines } from "./hashed-lines.ts";

export interface LinePath {
  /** 1 for a line that goes, by its index. */
  readonly gone: Uint8Array;
  /** 1 for a line that comes. */
  readonly added: Uint8Array;
}

interface Reached {
  readonly x: number;
  readonly y: number;
  readonly isEnd: boolean;
}

/** So many lines that go or come are looked for at once: first for the shortest difference of all, then piece by piece. */
const MAX_SHORTEST = 800;
const MAX_PIECE = 128;
/** What is left after so many steps is one change. */
const MAX_STEPS = 2_000_000;

export function linePath(a: HashedLines, b: HashedLines): LinePath {
  const steps = linePathInSteps(a, b);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** The same for somebody who does something else in between; a step takes a few milliseconds at most. */
export function* linePathInSteps(a: HashedLines, b: HashedLines): Generator<undefined, LinePath> {
  const shortest = new Search(a, b);
  if (shortest.advance({ x: 0, y: 0 }, MAX_SHORTEST).isEnd) return shortest.path;
  const near = new Search(a, b);
  let at: Reached = { x: 0, y: 0, isEnd: false };
  while (!at.isEnd && near.steps < MAX_STEPS) {
    yield;
    at = near.advance(at, MAX_PIECE);
  }
  if (!at.isEnd) near.replaceRest(at);
  return near.path;
}

/**
 * A round is an array by diagonal, with two places to spare at each end: twice the old lines passed, and 1 more where the
 * last step passed an old line.
 */
type Round = Int32Array;

const NONE = -1;
const SPARE = 2;

class Search {
  readonly path: LinePath;
  steps = 0;
  readonly #a: HashedLines;
  readonly #b: HashedLines;

  constructor(a: HashedLines, b: HashedLines) {
    this.#a = a;
    this.#b = b;
    this.path = { gone: new Uint8Array(a.count), added: new Uint8Array(b.count) };
  }

  /** Goes on from there to the end, or as far as `most` lines that go or come lead, and notes these lines. */
  advance(from: Pick<Reached, "x" | "y">, most: number): Reached {
    const [oldLength, newLength] = [this.#a.count - from.x, this.#b.count - from.y];
    const rounds: Round[] = [];
    let [lowest, highest] = [-most, most];
    for (let distance = 0; distance <= most && this.steps < MAX_STEPS; distance += 1) {
      const before = rounds.at(-1);
      const round = new Int32Array(2 * (distance + SPARE) + 1).fill(NONE);
      rounds.push(round);
      // What has passed all lines of one side goes no further to that side.
      const first = Math.max(lowest, -distance);
      for (let diagonal = first + ((first + distance) & 1); diagonal <= Math.min(highest, distance); diagonal += 2) {
        const step = before === undefined ? 0 : stepTo(diagonal, before, oldLength, newLength);
        if (step === NONE) continue;
        const x = this.#pastCommon(from, step >> 1, diagonal);
        const y = x - diagonal;
        round[diagonal + distance + SPARE] = x * 2 + (step & 1);
        if (x >= oldLength && y >= newLength) {
          this.#note(rounds, from, diagonal);
          return { x: from.x + x, y: from.y + y, isEnd: true };
        }
        if (x >= oldLength) highest = Math.min(highest, diagonal - 1);
        if (y >= newLength) lowest = Math.max(lowest, diagonal + 1);
      }
    }
    const diagonal = furthestIn(rounds.at(-1) ?? new Int32Array(1));
    const x = this.#note(rounds, from, diagonal);
    return { x: from.x + x, y: from.y + x - diagonal, isEnd: false };
  }

  replaceRest({ x, y }: Reached): void {
    this.path.gone.fill(1, x);
    this.path.added.fill(1, y);
  }

  #pastCommon(from: Pick<Reached, "x" | "y">, start: number, diagonal: number): number {
    const a = this.#a;
    const b = this.#b;
    let old = from.x + start;
    let next = from.y + start - diagonal;
    while (old < a.count && next < b.count && isSameLine(a, old, b, next)) {
      old += 1;
      next += 1;
    }
    this.steps += 1 + old - from.x - start;
    return old - from.x;
  }

  /** Goes back from a diagonal of the last round to the beginning; answers how many old lines the way has passed. */
  #note(rounds: readonly Round[], from: Pick<Reached, "x" | "y">, last: number): number {
    let diagonal = last;
    const end = rounds.at(-1)?.[diagonal + rounds.length - 1 + SPARE] ?? 0;
    for (let distance = rounds.length - 1; distance > 0; distance -= 1) {
      const isGone = ((rounds[distance]?.[diagonal + distance + SPARE] ?? 0) & 1) === 1;
      diagonal += isGone ? -1 : 1;
      const x = (rounds[distance - 1]?.[diagonal + distance - 1 + SPARE] ?? 0) >> 1;
      if (isGone) this.path.gone[from.x + x] = 1;
      else this.path.added[from.y + x - diagonal] = 1;
    }
    return end >> 1;
  }
}

/** The step to a diagonal from one of its neighbours in the round before; `NONE` where no step leads there. */
function stepTo(diagonal: number, before: Round, oldLength: number, newLength: number): number {
  const middle = (before.length - 1) >> 1;
  // Shifted, `NONE` stays what it is.
  const left = (before[diagonal - 1 + middle] ?? NONE) >> 1;
  const right = (before[diagonal + 1 + middle] ?? NONE) >> 1;
  const canGo = left !== NONE && left < oldLength;
  const canCome = right !== NONE && right - diagonal >= 1 && right - diagonal <= newLength;
  if (!canGo && !canCome) return NONE;
  return !canGo || (canCome && left < right) ? right * 2 : (left + 1) * 2 + 1;
}

/** The diagonal of the round on which the most lines of both sides are passed. */
function furthestIn(round: Round): number {
  const middle = (round.length - 1) / 2;
  let [best, most] = [0, NONE];
  for (const [index, value] of round.entries()) {
    const passed = value === NONE ? NONE : (value >> 1) * 2 - (index - middle);
    if (passed > most) [best, most] = [index - middle, passed];
  }
  return best;
}
