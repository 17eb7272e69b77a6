import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { configCircle } from "../../../../../server/src/typescript/files/projects/config-circle.ts";

let folder: string;
beforeEach(() => (folder = realpathSync(mkdtempSync(join(tmpdir(), "agentq-circle-")))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function circleIn(files: Readonly<Record<string, unknown>>): string | undefined {
  for (const [path, base] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `// a comment\n${JSON.stringify({ extends: base })}`);
  }
  return configCircle([join(folder, "tsconfig.json")]);
}

it.each<[string, Record<string, unknown>]>([
  ["itself", { "tsconfig.json": "./tsconfig.json" }],
  ["itself without the ending", { "tsconfig.json": "./tsconfig" }],
  ["two", { "tsconfig.json": "./a.json", "a.json": "./tsconfig.json" }],
  ["three, behind the first", { "tsconfig.json": "./a.json", "a.json": "./b/c.json", "b/c.json": "../a" }],
  ["one of several", { "tsconfig.json": ["./a.json", "./b.json"], "a.json": undefined, "b.json": ["./tsconfig.json"] }],
  ["a package", { "tsconfig.json": "base", "node_modules/base/tsconfig.json": "../../tsconfig.json" }],
  ["a file of a package", { "tsconfig.json": "@a/base/x.json", "node_modules/@a/base/x.json": "../../../tsconfig" }],
])("finds configurations that extend %s", (_what, files) => {
  expect(circleIn(files)).toContain("in a circle");
});

it("finds them by way of a link", () => {
  symlinkSync(folder, join(folder, "link"));
  expect(circleIn({ "tsconfig.json": "./link/tsconfig.json" })).toBe(
    "tsconfig.json extends tsconfig.json, in a circle",
  );
});

it("finds nothing where two extend the same, a file is missing or none of them is one", () => {
  expect(
    circleIn({
      "tsconfig.json": ["./a.json", "./b.json", "./gone.json", "gone", 7, "."],
      "a.json": "./c.json",
      "b.json": "./c.json",
      "c.json": null,
    }),
  ).toBeUndefined();
});
