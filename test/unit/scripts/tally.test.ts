import { describe, expect, it } from "vitest";
import { describeTally, emptyTally, tallyCheck, tallyMissing, tallyVitest } from "../../../scripts/tally.mjs";
import type { Tally } from "../../../scripts/tally.mjs";

function fileWith(...statuses: string[]) {
  return {
    name: "some.test.ts",
    status: statuses.includes("failed") ? "failed" : "passed",
    assertionResults: statuses.map((status, index) => ({ fullName: `behaves ${index}`, status })),
  };
}

function lastLineOf(tally: Tally): string | undefined {
  return describeTally(tally).trimEnd().split("\n").at(-1);
}

describe("the count of a test run", () => {
  it("ends with one plain line that adds checks and tests", () => {
    const tally = emptyTally();
    tallyCheck(tally, "check:static", 0);
    tallyVitest(tally, { testResults: [fileWith("passed", "passed", "pending", "failed")] }, 1);
    expect(lastLineOf(tally)).toBe("3 passed, 1 failed, 1 skipped");
  });

  it("names every skipped test", () => {
    const tally = emptyTally();
    tallyVitest(tally, { testResults: [fileWith("passed", "pending")] }, 0);
    expect(describeTally(tally)).toContain("Skipped: behaves 1");
  });

  it("fails when no test ran", () => {
    const tally = emptyTally();
    tallyVitest(tally, { testResults: [] }, 0);
    expect(tally.failed).toBe(1);
  });

  it("fails when vitest leaves no report", () => {
    const tally = emptyTally();
    tallyVitest(tally, undefined, 1);
    expect(tally.failed).toBe(1);
  });

  it("counts a test file that does not load as one failure", () => {
    const tally = emptyTally();
    const broken = { name: "broken.test.ts", status: "failed", message: "no such module", assertionResults: [] };
    tallyVitest(tally, { testResults: [fileWith("passed"), broken] }, 1);
    expect(lastLineOf(tally)).toBe("1 passed, 1 failed, 0 skipped");
    expect(tally.notes).toEqual(["Failed: broken.test.ts: no such module"]);
  });

  it("fails when vitest reports an error outside any test", () => {
    const tally = emptyTally();
    tallyVitest(tally, { testResults: [fileWith("passed")] }, 1);
    expect(tally.failed).toBe(1);
  });

  it("counts a missing editor as skipped by hand and as failed in CI", () => {
    const missing = [{ name: "nvim", reason: "not on PATH" }];
    const byHand = emptyTally();
    tallyMissing(byHand, missing, false);
    const inCi = emptyTally();
    tallyMissing(inCi, missing, true);
    expect([byHand.skipped, byHand.failed, inCi.skipped, inCi.failed]).toEqual([1, 0, 0, 1]);
  });
});
