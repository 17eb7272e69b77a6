/** Configurations of vitest as projects write them. */
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeLevels } from "../support/test-rooms.ts";
import { projectOf, run as runIn } from "./run-tests-project.ts";

const PASSES = 'import { expect, it } from "vitest";\nit("passes", () => expect(1).toBe(1));\n';

describeLevels("a configuration", (level) => {
  const run: typeof runIn = (args, setting) => runIn(args, { ...setting, level });

  it("may use __dirname, as Vite's own guide does", async () => {
    const root = projectOf({
      "vite.config.ts": `import path from "node:path";
import { defineConfig } from "vitest/config";
export default defineConfig({ resolve: { alias: { "@": path.resolve(__dirname, "./src") } } });
`,
      "src/one.ts": "export const one: number = 1;\n",
      "test/one.test.ts":
        'import { expect, it } from "vitest";\nimport { one } from "@/one";\nit("is one", () => expect(one).toBe(1));\n',
    });
    expect((await run({}, { root })).content).toMatch(/^1 passed in 1 file/);
  });

  it("may be CommonJS", async () => {
    const root = projectOf({
      "vitest.config.cjs":
        'const path = require("node:path");\nmodule.exports = { test: { include: [path.join("test", "*.check.ts")] } };\n',
      "test/one.check.ts": PASSES,
    });
    expect((await run({}, { root })).content).toMatch(/^1 passed in 1 file/);
  });
});

describe("a project", () => {
  it.each(["jest", "mocha"])("whose tests are for %s gets an answer that says so", async (runner) => {
    const manifest = JSON.stringify({ devDependencies: { [runner]: "*" } });
    const root = projectOf({ "package.json": manifest, "one.test.js": "test('one', () => {});\\n" });
    const said = `The project's tests are for ${runner}. Without a wall only vitest and node:test can be run: bubblewrap (bwrap) is not on PATH.`;
    expect((await runIn({}, { root })).content).toBe(said);
    expect((await runIn({ path: "one.test.js" }, { root })).content).toContain(`tests are for ${runner}`);
  });

  it("whose test file imports node:test beside vitest has the file run by vitest, also below a file whose name begins with the folder's", async () => {
    const text = `import { before } from "node:test";\nvoid before;\n${PASSES}`;
    const manifest = JSON.stringify({ devDependencies: { vitest: "*" } });
    const files = { "js/package.json": manifest, "js/test/one.test.ts": text, "js/test/two.test.ts": PASSES };
    const root = join(projectOf(files), "js");
    expect((await runIn({}, { root })).content).toMatch(/^2 passed in 2 files \(vitest/);
    expect((await runIn({ path: "test/one.test.ts" }, { root })).content).toMatch(/^1 passed in 1 file \(vitest/);
  });

  it("of which one part cannot be set up says why", async () => {
    const root = projectOf({
      "vitest.config.ts": 'export default { test: { projects: ["part/*/vitest.config.ts", { test: {} }] } };\n',
      "part/a/vitest.config.ts": 'import "no-such-plugin";\nexport default {};\n',
      "test/one.test.ts": PASSES,
    });
    expect((await runIn({}, { root })).content).toMatch(/did not end well: .*\n.*no-such-plugin/);
  });

  it("that has not installed its vitest gets a sentence that says so", async () => {
    const { content } = await runIn({}, { root: projectOf({ "one.test.ts": PASSES }, tmpdir()) });
    expect(content).toContain("did not end well: vitest is not installed; the project's packages have to be installed");
  });
});

describe("projects of a configuration", () => {
  const config = `import { defineConfig } from "vitest/config";
export default defineConfig({
  test: { projects: [{ test: { name: "unit", include: ["unit/*.test.ts"], pool: "forks" } }, "packages/*"] },
});
`;
  const writes = (name: string): string => `import { writeFileSync } from "node:fs";
import { it } from "vitest";
it("${name} writes", () => writeFileSync(new URL("./written.txt", import.meta.url), "x"));
`;

  it("are run with unsaved text, each with its own set-up", async () => {
    const root = projectOf({
      "vitest.config.ts": config,
      "unit/a.test.ts": writes("unit"),
      "packages/one/vitest.config.ts": "export default { test: { setupFiles: ['./set-up.ts'], pool: 'forks' } };\n",
      "packages/one/set-up.ts": "Object.assign(globalThis, { isSetUp: true });\n",
      "packages/one/one.test.ts": `${writes("one")}
it("is set up", ({ expect }) => expect(globalThis).toHaveProperty("isSetUp"));\n`,
    });
    const unsaved = { "unit/a.test.ts": writes("unsaved unit") };
    const { content } = await runIn({}, { root, unsaved });
    expect(content).toMatch(/^3 passed in 2 files/);
    expect(content).toContain("unsaved unit writes");
    expect(existsSync(join(root, "unit/written.txt"))).toBe(true);
    expect(existsSync(join(root, "packages/one/written.txt"))).toBe(true);
  });
});
