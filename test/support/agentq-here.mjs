/** `agentq` for a terminal, and in place of the server that it starts, a line to the one in the test's process. */
import { createRequire, enableCompileCache } from "node:module";
import { connect } from "node:net";

const [command = "", ...args] = process.argv.slice(2);
if (command === "--stdio") {
  const server = connect(process.env["AGENTQ_TEST_SERVER"] ?? "");
  server.on("close", () => process.exit());
  process.stdin.pipe(server).pipe(process.stdout);
} else {
  enableCompileCache();
  /** @type {typeof import("../../server/src/terminal/run.ts")} */
  const { runTerminal } = createRequire(import.meta.url)("../../dist/run.js");
  process.exitCode = await runTerminal(command, args, process);
}
