/** The rows of the one table that a run prints. */
import { median, pairedRatio, quantile } from "./statistics.ts";

export type Unit = "ms" | "µs" | "MB";

export interface Goal {
  readonly text: string;
  /** Absent when there were too few rounds to say. */
  readonly met?: boolean;
}

const ROUNDS_FOR_A_VERDICT = 5;

export interface Row {
  readonly measure: string;
  readonly subject: string;
  readonly unit: Unit;
  readonly samples: number;
  readonly median: number;
  readonly p95: number;
  /** Against the row that the measure names as its baseline. */
  readonly ratio?: number;
  /** This p95 against the baseline's: how the slowest questions compare. */
  readonly p95Ratio?: number;
  readonly goal?: Goal;
}

/** A measure that could not run, and the reason in a sentence: it stands in the table instead of a figure. */
export interface SkippedRow {
  readonly measure: string;
  readonly subject: string;
  readonly skipped: string;
}

export interface Point {
  readonly size: number;
  readonly ours: readonly number[];
  /** What the bare compiler takes for the same. */
  readonly bare?: readonly number[];
  /** How many times the compiler's figure ours may be. */
  readonly limit?: number;
}

export interface Curve {
  readonly name: string;
  /** What there are so many of. */
  readonly of: string;
  readonly unit: Unit;
  /** From the smallest size to the largest. */
  readonly points: readonly Point[];
}

export interface MeasureReport {
  readonly rows: readonly (Row | SkippedRow)[];
  /** What a reader of the figures must know: counts compared, what was left out, where a missed goal's time goes. */
  readonly notes: readonly string[];
  /** What `--plot` draws. */
  readonly curves?: readonly Curve[];
}

/** One row per subject; every subject's ratio is to the subject called `baseline`. */
export function rowsOf(
  { measure, unit }: Pick<Row, "measure" | "unit">,
  samples: Readonly<Record<string, readonly number[]>>,
  baseline?: string,
  goals: Readonly<Record<string, (row: Row) => Goal>> = {},
): Row[] {
  const divisors = baseline === undefined ? undefined : samples[baseline];
  return Object.entries(samples).map(([subject, own]) => {
    const p95 = quantile(own, 0.95);
    const ratios =
      divisors === undefined ? {} : { ratio: pairedRatio(own, divisors), p95Ratio: p95 / quantile(divisors, 0.95) };
    const figures = { samples: own.length, median: median(own), p95, ...ratios };
    const row: Row = { measure, subject, unit, ...figures };
    const goal = goals[subject]?.(row);
    return goal === undefined ? row : { ...row, goal };
  });
}

export function below(limit: number, unit: Unit): (row: Row) => Goal {
  return (row) => verdict(`< ${limit} ${unit}`, row, row.median < limit);
}

export function p95Below(limit: number, unit: Unit): (row: Row) => Goal {
  return (row) => verdict(`p95 < ${limit} ${unit}`, row, row.p95 < limit);
}

/** Figures that hardly vary, such as memory, are judged from fewer rounds. */
export function ratioUpTo(limit: number, roundsNeeded: number = ROUNDS_FOR_A_VERDICT): (row: Row) => Goal {
  return (row) => verdict(`≤ ${limit} ×`, row, row.ratio !== undefined && row.ratio <= limit, roundsNeeded);
}

/** A limit for the ratio of the ordinary question and for that of the slow ones. */
export function bothRatiosUpTo(limit: number): (row: Row) => Goal {
  return (row) => {
    const { ratio, p95Ratio } = row;
    const isMet = ratio !== undefined && ratio <= limit && p95Ratio !== undefined && p95Ratio <= limit;
    const shown = p95Ratio === undefined ? "" : ` (${p95Ratio.toFixed(2)} ×)`;
    return verdict(`≤ ${limit} ×, p95 too${shown}`, row, isMet);
  };
}

function verdict(text: string, row: Row, met: boolean, roundsNeeded: number = ROUNDS_FOR_A_VERDICT): Goal {
  return row.samples < roundsNeeded ? { text } : { text, met };
}
