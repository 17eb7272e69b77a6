/** Order statistics of a handful of samples. */

/** The value below which the share `part` (0…1) of the samples lies, interpolated between neighbours. */
export function quantile(samples: readonly number[], part: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * part;
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/**
 * How much more `samples` take than `baseline`: the median of the ratios within each round. Both sides of a round run
 * one after the other, so that a machine that is busy for a while slows both.
 */
export function pairedRatio(samples: readonly number[], baseline: readonly number[]): number {
  return median(samples.flatMap((sample, round) => (baseline[round] === undefined ? [] : [sample / baseline[round]])));
}
