// What `npm test` runs: the build, and the static checks beside every test once; `--quick` leaves out the tests that take long, and
// `--all` runs them in every version and with all their cases, `--vscode` those that drive a real VS Code, which `npm test` leaves out.
// The run ends with what it cost, and with one plain line: how many
// passed, failed and were skipped. Arguments go to vitest, and then the static checks are left out.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { parseCLI, startVitest } from "vitest/node";
import { prepareServer } from "./bootstrap.mjs";
import { npmCommand } from "./bootstrap/packages.mjs";
import { CostReporter } from "./cost-reporter.ts";
import { provideEditors } from "./editors/provide-editors.ts";
import { errorText } from "./error-text.mjs";
import { provideNodes } from "./nodes/provide-nodes.ts";
import { root } from "./paths.mjs";
import { TallyReporter } from "./tally-reporter.ts";
import { installedRunners } from "../test/support/runners.ts";
import { provideVsCode } from "./vscode/provide-vscode.ts";

/** Something of every room: the units and the tools without their dearest files, and a turn and a review on a real server. */
const QUICK = [
  "test/unit",
  "test/tools",
  "test/architecture",
  "test/docs",
  "test/wire",
  "test/server/turns",
  "test/server/propose-edits",
  "--exclude=test/unit/repl/{child/control,confinement}/**",
  "--exclude=test/unit/repl/{child/leftover-memory,process/every-node,redefine/redefine-c,redefine/survivors}*",
  "--exclude=test/unit/sandbox/{escapes,power-cut,walls,layer/layer.,wall/limits,wall/live-wall}*",
  "--exclude=test/unit/{scripts/each-file,tools/commands/random-programs}*",
  "--exclude=test/unit/{typescript/typescript-service,repl/child/open-handles,repl/process/leaks}*",
  "--exclude=test/tools/{run-tests,runners,rename-runs,checker-as,replace-symbol,compil,bad-projects,large-files}*",
  "--exclude=test/tools/{outside-texts,try-edit,diagnostics-since,search-like-ripgrep,search-hostile}*",
];

const ONCE =
  "Everything ran once, in the newest Node and editors; `npm run test:all` runs it in every version and at length.";

const mode = ["--quick", "--all", "--vscode"].find((each) => each === process.argv[2]);
const args = process.argv.slice(mode === undefined ? 2 : 3);
const isQuick = mode === "--quick";
if (mode === "--all") process.env["AGENTQ_TESTS"] = "all";
const isVsCode = mode === "--vscode";
if (isVsCode) process.env["AGENTQ_VSCODE"] = "1";
// One seed for all files, which repeats the run.
process.env["AGENTQ_SEED"] ??= String(Math.floor(Math.random() * 2 ** 31));
// The linter and the compiler are written in Go and live for seconds: collecting their garbage is a quarter of what they take.
process.env["GOGC"] ??= "400";
const tally = new TallyReporter();
const costs = new CostReporter();

// However the run ends, the count is the last thing it says.
process.once("exit", (status) => {
  process.stdout.write(costs.describe());
  if (mode === undefined && args.length === 0) process.stdout.write(`\n${ONCE}\n`);
  process.stdout.write(`\nAGENTQ_SEED=${process.env["AGENTQ_SEED"]} repeats its random choices.\n`);
  process.stdout.write(tally.describe(status));
  process.exitCode = tally.exitCode;
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));

tally.check("build", buildStatus());
if (!isQuick && !isVsCode)
  tally.missing([...provideEditors().missing, ...provideNodes().missing], process.env["CI"] === "true");
// Before the tests, whose limits are not made for minutes.
if (isVsCode) provideVsCode();
if (!isQuick && !isVsCode && args.length === 0) provideRunners();
const isStaticRight = args.length === 0 && !isVsCode ? checkStatically() : undefined;

const { filter, options } = parseCLI(["vitest", "run", ...(isQuick ? QUICK : []), ...args]);
const { reporter = ["default"], ...others } = options;
const vitest = await startVitest(filter, { ...others, reporters: [...[reporter].flat(), costs, tally] });
if (isStaticRight !== undefined) tally.check("check:static", await isStaticRight);
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

/** A test that finds no runner says why. */
function provideRunners(): void {
  try {
    installedRunners();
  } catch (error) {
    process.stderr.write(`${errorText(error)}\n`);
  }
}

/** The exit status of the static checks, which use what the tests leave while they wait. Their words come in one piece. */
async function checkStatically(): Promise<number> {
  const [file, npmArgs, shellOptions] = npmCommand(["run", "check:static"]);
  const checks = spawn(file, npmArgs, { ...shellOptions, cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [checks.stdout, checks.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
  const [status] = await once(checks, "close");
  process.stderr.write(said);
  return Number(status ?? 1);
}
