/**
 * What the run of all checks comes to. `notes` are the lines that name what failed outside the tests or was skipped.
 *
 * @typedef {{ passed: number, failed: number, skipped: number, notes: string[] }} Tally
 */

/** @returns {Tally} */
export function emptyTally() {
  return { passed: 0, failed: 0, skipped: 0, notes: [] };
}

/** Counts a check that is one program with an exit status. */
export function tallyCheck(tally, name, status) {
  if (status === 0) tally.passed += 1;
  else {
    tally.failed += 1;
    tally.notes.push(`Failed: ${name}`);
  }
}

/** Counts programs the tests need and this machine cannot provide: skipped by hand, failed in CI. */
export function tallyMissing(tally, missing, isCi) {
  for (const { name, reason } of missing) {
    if (isCi) tally.failed += 1;
    else tally.skipped += 1;
    tally.notes.push(`${isCi ? "Failed" : "Skipped"}: ${name} is missing: ${reason}`);
  }
}

/**
 * Adds what vitest reports. A file that did not load, a crash and an empty run each count as a failure, because none
 * of them shows up among the tests.
 *
 * @param {Tally} tally
 * @param {any} report the content of vitest's JSON report, or undefined when it wrote none
 * @param {number} status vitest's exit status
 */
export function tallyVitest(tally, report, status) {
  const before = tally.failed;
  const files = report?.testResults ?? [];
  for (const file of files) tallyFile(tally, file);
  if (report === undefined) fail(tally, `vitest ended without a report (exit ${status})`);
  else if (files.every((file) => file.assertionResults.length === 0) && tally.failed === before)
    fail(tally, "no test ran");
  else if (status !== 0 && tally.failed === before)
    fail(tally, `vitest reports an error outside any test (exit ${status})`);
}

/** The lines to end with; the last one is the count alone. */
export function describeTally(tally) {
  const count = `${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped`;
  return `${["", ...tally.notes, count].join("\n")}\n`;
}

function tallyFile(tally, file) {
  for (const test of file.assertionResults) {
    if (test.status === "passed") tally.passed += 1;
    else if (test.status === "failed") tally.failed += 1;
    else {
      tally.skipped += 1;
      tally.notes.push(`Skipped: ${test.fullName}`);
    }
  }
  const anyFailed = file.assertionResults.some((test) => test.status === "failed");
  if (file.status === "failed" && !anyFailed) fail(tally, `${file.name}: ${file.message || "did not load"}`);
}

function fail(tally, note) {
  tally.failed += 1;
  tally.notes.push(`Failed: ${note}`);
}
