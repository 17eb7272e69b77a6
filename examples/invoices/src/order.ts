import { sum, type Currency, type Money } from "./money.ts";
import type { TaxClass } from "./tax.ts";

export interface OrderLine {
  readonly sku: string;
  readonly quantity: number;
  readonly unitPrice: Money;
  readonly taxClass: TaxClass;
}

/** What a customer asked for, before discounts and tax. */
export interface Order {
  readonly id: string;
  readonly customer: string;
  readonly currency: Currency;
  readonly lines: readonly OrderLine[];
  /** Days after the invoice by which it has to be paid. */
  readonly paymentDays?: number;
}

export function lineTotal(line: OrderLine): Money {
  return line.unitPrice.times(line.quantity);
}

export function orderTotal(order: Order): Money {
  return sum(order.lines.map(lineTotal), order.currency);
}
