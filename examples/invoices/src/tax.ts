import type { Money } from "./money.ts";

/** The share of the net price that each class of goods is taxed with. */
export const TAX_RATES = { standard: 0.19, reduced: 0.07, exempt: 0 } as const;

export type TaxClass = keyof typeof TAX_RATES;

export function isTaxClass(text: string): text is TaxClass {
  return Object.hasOwn(TAX_RATES, text);
}

export function taxOn(net: Money, taxClass: TaxClass): Money {
  return net.times(TAX_RATES[taxClass]);
}
