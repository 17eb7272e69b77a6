/** A form that imports a path as it reads it elsewhere is told how a form writes it. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestImage, type TestImage } from "../with-image.ts";

let t: TestImage;
beforeAll(() => {
  t = startTestImage();
  t.write("packages/api/src/orders.ts", "export const order = 1;");
  t.write("packages/api/src/both.ts", "export {};");
  t.write("packages/web/src/both.ts", "export {};");
  t.write("packages/api/src/broken.ts", "import 'src/orders.ts';");
});
afterAll(() => t.dispose());

it.each([
  ["import 'packages/api/src/orders.ts'", "Did you mean './packages/api/src/orders.ts'?"],
  ["import { order } from 'packages/api/src/orders'", "Did you mean './packages/api/src/orders'?"],
  ["await import('/packages/api/src/orders.ts')", "Did you mean './packages/api/src/orders.ts'?"],
  ["import './src/orders.ts'", "Did you mean './packages/api/src/orders.ts'?"],
  ["import 'src/orders'", "Did you mean './packages/api/src/orders'?"],
  ["import 'src/money.ts'", "Did you mean './src/money.ts'?"],
  ["import './src/both.ts'", undefined],
  ["import '../src/orders.ts'", undefined],
  ["import 'no-such-package'", undefined],
  ["import 'packages/api/src/none.ts'", undefined],
  ["import 'node_modules/none.ts'", undefined],
  ["import './packages/api/src/broken.ts'", undefined],
])("%s", async (form, hint) => {
  const message = (await t.evaluate(form)).error?.message ?? "";
  expect(message).toMatch(/Cannot find (?:module|package)/);
  if (hint === undefined) expect(message).not.toContain("Did you mean");
  else expect(message).toContain(hint);
});
