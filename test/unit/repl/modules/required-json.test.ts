import { afterEach, expect, it } from "vitest";
import { startTestImage, type TestImage } from "../with-image.ts";

let t: TestImage;
afterEach(() => t.dispose());

it("requires JSON in a project of ES modules, and its new text after a change", async () => {
  t = startTestImage();
  expect(await t.value("require('./src/settings.json')")).toBe('{ currency: "EUR" }');
  t.write("src/settings.json", '{ "currency": "SEK" }');
  expect(await t.value("import './src/money.ts'; require('./src/settings.json').currency")).toBe('"SEK"');
  expect(await t.value("import settings from './src/settings.json'; settings.currency")).toBe('"SEK"');
  expect(
    await t.value("import { createRequire } from 'node:module'; createRequire(import.meta.url)('./package.json').name"),
  ).toBe('"repl-project"');
});

it("imports JSON from modules that become CommonJS, and its new text after a change", async () => {
  t = startTestImage();
  t.write("package.json", '{ "name": "old-project" }');
  t.write(
    "tsconfig.json",
    '{ "compilerOptions": { "module": "commonjs", "resolveJsonModule": true, "esModuleInterop": true } }',
  );
  t.write("src/cfg.json", '{ "port": 80 }');
  t.write(
    "src/server.ts",
    [
      "import cfg from './cfg.json';",
      "import * as all from './cfg.json';",
      "export const ports = (): number[] => [cfg.port, all.port, require('./cfg.json').port];",
    ].join("\n"),
  );
  expect(await t.value("import { ports } from './src/server'; ports()")).toBe("[80, 80, 80]");
  t.write("src/cfg.json", '{ "port": 81 }');
  expect(await t.value("import { ports } from './src/server'; ports()")).toBe("[81, 81, 81]");
});
