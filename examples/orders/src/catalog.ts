/** What there is to buy, and the coupons that customers have. */
import type { Coupon } from "./price.ts";

/** Prices in cents. */
export const prices: Readonly<Record<string, number>> = { atlas: 3800, globe: 12_900, pen: 500 };

const COUPONS = `{
  "SPRING": { "percent": 10, "atMost": 1500 },
  "WELCOME": { "percent": 20 }
}`;

export const coupons = JSON.parse(COUPONS) as Readonly<Record<string, Coupon>>;
