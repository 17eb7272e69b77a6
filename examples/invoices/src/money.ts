/** The currencies this library keeps books in. All of them have a hundred minor units. */
export type Currency = "EUR" | "GBP" | "USD";

const AMOUNT = /^(?<sign>-)?(?<whole>\d+)(?:\.(?<minor>\d{2}))? (?<currency>EUR|GBP|USD)$/;

/** An exact amount of one currency, counted in whole cents. Negative amounts are money given back. */
export class Money {
  readonly cents: number;
  readonly currency: Currency;

  constructor(cents: number, currency: Currency) {
    if (!Number.isSafeInteger(cents)) throw new RangeError(`${cents} is not a whole number of cents`);
    this.cents = cents;
    this.currency = currency;
  }

  static zero(currency: Currency): Money {
    return new Money(0, currency);
  }

  plus(other: Money): Money {
    return new Money(this.cents + this.centsOf(other), this.currency);
  }

  minus(other: Money): Money {
    return new Money(this.cents - this.centsOf(other), this.currency);
  }

  /** Rounds half a cent away from zero, as the tax office wants it. */
  times(factor: number): Money {
    const exact = this.cents * factor;
    return new Money(Math.sign(exact) * Math.round(Math.abs(exact)), this.currency);
  }

  negated(): Money {
    return new Money(this.cents === 0 ? 0 : -this.cents, this.currency);
  }

  isZero(): boolean {
    return this.cents === 0;
  }

  compare(other: Money): number {
    return this.cents - this.centsOf(other);
  }

  /** `-12.50 EUR`: the same form that `money` reads. */
  toString(): string {
    const cents = Math.abs(this.cents);
    const minor = String(cents % 100).padStart(2, "0");
    return `${this.cents < 0 ? "-" : ""}${Math.floor(cents / 100)}.${minor} ${this.currency}`;
  }

  private centsOf(other: Money): number {
    if (other.currency !== this.currency) throw new TypeError(`cannot mix ${this.currency} and ${other.currency}`);
    return other.cents;
  }
}

/** Makes an amount from whole cents. */
export function money(cents: number, currency?: Currency): Money;
/** Reads an amount as `toString` writes it: `12.50 EUR`. */
export function money(text: string): Money;
export function money(value: number | string, currency: Currency = "EUR"): Money {
  if (typeof value === "number") return new Money(value, currency);
  const parts = AMOUNT.exec(value.trim())?.groups;
  if (parts === undefined) throw new SyntaxError(`"${value}" is not an amount like "12.50 EUR"`);
  const cents = Number(parts["whole"]) * 100 + Number(parts["minor"] ?? 0);
  return new Money(parts["sign"] === "-" ? -cents : cents, parts["currency"] as Currency);
}

/** The sum of some amounts; `currency` is what the sum of none of them is counted in. */
export function sum(amounts: Iterable<Money>, currency: Currency): Money {
  let total = Money.zero(currency);
  for (const amount of amounts) total = total.plus(amount);
  return total;
}
