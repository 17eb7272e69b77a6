import { Money } from "./money.ts";

/**
 * Divides an amount in proportion to the weights, in whole cents.
 *
 * The shares always add up to the total: cents that do not divide evenly go one by one to the first shares. A share of
 * weight 0 gets nothing.
 *
 * @example
 * allocate(money("10.00 EUR"), [1, 1, 1]); // 3.34, 3.33, 3.33
 */
export function allocate(total: Money, weights: readonly number[]): Money[] {
  const whole = totalWeight(weights);
  const shares = weights.map((weight) => Math.trunc((total.cents * weight) / whole));
  let left = total.cents - shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share, index) => {
    const takesOneMore = left > 0 && weights[index] !== 0;
    if (takesOneMore) left -= 1;
    return new Money(takesOneMore ? share + 1 : share, total.currency);
  });
}

/** The part of an amount that falls on `part` of `whole`, for example on 10 of 30 days. */
export function prorate(total: Money, part: number, whole: number): Money {
  if (part < 0 || part > whole) throw new RangeError(`${part} is not between 0 and ${whole}`);
  const [share] = allocate(total, [part, whole - part]);
  return share ?? Money.zero(total.currency);
}

function totalWeight(weights: readonly number[]): number {
  let whole = 0;
  for (const weight of weights) {
    if (!Number.isSafeInteger(weight) || weight < 0) throw new RangeError(`${weight} is not a weight`);
    whole += weight;
  }
  if (whole === 0) throw new RangeError("there is nothing to divide by");
  return whole;
}

/** Divides an amount into equal parts, for example into monthly instalments. */
export function splitEvenly(total: Money, parts: number): Money[] {
  const weights: number[] = [];
  for (let part = 0; part < parts; part += 1) {
    weights.push(1);
  }
  return allocate(total, weights);
}
