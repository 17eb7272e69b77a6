// `npm test`: prepares the checkout and the editors, runs the static checks and every test, and ends with one plain
// line: how many passed, failed and were skipped. Arguments go to vitest, and then the static checks are left out.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareNode, prepareServer } from "./bootstrap.mjs";
import { runNpm } from "./bootstrap/packages.mjs";
import { provideEditors } from "./editors.mjs";
import { runInForeground } from "./foreground.mjs";
import { provideNodes } from "./nodes.mjs";
import { projectEnvironment, root } from "./paths.mjs";
import { emptyTally, describeTally, tallyCheck, tallyMissing, tallyVitest } from "./tally.mjs";

async function main(args) {
  const tally = emptyTally();
  await attempt(tally, "set-up", async () => {
    const node = prepareNode();
    const environment = projectEnvironment(node);
    await attempt(tally, "build", () => {
      prepareServer(node);
      tallyCheck(tally, "build", 0);
    });
    const missing = [...provideEditors().missing, ...provideNodes().missing];
    tallyMissing(tally, missing, process.env.CI === "true");
    if (args.length === 0) tallyCheck(tally, "check:static", runNpm(root, ["run", "check:static"], environment));
    await runVitest(tally, args, node, environment);
  });
  process.stdout.write(describeTally(tally));
  return tally.failed > 0 || tally.passed === 0 ? 1 : 0;
}

// A server that does not build still leaves tests worth running, so a failure is noted and the run goes on.
async function attempt(tally, name, work) {
  try {
    await work();
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    tallyCheck(tally, name, 1);
  }
}

async function runVitest(tally, args, node, env) {
  const folder = mkdtempSync(join(tmpdir(), "agentq-test-"));
  const report = join(folder, "report.json");
  try {
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const status = await runInForeground(node, [vitest, "run", ...reporters, ...args], { cwd: root, env });
    tallyVitest(tally, readReport(report), status);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

process.exitCode = await main(process.argv.slice(2));
