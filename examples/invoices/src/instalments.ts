import { splitEvenly } from "./allocate.ts";
import type { Invoice } from "./invoice.ts";
import type { Money } from "./money.ts";

export interface Instalment {
  readonly due: Date;
  readonly amount: Money;
}

const DAY = 24 * 60 * 60 * 1000;

/** Splits what an invoice asks for into equal payments, the first one due after the order's payment days. */
export function instalments(invoice: Invoice, billedOn: Date, count: number): Instalment[] {
  const firstDue = billedOn.getTime() + (invoice.order.paymentDays ?? 14) * DAY;
  return splitEvenly(invoice.gross, count).map((amount, index) => ({
    due: new Date(firstDue + index * 30 * DAY),
    amount,
  }));
}
