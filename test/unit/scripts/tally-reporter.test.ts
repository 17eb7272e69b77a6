import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TestModule } from "vitest/node";
import { TallyReporter } from "../../../scripts/tally-reporter.ts";

const checkout = join(import.meta.dirname, "../../..");
const reporter = pathToFileURL(join(checkout, "scripts/tally-reporter.ts")).href;
let project: string;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "agentq-tally-"));
  symlinkSync(join(checkout, "node_modules"), join(project, "node_modules"), "junction");
});

afterEach(() => {
  rmSync(project, { recursive: true });
});

/** What the tally says of a run of vitest over these test files, after a check that passed. */
function tallyOf(files: Record<string, string>): string {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  const program = `
    import { startVitest } from "vitest/node";
    import { TallyReporter } from ${JSON.stringify(reporter)};
    const tally = new TallyReporter();
    tally.check("build", 0);
    const vitest = await startVitest([], { run: true, config: false, reporters: [tally] });
    process.stdout.write(tally.describe(process.exitCode ?? 0));
    await vitest.exit(true);`;
  writeFileSync(join(project, "run.mjs"), program);
  const env = { ...process.env, VITEST: "", NODE_OPTIONS: "" };
  return spawnSync(process.execPath, ["run.mjs"], { cwd: project, env, encoding: "utf8" }).stdout;
}

const passing = 'import { it } from "vitest";\nit("passes", () => {});\n';

describe("the count of a test run", () => {
  it("names every failed and skipped test and every file that did not load, and ends with one plain line", () => {
    const mixed = `${passing}
      import { describe } from "vitest";
      it("fails", () => { throw new Error("wrong\\nin detail"); });
      describe("an editor", () => {
        describe("in a window", () => {
          it.skip("is drawn", () => {});
          it.todo("is closed");
        });
      });`;
    const lines = tallyOf({ "broken.test.js": 'import "./absent.js";', "mixed.test.js": mixed }).split("\n");
    expect(lines.filter((line) => line.startsWith("Skipped: "))).toEqual([
      "Skipped: an editor in a window is drawn",
      "Skipped: an editor in a window is closed",
    ]);
    expect(lines).toContain("Failed: mixed.test.js: fails: wrong");
    expect(lines).toContainEqual(expect.stringMatching(/^Failed: broken\.test\.js: .*absent\.js/));
    expect(lines.slice(-2)).toEqual(["2 passed, 2 failed, 2 skipped", ""]);
  });

  it("fails when no test ran", () => {
    expect(tallyOf({})).toBe("\nFailed: no test ran\n1 passed, 1 failed, 0 skipped\n");
  });

  it("fails when vitest reports an error outside any test", () => {
    const leaking = `${passing}it("leaves a promise", () => { void Promise.reject(new Error("left")); });`;
    expect(tallyOf({ "leaking.test.js": leaking })).toBe(
      "\nFailed: vitest reports an error outside any test: left\n3 passed, 1 failed, 0 skipped\n",
    );
  });

  it("fails when vitest leaves no report", () => {
    const tally = new TallyReporter();
    tally.check("build", 0);
    expect(tally.describe(7)).toBe("\nFailed: vitest ended without a report (exit 7)\n1 passed, 1 failed, 0 skipped\n");
    expect(tally.exitCode).toBe(1);
  });

  it("fails when vitest ends with an error that it does not report", () => {
    const tally = new TallyReporter();
    tally.check("check:static", 1);
    const quiet = { children: { allTests: () => [], size: 1 }, state: () => "passed" };
    tally.onTestRunEnd([quiet as unknown as TestModule], []);
    expect(tally.describe(1)).toContain("Failed: vitest reports an error outside any test (exit 1)\n");
  });

  it("counts a missing editor as skipped by hand and as failed in CI", () => {
    const missing = [{ name: "nvim", reason: "not on PATH" }];
    const byHand = new TallyReporter();
    byHand.missing(missing, false);
    expect(byHand.describe(0)).toContain("Skipped: nvim is missing: not on PATH\n");
    const inCi = new TallyReporter();
    inCi.missing(missing, true);
    expect(inCi.describe(0)).toContain("Failed: nvim is missing: not on PATH\n");
  });
});
