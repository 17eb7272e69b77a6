import { afterEach, expect, it } from "vitest";
import { startTestImage, type TestImage } from "./with-image.ts";

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
