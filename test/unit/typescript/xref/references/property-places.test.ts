import { expect, it } from "vitest";
import { propertyPlaces } from "../../../../../server/src/typescript/xref/references/property-places.ts";

it.each([
  ["take({ area: 1 });", true],
  ["take({ area });", true],
  ["take({ name, area });", true],
  ["take({ area, name });", true],
  ["take({ area() { return 1; } });", true],
  ["take({ area<T>() { return 1; } });", true],
  ["take({ get area() { return 1; } });", true],
  ["take({ async area() {} });", true],
  ["take({ async *area() {} });", true],
  ["take({ 'area': 1 });", true],
  ['take({ "area" : 1 });', true],
  ["take({\n  name,\n  area:\n    1,\n});", true],
  ["take({ /* how large */ area: 1 });", true],
  ["take({\n  // how large\n  area: 1,\n});", true],
  ["take({\n  name, // of whom\n  area: 1,\n});", true],
  ["take({ area /* how large */: 1 });", true],
  [String.raw`take({ \u0061rea: 1 });`, true],
  [String.raw`take({ ar\u{65}a: 1 });`, true],
  ["class A { name = 1; area() {} }", false],
  ["class A { readonly area: number = 1 }", false],
  ["class A {\n  name = 1\n  area() {}\n}", false],
  ["shape.area(1);", false],
  ["take({ areas: 1, my_area: 2, area$: 3 });", false],
  ["const area = 1;", false],
  ["return area;", false],
])("finds where a literal may have the property: %s", (text, isFound) => {
  expect(propertyPlaces(text, "area").length > 0).toBe(isFound);
});

it("answers the offset of the name itself", () => {
  expect(propertyPlaces('take({ area: 1, "area": 2 });', "area")).toEqual([7, 17]);
  expect(propertyPlaces("take({ $a: 1 });", "$a")).toEqual([7]);
});
