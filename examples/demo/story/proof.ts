/** What the demo checks with its own hands: the person's own evaluation, and the project's tests. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { AgentqClient } from "../../../server/src/client/agentq-client.ts";

const REFUND = `import { billOrder, money, parseOrder, refund, results } from "./src/index.ts";
refund(
  billOrder("2026-1", results.unwrap(parseOrder(\`order 2041 for Harbour Books
    1 x pen @ 5.00 EUR exempt
    1 x ink @ 5.00 EUR exempt
    1 x pad @ 5.00 EUR exempt\`))),
  "C-1", "late", money("10.00 EUR"),
).net.toString()`;

export const WRONG = "-9.99 EUR";
export const RIGHT = "-10.00 EUR";

/** What a refund of 10.00 EUR over three equal lines books, asked of the project as it is now. */
export async function bookedRefund(client: AgentqClient): Promise<string> {
  const result = await client.request("agentq/evaluate", { code: REFUND });
  const value = result.preview ?? `${result.error?.name ?? result.outcome}: ${result.error?.message ?? "no value"}`;
  return value.replace(/^(["'`])([^]*)\1$/, "$2");
}

/** "16 tests pass", or which fail. */
export async function testSummary(folder: string): Promise<{ readonly ok: boolean; readonly text: string }> {
  const run = promisify(execFile);
  // NODE_TEST_CONTEXT is set when the demo itself is run by a test; the project's own run must not report to that one.
  const { NODE_TEST_CONTEXT: _outer, ...environment } = process.env;
  const args = ["--test", "--test-reporter=tap"];
  try {
    const { stdout } = await run(process.execPath, args, { cwd: folder, env: environment });
    return { ok: true, text: `${/^# pass (\d+)/m.exec(stdout)?.[1] ?? "all"} tests pass` };
  } catch (error) {
    const { stdout = "" } = error as { readonly stdout?: string };
    const failed = Array.from(stdout.matchAll(/^not ok \d+ - (.*)$/gm), ([, name]) => name);
    return { ok: false, text: `tests fail: ${failed.join("; ")}` };
  }
}
