/** What the road of every tool call costs: beside a request that does nothing, and beside the tool's own function. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { ToolExecutor } from "../../server/src/tools/run/executor.ts";
import { ToolRegistry } from "../../server/src/tools/run/registry.ts";
import { defineTool } from "../../server/src/tools/tool.ts";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { LspClient } from "../support/lsp-client.ts";
import { rowsOf, type MeasureReport, type Row } from "../support/report.ts";
import { inTurns, timed } from "../support/rounds.ts";
import { agentqServer } from "../support/servers.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";

const ROUNDS = 500;
/** A single run of a trivial function is below the clock's resolution. */
const RUNS_PER_SAMPLE = 50;

export async function measureToolOverhead(setting: Setting): Promise<MeasureReport> {
  const rows = [...(await overTheWire(setting)), ...(await insideTheProcess(setting))];
  return { rows, notes: [] };
}

function overTheWire({ program, rounds }: Setting): Promise<Row[]> {
  return inTemporaryFolder(async (folder) => {
    writeFileSync(path.join(folder, "small.ts"), "export const one = 1;\n");
    const client = new LspClient(agentqServer(program), folder);
    try {
      await client.start(folder);
      const call = async (name: string, args: object): Promise<void> => {
        const result = await client.request<ToolResult>("agentq/callTool", { name, arguments: args });
        if (!result.success) throw new Error(`${name}: ${result.error ?? ""}`);
      };
      const samples = await inTurns(
        {
          "bare round trip (listProposals)": () => microseconds(() => client.request("agentq/listProposals", {})),
          "callTool get_last_error": () => microseconds(() => call("get_last_error", {})),
          "callTool read_file, one line": () => microseconds(() => call("read_file", { path: "small.ts" })),
        },
        rounds(ROUNDS),
      );
      return rowsOf({ measure: "tool call over the wire", unit: "µs" }, samples, "bare round trip (listProposals)");
    } finally {
      await client.close();
    }
  });
}

/** Validation, deadline, hooks and result without pipe or JSON. */
async function insideTheProcess({ rounds }: Setting): Promise<Row[]> {
  const echo = defineTool({
    name: "echo",
    description: "Answers its text.",
    input: {
      type: "object",
      properties: { text: { type: "string" } },
      required: ["text"],
      additionalProperties: false,
    },
    safety: "safe",
    categories: [],
    run: ({ text }) => Promise.resolve(text),
  });
  const registry = new ToolRegistry();
  registry.register(echo);
  const askApproval = (): Promise<{ decision: "denied" }> => Promise.resolve({ decision: "denied" });
  const executor = new ToolExecutor({ registry, askApproval, audit: () => undefined, logBug: () => undefined });
  const { signal } = new AbortController();
  const args = { text: "hello" };
  const perRun = async (run: () => Promise<unknown>): Promise<number> => {
    const taken = await microseconds(async () => {
      for (let count = 0; count < RUNS_PER_SAMPLE; count += 1) await run();
    });
    return taken / RUNS_PER_SAMPLE;
  };
  const samples = await inTurns(
    {
      "the tool's function": () => perRun(() => echo.run(args, { callId: "1", caller: "person", signal })),
      "through the executor": () =>
        perRun(() => executor.execute({ id: "1", name: "echo", arguments: args }, { caller: "person", signal })),
    },
    rounds(ROUNDS),
  );
  // No ratio: against a function that does nothing it says nothing.
  return rowsOf({ measure: "tool call inside the process", unit: "µs" }, samples);
}

async function microseconds(work: () => Promise<unknown>): Promise<number> {
  return (await timed(work)) * 1000;
}
