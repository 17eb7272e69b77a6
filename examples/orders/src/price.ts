/** What an order costs. */
import { prices } from "./catalog.ts";

export interface Item {
  readonly name: string;
  readonly count: number;
}

export interface Coupon {
  readonly percent: number;
  /** In cents. */
  readonly atMost: number;
}

/** In cents, with the coupon's reduction. */
export function price(items: readonly Item[], coupon?: Coupon): number {
  const sum = items.reduce((total, { name, count }) => total + (prices[name] ?? 0) * count, 0);
  if (coupon === undefined) return sum;
  const reduction = Math.round((sum * coupon.percent) / 100);
  return sum - Math.min(reduction, coupon.atMost);
}
