import { expect, it } from "vitest";
import { aliasesOf, FileAliases, realName } from "../../../../server/src/typescript/files/file-aliases.ts";

const links = new Map([["/w/app/shared", "/w/shared"]]);

it("finds the names of a file, and its real one", () => {
  expect(aliasesOf("/w/shared/a.ts", links)).toEqual(["/w/app/shared/a.ts"]);
  expect(aliasesOf("/w/shared-not/a.ts", links)).toEqual([]);
  expect(realName("/w/app/shared/a.ts", links)).toBe("/w/shared/a.ts");
  expect(realName("/w/app/shared.ts", links)).toBe("/w/app/shared.ts");
});

it("comes to an end when links lead in a circle", () => {
  const circle = new Map([
    ["/w/a", "/w/b"],
    ["/w/b", "/w/a"],
  ]);
  expect(realName("/w/a/x.ts", circle)).toMatch(/^\/w\/[ab]\/x\.ts$/);
});

it("names a file by its real name, unless no program knows that name", () => {
  const both = new FileAliases(new Set(["/w/app/shared/a.ts", "/w/shared/a.ts", "/w/app/b.ts"]), links);
  expect(both.primary("/w/app/shared/a.ts")).toBe("/w/shared/a.ts");
  expect(both.namesOf("/w/shared/a.ts")).toEqual(["/w/app/shared/a.ts", "/w/shared/a.ts"]);
  expect(both.namesOf("/w/app/b.ts")).toEqual(["/w/app/b.ts"]);
  const one = new FileAliases(new Set(["/w/app/shared/a.ts"]), links);
  expect(one.primary("/w/app/shared/a.ts")).toBe("/w/app/shared/a.ts");
});
