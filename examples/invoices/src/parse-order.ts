import { money } from "./money.ts";
import type { Order, OrderLine } from "./order.ts";
import { failed, ok, type Result } from "./result.ts";
import { isTaxClass } from "./tax.ts";

/**
 * Reads an order as the shop exports it:
 *
 *     order 2041 for Harbour Books
 *     3 x notebook-a5 @ 4.20 EUR standard
 *     1 x atlas @ 38.00 EUR reduced
 */
export function parseOrder(text: string): Result<Order> {
  const [heading = "", ...rows] = text.split("\n").map((row) => row.trim());
  const head = /^order (?<id>\S+) for (?<customer>.+)$/.exec(heading)?.groups;
  if (head?.["id"] === undefined || head["customer"] === undefined) {
    return failed(1, 'an order starts with "order <id> for <customer>"');
  }
  const lines: OrderLine[] = [];
  for (const [index, row] of rows.entries()) {
    if (row === "") continue;
    const line = parseLine(row, index + 2);
    if (!line.ok) return line;
    lines.push(line.value);
  }
  const [first] = lines;
  if (first === undefined) return failed(1, "an order needs at least one line");
  const currency = first.unitPrice.currency;
  const other = lines.find((line) => line.unitPrice.currency !== currency);
  if (other !== undefined) return failed(1, `an order has one currency, ${other.sku} has another one`);
  return ok({ id: head["id"], customer: head["customer"], currency, lines });
}

function parseLine(row: string, number: number): Result<OrderLine> {
  const parts = /^(?<quantity>\d+) x (?<sku>\S+) @ (?<price>\S+ \S+) (?<tax>\S+)$/.exec(row)?.groups;
  if (parts === undefined) return failed(number, `"${row}" is not "<quantity> x <sku> @ <price> <tax class>"`);
  const { quantity = "", sku = "", price = "", tax = "" } = parts;
  if (!isTaxClass(tax)) return failed(number, `unknown tax class "${tax}"`);
  try {
    return ok({ sku, quantity: Number(quantity), unitPrice: money(price), taxClass: tax });
  } catch (error) {
    return failed(number, error instanceof Error ? error.message : String(error));
  }
}
