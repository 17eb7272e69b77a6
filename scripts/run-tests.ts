// What `npm test` runs: the build, the static checks and every test; `--quick` leaves out the tests that take long. The run
// ends with one plain line: how many passed, failed and were skipped. Arguments go to vitest, and then the static checks are
// left out.
import { parseCLI, startVitest } from "vitest/node";
import { prepareServer } from "./bootstrap.mjs";
import { runNpm } from "./bootstrap/packages.mjs";
import { provideEditors } from "./editors/provide-editors.ts";
import { errorText } from "./error-text.mjs";
import { provideNodes } from "./nodes/provide-nodes.ts";
import { root } from "./paths.mjs";
import { TallyReporter } from "./tally-reporter.ts";
import { runsAll } from "../test/support/versions.ts";

/** The units and the tools, without the rooms of the REPL that need its process, runs of tests, and very large projects. */
const QUICK = [
  "test/unit",
  "test/tools",
  "test/architecture",
  "test/docs",
  "--exclude=test/unit/repl/{child,confinement,modules,process,redefine,sight,stages}/**",
  "--exclude=test/tools/{run-tests,compil,bad-projects,large-files}*",
];

const NEWEST =
  "The newest Node and the newest editors ran everything, older ones a contract each; AGENTQ_VERSIONS=all runs everything in all of them.";

const isQuick = process.argv[2] === "--quick";
const args = process.argv.slice(isQuick ? 3 : 2);
const tally = new TallyReporter();

// However the run ends, the count is the last thing it says.
process.once("exit", (status) => {
  if (!runsAll && !isQuick) process.stdout.write(`\n${NEWEST}\n`);
  process.stdout.write(tally.describe(status));
  process.exitCode = tally.exitCode;
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));

tally.check("build", buildStatus());
if (!isQuick) tally.missing([...provideEditors().missing, ...provideNodes().missing], process.env["CI"] === "true");
if (args.length === 0) tally.check("check:static", runNpm(root, ["run", "check:static"]));

const { filter, options } = parseCLI(["vitest", "run", ...(isQuick ? QUICK : []), ...args]);
const reporters = [options.reporters ?? "default"].flat();
const vitest = await startVitest(filter, { ...options, reporters: [...reporters, tally] });
// Ends the process where something that a test left behind would keep it.
await vitest.exit();

// A server that does not build still leaves tests worth running, so a failure is counted and the run goes on.
function buildStatus(): number {
  try {
    prepareServer(process.execPath);
    return 0;
  } catch (error) {
    process.stderr.write(`${errorText(error)}\n`);
    return 1;
  }
}
