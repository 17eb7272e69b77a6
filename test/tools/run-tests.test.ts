/** Real runs of vitest and of node:test, in confined processes of their own. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ToolAnswer } from "../../server/src/tools/tool.ts";
import { describeLevels } from "../support/test-rooms.ts";
import { FOREVER, fixture, projectOf, run as runIn, runOutOfTime } from "./run-tests-project.ts";

/** Times and versions differ from run to run. */
function steady({ content }: ToolAnswer): string {
  return (
    content
      .replaceAll(/\d+(?:\.\d+)? m?s\)/g, "<time>)")
      // Told of a slow test alone, which any test is on a busy machine.
      .replaceAll(/^(FAILED .*) \(<time>\)$/gm, "$1")
      .replaceAll(/vitest [\d.]+/g, "vitest <version>")
      .replaceAll(/Node [\d.]+/g, "Node <version>")
  );
}

describeLevels("vitest", (level) => {
  const run: typeof runIn = (args, setting) => runIn(args, { ...setting, level });

  it("shows counts, each failure with its difference and place, and what was printed", async () => {
    await expect(steady(await run({ path: "test/total.test.ts" }))).toMatchFileSnapshot(
      "snapshots/run-tests/vitest.txt",
    );
  });

  it("runs the unsaved text of the code and of the test, after the project's own set-up", async () => {
    const source = readFileSync(join(fixture, "src/total.ts"), "utf8");
    const test = readFileSync(join(fixture, "test/total.test.ts"), "utf8");
    const prepared = "\nit('is prepared', () => expect(globalThis).toHaveProperty('isPrepared'));\n";
    const unsaved = {
      "src/total.ts": source.replace("Math.ceil(sum)", "Math.ceil(sum) + 1"),
      "test/total.test.ts": test.replace("rounds down", "rounds quite down") + prepared,
    };
    const { content } = await run({ path: "test/total.test.ts" }, { unsaved });
    expect(content).toMatch(/^3 passed, 1 skipped, 1 todo in 1 file/);
    expect(content).toContain("total > rounds quite down");
    expect(content).toMatch(
      /\n\nRun with the editor's text of src\/total\.ts, test\/total\.test\.ts, not saved yet\.$/,
    );
  });

  it("runs without a configuration, as a new project does", async () => {
    // Beside the other one: it has to find vitest, and a configuration above that it may not read.
    const root = mkdtempSync(join(fixture, "../without-configuration-"));
    try {
      cpSync(fixture, root, { recursive: true, filter: (path) => !path.endsWith("vitest.config.ts") });
      const { content } = await run({ path: "test/total.test.ts", name: "rounds down" }, { root });
      expect(content).toMatch(/^1 passed, 3 skipped in 1 file/);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });

  it("says which files could not be loaded and why", async () => {
    const test = "import './missing.ts';\nimport { it } from 'vitest';\nit('never', () => {});\n";
    const root = projectOf({ "a.test.ts": test, "b.test.ts": test.replace("./missing.ts", "./src/gone") });
    const { content } = await run({}, { root });
    expect(content).toMatch(/^2 failed in 2 files/);
    expect(content).toMatch(/FAILED a\.test\.ts\n {2}Error: .*missing\.ts/);
    expect(content).toMatch(/FAILED b\.test\.ts\n {2}Error: Cannot find module '\.\/src\/gone'/);
  });

  it("stops an endless loop at its limit and says which tests did not end", async () => {
    const test = `import { it } from "vitest";\nit("hangs", () => { ${FOREVER} });\n`;
    const begun = /unfinished:\n {2}test\/total\.test\.ts:2:1 hangs/;
    const answer = await runOutOfTime(
      { path: "test/total.test.ts", timeout_ms: 1500 },
      { unsaved: { "test/total.test.ts": test }, level },
      begun,
    );
    expect(answer.complete).toBe(false);
    expect(answer.content).toContain(answer.stopped);
    expect(answer.content).toMatch(begun);
  });
});

describeLevels("node:test", (level) => {
  const run: typeof runIn = (args, setting) => runIn(args, { ...setting, level });

  it("shows counts, each failure with its difference and its place in TypeScript", async () => {
    const answer = await run({ path: "test/total-node.test.ts" });
    await expect(steady(answer)).toMatchFileSnapshot("snapshots/run-tests/node-test.txt");
  });

  it("runs the unsaved text of the code", async () => {
    const source = readFileSync(join(fixture, "src/total.ts"), "utf8");
    const unsaved = { "src/total.ts": source.replace("Math.floor(sum)", "Math.ceil(sum)") };
    const { content } = await run({ path: "test/total-node.test.ts" }, { unsaved });
    expect(content).toMatch(/^2 passed, 1 skipped, 1 todo in 1 file/);
  });

  it("says which file could not be loaded and why", async () => {
    const test =
      "import { it } from 'node:test';\nimport { none } from '../src/missing.ts';\nit('never', () => none);\n";
    const { content } = await run(
      { path: "test/total-node.test.ts" },
      { unsaved: { "test/total-node.test.ts": test } },
    );
    expect(content).toMatch(/^1 failed in 1 file/);
    expect(content).toContain("src/missing.ts");
    expect(content.split("\n").find((line) => line.startsWith("FAILED"))).toMatch(/^FAILED [\w./-]+\.ts(:\d+:\d+)?$/);
  });

  it("stops an endless loop at its limit and keeps the results before it", async () => {
    const test = `import { it } from "node:test";
it("ends", () => {});
it("hangs", () => { ${FOREVER} });
`;
    const answer = await runOutOfTime(
      { path: "test/total-node.test.ts", timeout_ms: 1500 },
      { unsaved: { "test/total-node.test.ts": test }, level },
      /^1 passed/,
    );
    expect(answer.complete).toBe(false);
    expect(answer.content).toMatch(/^1 passed, 1 unfinished in 1 file/);
    expect(answer.content).toMatch(/unfinished:\n {2}test\/total-node\.test\.ts:3:1 hangs/);
    expect(answer.content).toContain(`The run did not end well: ${answer.stopped}\n`);
    expect(answer.content).not.toMatch(/printed:|native|node\[|SIG/i);
  });
});

describeLevels("a request", (level) => {
  const run: typeof runIn = (args, setting) => runIn(args, { ...setting, level });

  it("without a file runs both runners, each with its own files", async () => {
    const { content } = await run({ name: "rounds down" });
    expect(content).toMatch(/1 passed, 3 skipped in 1 file \(vitest/);
    expect(content).toMatch(/1 failed.* in 1 file \(node:test/);
  });

  it.each([
    [{ path: "test/none.test.ts" }, "test/none.test.ts does not exist."],
    [{ path: "/etc/passwd" }, "/etc/passwd is outside."],
    [{ name: "(" }, "is not a regular expression"],
  ])("%j fails with %s", async (args, text) => {
    const { content, success } = await run(args);
    expect(content).toContain(text);
    expect(success).toBe(false);
  });

  it("that is cancelled ends at once", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 300);
    const started = Date.now();
    const { content } = await run({ path: "test/total.test.ts" }, { signal: controller.signal });
    expect(content).toContain("it was cancelled");
    expect(Date.now() - started).toBeLessThan(20_000);
  });
});

describe("without a wall", () => {
  it("a request without a file runs both runners, each with its own files", async () => {
    const { content } = await runIn({ name: "rounds down" });
    expect(content).toMatch(/1 passed, 3 skipped in 1 file \(vitest/);
    expect(content).toMatch(/1 failed.* in 1 file \(node:test/);
  });

  it("a test may do what the person may: start threads and programs, and write", async () => {
    const test = `import { execSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { it } from "vitest";
it("starts", () => { void new Worker("1", { eval: true }); execSync("true"); });
it("writes", () => { const path = new URL("./written.txt", import.meta.url); writeFileSync(path, "x"); rmSync(path); });
`;
    const { content } = await runIn({ path: "test/total.test.ts" }, { unsaved: { "test/total.test.ts": test } });
    expect(content).toMatch(/^2 passed/);
  });
});
