import assert from "node:assert/strict";
import { test } from "node:test";
import {
  billOrder,
  instalments,
  Ledger,
  money,
  parseOrder,
  PercentOff,
  refund,
  results,
  Voucher,
} from "../src/index.ts";

const order = results.unwrap(
  parseOrder(`order 2041 for Harbour Books
    2 x notebook-a5 @ 4.00 EUR standard
    1 x atlas @ 38.00 EUR reduced`),
);

test("bills an order with tax by line", () => {
  const invoice = billOrder("2026-1", order);
  assert.equal(String(invoice.net), "46.00 EUR");
  assert.equal(String(invoice.gross), "50.18 EUR");
  assert.equal(invoice.serialize(), "INV;2026-1;Harbour Books;2041;50.18 EUR");
});

test("spreads a discount over the lines", () => {
  const invoice = billOrder("2026-2", order, new PercentOff(10));
  assert.deepEqual(
    invoice.lines.map((line) => String(line.net)),
    ["7.20 EUR", "34.20 EUR"],
  );
});

test("gives a voucher only from its minimum on", () => {
  assert.equal(String(billOrder("2026-3", order, new Voucher(money(500), money(5000))).net), "46.00 EUR");
  assert.equal(String(billOrder("2026-4", order, new Voucher(money(500), money(4600))).net), "41.00 EUR");
});

test("leaves nothing in the books after a full refund", () => {
  const ledger = new Ledger("EUR");
  const invoice = billOrder("2026-5", order);
  ledger.book(invoice);
  ledger.book(refund(invoice, "C-1", "returned"));
  assert.deepEqual(
    [...ledger.balances()].map(([customer, balance]) => [customer, balance.cents]),
    [["Harbour Books", 0]],
  );
});

test("spreads a partial refund over the lines", () => {
  const note = refund(billOrder("2026-6", order), "C-2", "damaged", money("23.00 EUR"));
  assert.deepEqual(
    note.lines.map((line) => String(line.net)),
    ["-4.00 EUR", "-19.00 EUR"],
  );
});

test("asks for the whole invoice in instalments", () => {
  const parts = instalments(billOrder("2026-7", order), new Date("2026-01-01T00:00:00Z"), 4);
  assert.equal(
    parts.reduce((cents, part) => cents + part.amount.cents, 0),
    5018,
  );
  assert.equal(parts[0]?.due.toISOString(), "2026-01-15T00:00:00.000Z");
});

test("names the line that it cannot read", () => {
  const result = parseOrder("order 1 for A\n1 x pen @ 2.00 EUR standard\n2 pens");
  assert.deepEqual(result.ok ? undefined : result.problem.line, 3);
});
