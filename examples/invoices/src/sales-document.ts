import { sum, type Currency, type Money } from "./money.ts";
import { taxOn, type TaxClass } from "./tax.ts";

export interface DocumentLine {
  readonly text: string;
  readonly net: Money;
  readonly taxClass: TaxClass;
}

/** Something with a number that is booked: its lines never change once it exists. */
export abstract class SalesDocument {
  readonly number: string;
  readonly customer: string;
  readonly currency: Currency;
  readonly lines: readonly DocumentLine[];

  constructor(number: string, customer: string, currency: Currency, lines: readonly DocumentLine[]) {
    this.number = number;
    this.customer = customer;
    this.currency = currency;
    this.lines = lines;
  }

  /** The heading that the printed document has. */
  abstract get title(): string;

  get net(): Money {
    return sum(
      this.lines.map((line) => line.net),
      this.currency,
    );
  }

  get tax(): Money {
    return sum(
      this.lines.map((line) => taxOn(line.net, line.taxClass)),
      this.currency,
    );
  }

  get gross(): Money {
    return this.net.plus(this.tax);
  }

  print(): string {
    const rows = this.lines.map((line) => `${line.text.padEnd(24)}${String(line.net).padStart(14)}`);
    return [
      `${this.title} for ${this.customer}`,
      ...rows,
      `${"total".padEnd(24)}${String(this.gross).padStart(14)}`,
    ].join("\n");
  }
}
