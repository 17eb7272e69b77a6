import { expect, it } from "vitest";
import { segmentsOf, writtenAccess, writtenAddress } from "../../../../server/src/typescript/expand/written-address.ts";

it.each([
  ["name", "name"],
  ["Outer.member", "Outer.member"],
  ["Größe", "Größe"],
  ["Größe.breite", "Größe.breite"],
  ["src/a.ts#Größe", "src/a.ts#Größe"],
  ["src/größe.ts#Wert", "src/größe.ts#Wert"],
  ["my app/src/a.ts#Name", "my app/src/a.ts#Name"],
  ["app/(group)/[id]/page.tsx#Page", "app/(group)/[id]/page.tsx#Page"],
  ["@scope/pkg#Export", "@scope/pkg#Export"],
  ['box."a b"', 'box."a b"'],
  ["box.'a b'.c", 'box."a b".c'],
  ['src/a.ts#box."a b"', 'src/a.ts#box."a b"'],
  ["Outer . member", "Outer.member"],
  ["parse#2", "parse#2"],
  ["Counter.#count", "Counter.#count"],
  ["List.[Symbol.iterator]", "List.[Symbol.iterator]"],
])("reads %s as an address", (form, address) => {
  expect(writtenAddress(form)).toBe(address);
});

it.each([
  "Map<string, number>",
  'User["name"]',
  "a | b",
  "string[]",
  "{ a: 1 }",
  "call(1)",
  "a.b(c).#d",
  '"text"',
  "keyof User",
  "a ? b : c",
  "this.#count + 1",
])("reads %s as no address", (form) => {
  expect(writtenAddress(form)).toBeUndefined();
});

it("reads brackets behind a name as members", () => {
  expect(writtenAccess('box["a b"]')).toEqual({ base: "box", whole: 'box."a b"' });
  expect(writtenAccess("src/a.ts#box.list[0]")).toEqual({ base: "src/a.ts#box", whole: "src/a.ts#box.list.0" });
  expect(writtenAccess("box['c'].d[\"e\"]")).toEqual({ base: "box", whole: "box.c.d.e" });
  expect(writtenAccess("Map<string, number>")).toBeUndefined();
  expect(writtenAccess("box[key]")).toBeUndefined();
});

it("takes the names out of a member path", () => {
  expect(segmentsOf('.a."b.c"[0]["d"]')).toEqual(["a", "b.c", "0", "d"]);
});
