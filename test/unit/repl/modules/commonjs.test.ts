import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestImage, type TestImage } from "../with-image.ts";

let t: TestImage;
beforeAll(() => {
  t = startTestImage();
  t.write("package.json", '{ "name": "old-project" }');
  t.write(
    "tsconfig.json",
    '{ "compilerOptions": { "module": "commonjs", "experimentalDecorators": true, "jsx": "react", "jsxFactory": "make" } }',
  );
  t.write(
    "src/main.ts",
    [
      "import greet, { word } from './greet';",
      "import * as path from 'path';",
      "const hidden = 3;",
      "export function run(): string {",
      "  return [greet(), word, path.basename(__dirname), hidden].join(' ');",
      "}",
      "export default class Main {}",
    ].join("\n"),
  );
  t.write("src/greet.ts", "export const word = 'w';\nexport default function greet(): string {\n  return 'hello';\n}");
  t.write(
    "src/marked.ts",
    "const mark = (t: any, key: string): void => { (t.names ??= []).push(key) };\nexport class A { @mark m(): void {} }",
  );
});
afterAll(() => t.dispose());

it("runs a project of CommonJS modules with their own meaning of imports and __dirname", async () => {
  expect(await t.value("import Main, { run } from './src/main'; [run(), typeof Main]")).toBe(
    '["hello w src 3", "function"]',
  );
});

it("reaches the inside of a CommonJS module", async () => {
  expect(await t.value("hidden = 9; run()", { module: `${t.root}/src/main.ts` })).toBe('"hello w src 9"');
  expect(await t.value("run()")).toBe('"hello w src 9"');
});

it("follows the project's decorators and JSX", async () => {
  expect(await t.value("import { A } from './src/marked'; (A.prototype as any).names")).toBe('["m"]');
  expect(await t.value("const make = (...parts: unknown[]) => parts; <b id='x'>{1}</b>")).toBe('["b", { id: "x" }, 1]');
});

it("gives the new code of a CommonJS module and of what requires it", async () => {
  t.write("src/greet.ts", "export const word = 'W';\nexport default function greet(): string {\n  return 'bye';\n}");
  expect(await t.value("import { run } from './src/main'; run()")).toBe('"bye W src 3"');
});

it("loads both modules of a folder anew that require a third one, when its source changes", async () => {
  t.write("src/same/rate.ts", "export const rate = 1;");
  t.write("src/same/left.js", "const { rate } = require('./rate'); exports.left = () => rate;");
  t.write("src/same/right.ts", "import { rate } from './rate';\nexport const right = () => rate;");
  t.write(
    "src/same/both.ts",
    "import { left } from './left';\nimport { right } from './right';\nexport const all = () => [left(), right()];",
  );
  expect(await t.value("import { all } from './src/same/both'; all()")).toBe("[1, 1]");
  t.write("src/same/rate.ts", "export const rate = 2;");
  const again = await t.evaluate("import { all } from './src/same/both'; all()");
  expect(again.preview).toBe("[2, 2]");
  expect(again.notes.map(({ message }) => message)).toEqual([
    "Reloaded because the source changed: src/same/rate.ts, and 3 modules that import it. " +
      "Values created earlier keep the old code.",
  ]);
});

it("says once that a module was loaded anew, though it is required first and imported then", async () => {
  t.write("src/once/low.ts", "let n = 0;\nexport const bump = () => ++n;");
  t.write("src/once/high.ts", "import { bump } from './low';\nexport const go = () => bump();");
  await t.value("import { go } from './src/once/high'; go()");
  t.write("src/once/low.ts", "let n = 10;\nexport const bump = () => ++n;");
  expect((await t.evaluate("import { go } from './src/once/high'; go()")).notes[0]?.message).toContain("Reloaded");
  const form = "export const bump = () => (n += 5);";
  const installed = await t.evaluate(form, { module: `${t.root}/src/once/low.ts`, install: {} });
  expect(installed.notes).toEqual([]);
  const inside = await t.evaluate("[n, bump()]", { module: `${t.root}/src/once/low.ts` });
  expect([inside.preview, inside.notes, await t.value("go()")]).toEqual(["[11, 16]", [], "21"]);
});

it("says where a module that becomes CommonJS cannot be parsed, and what is missing", async () => {
  t.write("src/open.ts", "export function f(n: number): number {\n  if (n) {\n    return n;\n}\nexport const x = 1;\n");
  t.write("src/opens.ts", "import { f } from './open';\nexport const one = f(1);\n");
  expect((await t.evaluate("import { one } from './src/opens'")).error?.message).toBe(
    "Expected `}` but found `EOF` (src/open.ts:6:1)",
  );
});
