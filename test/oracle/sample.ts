/** A seeded random sample that has every kind of symbol in it. */
import { symbolKinds, type OracleSymbol } from "./symbols.ts";

/** Rare kinds are taken whole; the others share what is left evenly. */
export function sampleSymbols(symbols: readonly OracleSymbol[], count: number, seed: number): OracleSymbol[] {
  const random = mulberry32(seed);
  const shuffled = symbols
    .toSorted((a, b) => (a.address < b.address ? -1 : 1))
    .map((symbol) => ({ symbol, rank: random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ symbol }) => symbol);
  const queues = symbolKinds.map((kind) => shuffled.filter((symbol) => symbol.kind === kind));
  const sample: OracleSymbol[] = [];
  for (let round = 0; sample.length < count && queues.some((queue) => queue.length > round); round += 1) {
    for (const queue of queues) {
      const symbol = queue[round];
      if (symbol !== undefined && sample.length < count) sample.push(symbol);
    }
  }
  return sample;
}

/** A small generator of which the same seed gives the same numbers everywhere. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
