import { allocate } from "./allocate.ts";
import type { Invoice } from "./invoice.ts";
import type { Money } from "./money.ts";
import { SalesDocument } from "./sales-document.ts";

/** Takes an invoice back, in whole or in part. Its amounts are negative. */
export class CreditNote extends SalesDocument {
  readonly invoice: Invoice;
  readonly reason: string;

  constructor(number: string, invoice: Invoice, refund: Money, reason: string) {
    const shares = allocate(
      refund.negated(),
      invoice.lines.map((line) => line.net.cents),
    );
    const lines = invoice.lines.map((line, index) => ({ ...line, net: shares[index] ?? refund.negated() }));
    super(number, invoice.customer, invoice.currency, lines);
    this.invoice = invoice;
    this.reason = reason;
  }

  override get title(): string {
    return `Credit note ${this.number} (${this.reason})`;
  }
}

/** Refunds the net amount of an invoice, or a part of it, spread over the invoice's lines. */
export function refund(invoice: Invoice, number: string, reason: string, amount: Money = invoice.net): CreditNote {
  if (amount.compare(invoice.net) > 0) throw new RangeError(`${amount} is more than ${invoice.net} was billed`);
  return new CreditNote(number, invoice, amount, reason);
}
