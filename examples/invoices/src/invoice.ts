import { allocate } from "./allocate.ts";
import type { Discount } from "./discount.ts";
import { lineTotal, orderTotal, type Order } from "./order.ts";
import { SalesDocument, type DocumentLine } from "./sales-document.ts";

export class Invoice extends SalesDocument {
  readonly order: Order;

  constructor(number: string, order: Order, lines: readonly DocumentLine[]) {
    super(number, order.customer, order.currency, lines);
    this.order = order;
  }

  override get title(): string {
    return `Invoice ${this.number}`;
  }

  /** One line of the export file: fields parted by semicolons. */
  serialize(): string {
    return ["INV", this.number, this.customer, this.order.id, this.gross].join(";");
  }
}

/** Bills an order. A discount is spread over the lines, so that each line's tax is computed on what was really paid. */
export function billOrder(number: string, order: Order, discount?: Discount): Invoice {
  const totals = order.lines.map(lineTotal);
  const reduction = discount?.amountFor(order);
  const reductions =
    reduction === undefined || orderTotal(order).isZero()
      ? []
      : allocate(
          reduction,
          totals.map((total) => total.cents),
        );
  const lines = order.lines.map((line, index): DocumentLine => {
    const net = lineTotal(line);
    const less = reductions[index];
    return {
      text: `${line.quantity} × ${line.sku}`,
      net: less === undefined ? net : net.minus(less),
      taxClass: line.taxClass,
    };
  });
  return new Invoice(number, order, lines);
}
