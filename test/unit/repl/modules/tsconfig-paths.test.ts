import { afterEach, expect, it } from "vitest";
import { startTestImage, type TestImage } from "../with-image.ts";

let t: TestImage;
afterEach(() => t.dispose());

const paths = '"paths": { "@app/*": ["./src/*"], "settings": ["./src/settings.json"] }';

it("follows the paths of a tsconfig whose include leaves out forms and tests", async () => {
  t = startTestImage();
  t.write("tsconfig.json", `{ "compilerOptions": { ${paths} }, "include": ["src"] }`);
  t.write("test/check.ts", "import { rate } from '@app/money';\nexport const doubled = rate * 2;");
  expect(await t.value("import { rate } from '@app/money'; rate")).toBe("2");
  expect(await t.value("(await import('@app/parts')) !== undefined")).toBe("true");
  expect(await t.value("import { doubled } from './test/check.ts'; doubled")).toBe("4");
  expect(await t.value("require('settings').currency")).toBe('"EUR"');
  expect((await t.evaluate("import { x } from '@app/nowhere'; x")).error?.message).toContain("@app/nowhere");
});

it("follows the paths of a project that the root tsconfig refers to", async () => {
  t = startTestImage();
  t.write("tsconfig.json", '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }');
  t.write("tsconfig.app.json", `{ "compilerOptions": { "composite": true, ${paths} }, "include": ["src"] }`);
  expect(await t.value("import { rate } from '@app/money'; rate")).toBe("2");
});

it("knows paths that came into the tsconfig after an import failed", async () => {
  t = startTestImage();
  t.write("tsconfig.json", '{ "include": ["src"] }');
  expect((await t.evaluate("import { rate } from '@app/money'; rate")).outcome).toBe("error");
  t.write("tsconfig.json", `{ "compilerOptions": { ${paths} }, "include": ["src"] }`);
  expect(await t.value("import { rate } from '@app/money'; rate")).toBe("2");
});

it("loads modules with what it can read of a tsconfig whose base is not installed, and names the cause once", async () => {
  t = startTestImage();
  const config = `{ "extends": "@tsconfig/node20/tsconfig.json", "compilerOptions": { ${paths} } }`;
  t.write("tsconfig.json", config);
  const first = await t.evaluate("import { rate } from './src/money.ts'; rate");
  expect(first).toMatchObject({ outcome: "value", preview: "2" });
  expect(first.notes.map(({ message }) => message)).toContainEqual(
    "tsconfig.json cannot be read in full (Tsconfig not found @tsconfig/node20/tsconfig.json): modules are loaded with " +
      "what the rest of it says. Installing the project's packages may mend that.",
  );
  const second = await t.evaluate("import { rate as other } from '@app/money'; other");
  expect(second).toMatchObject({ outcome: "value", preview: "2" });
  expect(second.notes).toEqual([]);
  expect((await t.evaluate("import './src/nowhere.ts'")).error?.message).toContain(
    "Cannot find module './src/nowhere.ts' imported from the REPL",
  );
});
