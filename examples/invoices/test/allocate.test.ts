import assert from "node:assert/strict";
import { test } from "node:test";
import { allocate, prorate, splitEvenly } from "../src/allocate.ts";
import { money } from "../src/money.ts";

test("gives the cents that are left over to the first shares", () => {
  assert.deepEqual(allocate(money(1000), [1, 1, 1]).map(String), ["3.34 EUR", "3.33 EUR", "3.33 EUR"]);
});

test("divides in proportion and gives nothing to a weight of zero", () => {
  assert.deepEqual(allocate(money(1001), [0, 3, 1]).map(String), ["0.00 EUR", "7.51 EUR", "2.50 EUR"]);
});

test("refuses weights that it cannot divide by", () => {
  assert.throws(() => allocate(money(100), []), /nothing to divide by/);
  assert.throws(() => allocate(money(100), [1, -1]), /not a weight/);
});

test("computes the part of a month", () => {
  assert.equal(String(prorate(money("30.00 EUR"), 10, 30)), "10.00 EUR");
});

test("splits into instalments that differ by a cent at most", () => {
  assert.deepEqual(
    splitEvenly(money("100.00 USD"), 6).map((part) => part.cents),
    [1667, 1667, 1667, 1667, 1666, 1666],
  );
});
