// Runs test files ten times beside busy loops on every core, and tells each failure with the seed that repeats its choices.
//
//   npm run test:steady -- FILE… [-t TITLE]
//
// The arguments are vitest's. AGENTQ_ROUNDS says another number of rounds.
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { prepareNode, prepareServer } from "./bootstrap.mjs";
import { root } from "./paths.mjs";

const ROUNDS = Number(process.env["AGENTQ_ROUNDS"] ?? 10);

/** What is read of vitest's report. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

const args = process.argv.slice(2);
if (args.length === 0) {
  process.stderr.write("Name the test files that are to be run: npm run test:steady -- test/server/queue.test.ts\n");
  process.exit(2);
}
prepareServer(prepareNode("test"));
const loops = Array.from({ length: availableParallelism() }, () =>
  spawn(process.execPath, ["-e", "for (;;) Math.random();"], { stdio: "ignore" }),
);
process.once("exit", () => {
  for (const loop of loops) loop.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));

const folder = mkdtempSync(join(tmpdir(), "agentq-steady-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
let failed = 0;
for (let round = 1; round <= ROUNDS; round += 1) {
  const seed = String(Math.floor(Math.random() * 2 ** 31));
  const failures = await failuresOf(join(folder, `${round}.json`), seed);
  process.stdout.write(
    `Round ${round} of ${ROUNDS}: ${failures.length === 0 ? "all passed" : `${failures.length} failed`}\n`,
  );
  for (const failure of failures) process.stdout.write(`  AGENTQ_SEED=${seed} ${failure}\n`);
  if (failures.length > 0) failed += 1;
}
process.stdout.write(`${ROUNDS - failed} of ${ROUNDS} rounds passed beside ${loops.length} busy loops\n`);
process.exit(failed > 0 ? 1 : 0);

/** One round: each failed test, and each file that failed otherwise, with the first lines of the reason. */
async function failuresOf(file: string, seed: string): Promise<string[]> {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const report = ["--reporter=json", `--outputFile=${file}`];
  const child = spawn(process.execPath, [vitest, "run", ...report, ...args], {
    cwd: root,
    env: { ...process.env, AGENTQ_SEED: seed },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [code, said] = await endOf(child);
  let results: Report["testResults"];
  try {
    results = (JSON.parse(readFileSync(file, "utf8")) as Report).testResults;
  } catch {
    return [`vitest ended with ${code} and without a report: ${said.trim().slice(-500)}`];
  }
  if (results.length === 0) return ["no test file has such a name"];
  const failures = results.flatMap(({ name, message, assertionResults }) => {
    const failedTests = assertionResults.filter(({ status }) => status === "failed");
    const path = name.slice(root.length + 1);
    if (failedTests.length === 0) return message === "" ? [] : [`${path}: ${firstLines(message)}`];
    return failedTests.map(
      ({ fullName, failureMessages = [] }) => `${path}: ${fullName}: ${firstLines(failureMessages.join("\n"))}`,
    );
  });
  return failures.length === 0 && code !== 0 ? [`vitest ended with ${code}: ${said.trim().slice(-500)}`] : failures;
}

function firstLines(text: string): string {
  const lines = text.split("\n").filter((line) => !line.includes("/node_modules/"));
  return lines.slice(0, 6).join("\n    ");
}

function endOf(child: ChildProcess): Promise<[code: number | null, said: string]> {
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  return new Promise((resolve) => child.once("close", (code) => resolve([code, said])));
}
