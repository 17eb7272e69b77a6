/** A seeded random sample that has every kind of symbol in it. */
import { randomFrom } from "../support/fuzz.ts";
import { symbolKinds, type OracleSymbol } from "./symbols.ts";

/** Rare kinds are taken whole; the others share what is left evenly. */
export function sampleSymbols(symbols: readonly OracleSymbol[], count: number, seed: number): OracleSymbol[] {
  const random = randomFrom(seed);
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
