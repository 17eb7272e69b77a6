import { Money } from "./money.ts";
import { lineTotal, orderTotal, type Order } from "./order.ts";

/** A reduction of an order's price. */
export abstract class Discount {
  readonly label: string;

  constructor(label: string) {
    this.label = label;
  }

  /** How much the order becomes cheaper, never more than it costs. */
  amountFor(order: Order): Money {
    const total = orderTotal(order);
    const wanted = this.wantedFor(order);
    return wanted.compare(total) > 0 ? total : wanted;
  }

  protected abstract wantedFor(order: Order): Money;
}

export class PercentOff extends Discount {
  readonly percent: number;

  constructor(percent: number, label = `${percent} % off`) {
    super(label);
    if (percent < 0 || percent > 100) throw new RangeError(`${percent} is not a percentage`);
    this.percent = percent;
  }

  protected override wantedFor(order: Order): Money {
    return orderTotal(order).times(this.percent / 100);
  }
}

export class AmountOff extends Discount {
  readonly amount: Money;

  constructor(amount: Money, label = `${amount} off`) {
    super(label);
    this.amount = amount;
  }

  protected override wantedFor(_order: Order): Money {
    return this.amount;
  }
}

/** An amount off for orders that reach a minimum. */
export class Voucher extends AmountOff {
  readonly minimum: Money;

  constructor(amount: Money, minimum: Money) {
    super(amount, `voucher from ${minimum}`);
    this.minimum = minimum;
  }

  protected override wantedFor(order: Order): Money {
    return orderTotal(order).compare(this.minimum) < 0 ? Money.zero(order.currency) : super.wantedFor(order);
  }
}

/** The cheapest line's single price is free. */
export class CheapestFree extends Discount {
  constructor() {
    super("cheapest item free");
  }

  protected override wantedFor(order: Order): Money {
    const byPrice = order.lines.toSorted((a, b) => a.unitPrice.compare(b.unitPrice));
    const cheapest = byPrice.find((line) => !lineTotal(line).isZero());
    return cheapest?.unitPrice ?? Money.zero(order.currency);
  }
}
