import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestImage, type TestImage } from "../with-image.ts";

let t: TestImage;
beforeAll(() => {
  t = startTestImage();
});
afterAll(() => t.dispose());

it("replaces an enum by the declaration of a later form", async () => {
  await t.value("enum Color { Red, Green }");
  expect(await t.value("enum Color { Blue }\nObject.keys(Color)")).toBe('["0", "Blue"]');
  expect(await t.value("export enum Color { Pink = 'p' }\nColor")).toBe('{ Pink: "p" }');
  expect(await t.value("const enum Color { Grey = 'g' }\nColor")).toBe('{ Grey: "g" }');
});

it("merges the declarations of one enum within one form", async () => {
  await t.value("enum Level { Old = 'old' }");
  expect(await t.value("enum Level { Low = 'l' }\nenum Level { High = 'h' }\nLevel")).toBe('{ Low: "l", High: "h" }');
  expect(await t.value("enum Level { Low = 'l' }\nnamespace Level { export const of = 1 }\nLevel")).toBe(
    '{ Low: "l", of: 1 }',
  );
});

it("replaces an enum in the scope of a module", async () => {
  const module = join(t.root, "src/invoice.ts");
  await t.value("enum Size { S = 's' }", { module });
  expect(await t.value("enum Size { M = 'm' }\nSize", { module })).toBe('{ M: "m" }');
});

it("keeps the old enum when the new one fails, and leaves alone what was written to extend", async () => {
  await t.value("enum Kept { A = 'a' }");
  expect((await t.evaluate("enum Kept { B = (() => { throw new Error('no') })() }")).outcome).toBe("error");
  expect(await t.value("Kept")).toBe('{ A: "a" }');
  await t.value("var Space: any = { a: 1 };");
  expect(await t.value("var Space: any = (function (s: any) { s.b = 2; return s })(Space || {}); Space")).toBe(
    "{ a: 1, b: 2 }",
  );
});

it.each([
  ["export namespace N { export const a = 1 } export namespace N { export const b = 2 } 40 + 2", "42"],
  ["export namespace P { export type a = 1 } export namespace P { export const b = 2 } P.b", "2"],
  ["export namespace Q { export const a = 1 } export namespace Q.R { export const c = 3 } Q.R.c + Q.a", "4"],
  ["export enum E { A } export enum E { B = 1 } E.B", "1"],
])("keeps the value of a form that exports a name in two blocks: %s", async (form, value) => {
  expect(await t.value(form)).toBe(value);
});
