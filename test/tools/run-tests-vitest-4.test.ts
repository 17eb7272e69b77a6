/** Vitest 4 on Vite 7: it looks for configurations in other places, and translates by esbuild, a program of its own. */
import { existsSync, realpathSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { describeWalled } from "../support/wall.ts";
import { projectOf, run } from "./run-tests-project.ts";

const root = fileURLToPath(new URL("../fixtures/vitest4-project", import.meta.url));

describeWalled("behind the wall", () => {
  it("runs with its configuration, and with what tests start and write", async () => {
    const project = projectOf(
      {
        "vitest.config.ts": `import { defineConfig } from "vitest/config";
export default defineConfig({ test: { globals: true, root: __dirname } });
`,
        "a.test.ts": `import { execSync } from "node:child_process";
import { writeFileSync } from "node:fs";
it("starts", () => expect(String(execSync("echo out"))).toBe("out\\n"));
it("writes", () => writeFileSync("written.txt", ""));
it("compares", () => expect({ a: 1 }).toEqual({ a: 2 }));
`,
      },
      root,
    );
    const { content } = await run({}, { root: project, level: "walled" });
    expect(content).toMatch(/^1 failed, 2 passed in 1 file \(vitest 4\.1\.12/);
    expect(content).toMatch(/FAILED a\.test\.ts:5:1 compares\n {2}AssertionError[^]*at a\.test\.ts:5:\d+ /);
    expect(content).toContain("written.txt");
    expect(existsSync(join(project, "written.txt"))).toBe(false);
  });
});

it("runs without a configuration", async () => {
  // Vitest takes one from a folder above, so the project stands where there is none.
  const test = 'import { expect, it } from "vitest";\nit("adds", () => expect(1 + 1).toBe(2));\n';
  const project = projectOf({ "a.test.ts": test }, realpathSync(tmpdir()));
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
  expect((await run({}, { root: project })).content).toMatch(/^1 passed in 1 file \(vitest 4\.1\.12/);
});
