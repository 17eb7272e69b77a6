import { groupBy, mapValues, uniqueBy } from "./collections.ts";
import { sum, type Currency, type Money } from "./money.ts";
import type { SalesDocument } from "./sales-document.ts";

/** All documents of one currency in the order in which they were booked. */
export class Ledger {
  readonly currency: Currency;
  readonly #documents: SalesDocument[] = [];

  constructor(currency: Currency) {
    this.currency = currency;
  }

  /** Books a document. A number is booked only once. */
  book(document: SalesDocument): void {
    if (document.currency !== this.currency) throw new TypeError(`this ledger is kept in ${this.currency}`);
    if (this.#documents.some((booked) => booked.number === document.number)) {
      throw new RangeError(`${document.number} is booked already`);
    }
    this.#documents.push(document);
  }

  get customers(): string[] {
    return uniqueBy(this.#documents, (document) => document.customer).map((document) => document.customer);
  }

  /** What each customer has been billed, less what was given back. */
  balances(): Map<string, Money> {
    return mapValues(
      groupBy(this.#documents, (document) => document.customer),
      (documents) =>
        sum(
          documents.map((document) => document.gross),
          this.currency,
        ),
    );
  }
}
