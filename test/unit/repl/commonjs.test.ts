import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestImage, type TestImage } from "./with-image.ts";

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
