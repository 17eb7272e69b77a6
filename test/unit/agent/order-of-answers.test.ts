/** What the model reads of a reply's calls, when the loop starts all of them at once because it takes none for a change. */
import { describe, expect, it } from "vitest";
import { runTurn, type LoopPorts } from "../../../server/src/agent/loop.ts";
import type { ModelEvent, ModelMessage, ToolUseBlock } from "../../../server/src/model/model-port.ts";
import { ToolExecutor } from "../../../server/src/tools/run/executor.ts";
import { ToolRegistry } from "../../../server/src/tools/run/registry.ts";
import { defineTool } from "../../../server/src/tools/tool.ts";

const input = { type: "object", properties: {}, additionalProperties: false } as const;
const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };

async function pass(ticks: number): Promise<void> {
  for (let left = ticks; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Plays one reply of calls with these names, and answers what the model reads of them. */
async function play(...names: readonly string[]): Promise<string[]> {
  let text = "old";
  const registry = new ToolRegistry();
  registry.register(defineTool({ name: "read", description: "Reads.", input, run: async () => text }));
  registry.register(
    defineTool({
      name: "edit",
      description: "Edits.",
      safety: "cautious",
      input,
      run: async () => {
        await pass(5);
        text = "new";
        return "edited";
      },
    }),
  );
  const executor = new ToolExecutor({
    registry,
    askApproval: async () => ({ decision: "denied" }),
    audit: () => undefined,
    logBug: () => undefined,
  });
  const calls = names.map((name, index): ToolUseBlock => ({ kind: "toolUse", id: `${index}`, name, arguments: {} }));
  const replies: ModelEvent[][] = [
    [
      ...calls.map((call): ModelEvent => ({ kind: "toolCallReady", call })),
      { kind: "done", content: calls, stopReason: "toolUse", usage },
    ],
    [{ kind: "done", content: [], stopReason: "endTurn", usage }],
  ];
  const ports: LoopPorts = {
    model: {
      async *stream() {
        for (const event of replies.shift() ?? []) yield await Promise.resolve(event);
      },
    },
    tools: {
      schemas: () => [],
      safetyOf: () => "safe",
      filesOf: () => undefined,
      execute: (call, context) => executor.execute(call, context),
      upToDate: (answers, again) => executor.upToDate(answers, again),
    },
    emit: () => undefined,
    takeQueued: () => [],
    stopped: new AbortController().signal,
    mayGoOn: async () => false,
  };
  const messages: ModelMessage[] = [];
  const turn = { sessionId: "s", modelName: "m", system: "", messages, toldNotes: new Set<string>() };
  await runTurn({ ...turn, maxTokens: 1, maxRounds: 9 }, ports, new AbortController().signal);
  const content = messages.flatMap((message) => (message.role === "user" ? message.content : []));
  return content.map((block) => (block.kind === "toolResult" ? block.content : ""));
}

describe("the answers of one reply", () => {
  it("see the edit that stands before them", async () => {
    expect(await play("edit", "read", "read")).toEqual(["edited", "new", "new"]);
  });

  it("say that they may see an edit that stands behind them", async () => {
    const [read, edit] = await play("read", "edit");
    expect(edit).toBe("edited");
    expect(read).toMatch(/^old(?:\n|$)|^new\nNotes:\n- Computed (?:while edit ran|after edit below began)\./);
  });
});
