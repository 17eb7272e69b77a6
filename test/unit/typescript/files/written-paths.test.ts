import { expect, it } from "vitest";
import { writtenPaths } from "../../../../server/src/typescript/files/written-paths.ts";
import type { View } from "../../../../server/src/typescript/view.ts";

it("tells the relative paths that a text quotes with their lines, and where augmentations name their module", async () => {
  const text = [
    'import { a } from "./a.ts"; const b = `../b/${1}`;',
    "",
    "declare module './c' { export interface C {} }",
    "declare module 'pkg' {}",
    "const multi = `",
    './in/a/template";',
    "`; load('./d.svg');",
  ].join("\n");
  const state = { shown: { hides: () => false }, openTexts: new Map([["/p/x.ts", text]]) };
  const [found] = await writtenPaths.ofAll({ state } as unknown as View, ["/p/x.ts"]);
  expect(found?.quoted).toEqual([
    { path: "./a.ts", line: 1 },
    { path: "../b/${1}", line: 1 },
    { path: "./c", line: 3 },
    { path: "./d.svg", line: 7 },
  ]);
  expect(
    found?.augmented.map(({ specifier, start }) => [specifier, text.slice(start, start + specifier.length)]),
  ).toEqual([
    ["./c", "./c"],
    ["pkg", "pkg"],
  ]);
});
