import assert from "node:assert/strict";
import { test } from "node:test";
import { money } from "../src/money.ts";

test("reads what it writes", () => {
  for (const text of ["0.00 EUR", "12.50 GBP", "-3.07 USD"]) assert.equal(String(money(text)), text);
});

test("rounds half a cent away from zero", () => {
  assert.equal(money(5).times(0.5).cents, 3);
  assert.equal(money(-5).times(0.5).cents, -3);
});

test("refuses to mix currencies", () => {
  assert.throws(() => money(1, "EUR").plus(money(1, "USD")), /cannot mix EUR and USD/);
});

test("says what is wrong with an amount", () => {
  assert.throws(() => money("twelve"), /"twelve" is not an amount/);
});
