import { expect, it } from "vitest";
import { isMember, memberPatterns } from "../../../server/src/workspace/member-patterns.ts";

const PNPM =
  'packages:\n  # all of them\n  - "packages/*"\n  - apps/web # the site\n  - "!packages/old"\ncatalog:\n  - x\n';

it("a monorepo's packages are named in package.json, as a list or in an object, and by pnpm", () => {
  expect(memberPatterns(["a/*", 1], undefined)).toEqual(["a/*"]);
  expect(memberPatterns({ packages: ["b"] }, undefined)).toEqual(["b"]);
  expect(memberPatterns(undefined, PNPM)).toEqual(["packages/*", "apps/web", "!packages/old"]);
  for (const wrong of ["x", null, 3, {}, { packages: 1 }]) expect(memberPatterns(wrong, "name: x\n")).toEqual([]);
});

it.each([
  ["/r/packages/a", true],
  ["/r/packages/a/src/deep", true],
  ["/r/packages/old", false],
  ["/r/apps/web", true],
  ["/r/apps", false],
  ["/r/examples/a", false],
  ["/r", false],
  ["/other", false],
])("%s is one of the packages, or lies in one: %s", (folder, is) => {
  expect(isMember("/r", folder, ["./packages/*/", "apps/web", "!packages/old"])).toBe(is);
});
