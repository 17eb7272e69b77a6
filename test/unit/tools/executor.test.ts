import { describe, expect, it } from "vitest";
import type { AuditEntry } from "../../../server/src/protocol/shapes.ts";
import { ToolExecutor, type ApprovalDecision, type ToolHook } from "../../../server/src/tools/executor.ts";
import { ToolRegistry } from "../../../server/src/tools/registry.ts";
import { createTool, defineTool, ToolFailure, type Tool, type ToolDefinition } from "../../../server/src/tools/tool.ts";

const input = {
  type: "object",
  properties: { name: { type: "string", minLength: 1 }, count: { type: "integer", minimum: 0 } },
  required: ["name"],
  additionalProperties: false,
} as const;

function tool(over: Partial<ToolDefinition<typeof input>>): Tool {
  return defineTool({
    name: "greet",
    description: "Greets.",
    safety: "safe",
    categories: ["test"],
    input,
    run: async ({ name }) => `hello ${name}`,
    ...over,
  });
}

interface Setup {
  readonly executor: ToolExecutor;
  readonly audit: AuditEntry[];
  readonly bugs: unknown[];
}

function setup(tools: Tool[], answer: ApprovalDecision = { decision: "denied" }, hooks: ToolHook[] = []): Setup {
  const registry = new ToolRegistry();
  for (const one of tools) registry.register(one);
  const audit: AuditEntry[] = [];
  const bugs: unknown[] = [];
  const executor = new ToolExecutor({
    registry,
    askApproval: async () => answer,
    audit: (entry) => audit.push(entry),
    logBug: (error) => bugs.push(error),
    hooks,
  });
  return { executor, audit, bugs };
}

const context = { caller: "model", signal: new AbortController().signal } as const;
const call = (args: Record<string, unknown>, name = "greet") => ({ id: "call_1", name, arguments: args });

describe("a tool that says itself which calls need approval", () => {
  const dangerous = { safety: "dangerous", timeoutMs: null } as const;

  it("runs unasked what needs none, in the way that was found, and the audit log says why", async () => {
    const need = { ask: false, because: "proven", run: async () => "found before" } as const;
    const { executor, audit } = setup([tool({ ...dangerous, needsApproval: async () => need })]);
    const result = await executor.execute(call({ name: "Ada" }), context);
    expect(result).toMatchObject({ success: true, content: "found before" });
    expect(result.metadata).not.toHaveProperty("approved");
    expect(audit).toMatchObject([{ outcome: "run", safety: "dangerous", detail: "proven" }]);
  });

  it("is refused without a question where it cannot run", async () => {
    const { executor, audit } = setup([tool({ ...dangerous, needsApproval: async () => ({ refused: "no." }) })]);
    expect(await executor.execute(call({ name: "Ada" }), context)).toMatchObject({
      success: false,
      error: "NOT RUN: no.",
    });
    expect(audit).toMatchObject([{ outcome: "denied" }]);
  });

  it("is asked about when it fails to say", async () => {
    const broken = async (): Promise<never> => {
      throw new Error("broken");
    };
    const { executor, audit, bugs } = setup([tool({ ...dangerous, needsApproval: broken })]);
    expect(await executor.execute(call({ name: "Ada" }), context)).toMatchObject({ success: false });
    expect(audit).toMatchObject([{ outcome: "denied" }]);
    expect(bugs).toHaveLength(1);
  });

  it("hears of valid arguments only, and stops with its turn", async () => {
    let heard = 0;
    const waits = async (): Promise<never> => {
      heard += 1;
      return new Promise(() => {});
    };
    const { executor } = setup([tool({ ...dangerous, needsApproval: waits })]);
    await executor.execute(call({ count: -1 }), context);
    expect(heard).toBe(0);
    const turn = new AbortController();
    const running = executor.execute(call({ name: "Ada" }), { ...context, signal: turn.signal });
    turn.abort();
    expect(await running).toMatchObject({ success: false, error: expect.stringContaining("cancelled") });
    expect(heard).toBe(1);
  });

  it("can become dangerous while it exists", async () => {
    let safety: "safe" | "dangerous" = "safe";
    const { executor } = setup([tool({ safety: () => safety })]);
    expect(await executor.execute(call({ name: "Ada" }), context)).toMatchObject({ success: true });
    safety = "dangerous";
    expect(await executor.execute(call({ name: "Ada" }), context)).toMatchObject({ success: false });
  });
});

describe("the executor", () => {
  it("answers with the id of the call and exactly one of content and error", async () => {
    const { executor } = setup([tool({})]);
    const good = await executor.execute(call({ name: "Ada" }), context);
    expect(good).toMatchObject({ id: "call_1", success: true, content: "hello Ada", metadata: { complete: true } });
    expect(good).not.toHaveProperty("error");
    const bad = await executor.execute(call({}, "nope"), context);
    expect(bad).toMatchObject({ id: "call_1", success: false, content: "" });
    expect(bad.error).toBe('Unknown tool "nope". The tools are: greet.');
  });

  it("names every problem of the arguments with its place, and runs nothing", async () => {
    let ran = false;
    const { executor } = setup([
      tool({
        run: async () => {
          ran = true;
        },
      }),
    ]);
    const result = await executor.execute(call({ count: -1, colour: "red" }), context);
    expect(result.error).toMatchInlineSnapshot(`
      "The arguments of greet are not valid; nothing was run.
      - /name: expected string (required), received nothing
      - /colour: expected one of the known names (name, count), received "red"
      - /count: expected must be >= 0, received -1"
    `);
    expect(ran).toBe(false);
  });

  it("answers nil for a tool that returns nothing", async () => {
    const { executor } = setup([tool({ run: async () => undefined })]);
    expect((await executor.execute(call({ name: "x" }), context)).content).toBe("nil");
  });

  it("turns a throw into an answer, and logs it as a bug unless the tool meant it", async () => {
    const crash = setup([
      tool({
        run: async () => {
          throw new TypeError("boom");
        },
      }),
    ]);
    expect((await crash.executor.execute(call({ name: "x" }), context)).error).toBe("greet failed: boom");
    expect(crash.bugs).toHaveLength(1);
    const meant = setup([
      tool({
        run: async () => {
          throw new ToolFailure("Open the file first.");
        },
      }),
    ]);
    expect((await meant.executor.execute(call({ name: "x" }), context)).error).toBe("Open the file first.");
    expect(meant.bugs).toEqual([]);
  });

  it("never runs a dangerous tool that was not approved", async () => {
    let ran = 0;
    const dangerous = tool({
      safety: "dangerous",
      run: async ({ name }) => {
        ran += 1;
        return name;
      },
    });
    const denied = setup([dangerous], { decision: "denied", message: "not today" });
    const result = await denied.executor.execute(call({ name: "x" }), context);
    expect(result.error).toContain("NOT RUN");
    expect(result.error).toContain("not today");
    expect(ran).toBe(0);
    expect(denied.audit).toMatchObject([{ tool: "greet", outcome: "denied" }]);
    const approved = setup([dangerous], { decision: "approved" });
    expect((await approved.executor.execute(call({ name: "x" }), context)).metadata.approved).toBe(true);
    expect(ran).toBe(1);
  });

  it("validates modified arguments again before it runs them", async () => {
    const dangerous = tool({ safety: "dangerous" });
    const wrong = setup([dangerous], { decision: "modified", arguments: { name: "" } });
    expect((await wrong.executor.execute(call({ name: "x" }), context)).error).toContain("not valid");
    const right = setup([dangerous], { decision: "modified", arguments: { name: "Bob" } });
    expect((await right.executor.execute(call({ name: "x" }), context)).content).toBe("hello Bob");
  });

  it("stops waiting for a tool at its deadline and at the caller's cancel, even when the tool ignores both", async () => {
    const hanging = () => new Promise<string>(() => undefined);
    const slow = setup([tool({ timeoutMs: 20, run: hanging })]);
    expect((await slow.executor.execute(call({ name: "x" }), context)).error).toBe(
      "greet did not finish within 0.02 s and was stopped.",
    );
    const abort = new AbortController();
    const cancelled = setup([tool({ run: hanging })]).executor.execute(call({ name: "x" }), {
      caller: "model",
      signal: abort.signal,
    });
    abort.abort();
    expect((await cancelled).error).toBe("greet was cancelled.");
  });

  it("is not changed by a hook that throws", async () => {
    const seen: string[] = [];
    const { executor, bugs } = setup([tool({})], undefined, [
      {
        before: () => {
          throw new Error("bad hook");
        },
        after: (_call, _tool, result) => seen.push(result.content),
      },
    ]);
    expect((await executor.execute(call({ name: "x" }), context)).content).toBe("hello x");
    expect(seen).toEqual(["hello x"]);
    expect(bugs).toHaveLength(1);
  });

  it("records cautious and dangerous calls, not safe ones", async () => {
    const { executor, audit } = setup([tool({}), tool({ name: "touch", safety: "cautious" })]);
    await executor.execute(call({ name: "x" }), context);
    await executor.execute(call({ name: "x" }, "touch"), { ...context, sessionId: "s1" });
    expect(audit).toMatchObject([{ tool: "touch", sessionId: "s1", safety: "cautious", outcome: "run" }]);
  });
});

describe("a tool from any JSON Schema", () => {
  it("is refused with a clear error when the schema is none", () => {
    const schema = { type: "object", properties: { a: { type: "text" } } };
    expect(() => createTool("odd", "Odd.", schema, async () => "x")).toThrow(
      /input schema of odd is not a JSON Schema/,
    );
  });

  it("is validated like every other tool", async () => {
    const schema = { type: "object", properties: { city: { type: "string", pattern: "^[A-Z]" } }, required: ["city"] };
    const { executor } = setup([createTool("capital", "Capitals.", schema, async ({ city }) => `of ${String(city)}`)]);
    expect((await executor.execute(call({ city: "Oslo" }, "capital"), context)).content).toBe("of Oslo");
    expect((await executor.execute(call({ city: "oslo" }, "capital"), context)).error).toContain("must match pattern");
  });
});

describe("the registry", () => {
  const registry = new ToolRegistry();
  it.each([
    ["Bad-Name", { name: "Bad-Name" }, "snake_case"],
    ["an empty description", { description: " " }, "description is empty"],
    [
      "a required name without a property",
      { input: { type: "object", properties: {}, required: ["name"] } as never },
      "requires name",
    ],
  ])("refuses %s", (_title, over, words) => {
    expect(() => registry.register(tool(over))).toThrow(words);
  });

  it("replaces a tool that is registered again, and filters by safety and category together", () => {
    registry.register(tool({}));
    registry.register(tool({ description: "Greets better." }));
    registry.register(tool({ name: "wipe", safety: "dangerous", categories: ["edit"] }));
    expect(registry.listTools().map((info) => info.description)).toEqual(["Greets better.", "Greets."]);
    expect(registry.getTools({ maxSafety: "cautious" }).map(({ name }) => name)).toEqual(["greet"]);
    expect(registry.getTools({ maxSafety: "cautious", categories: ["edit"] })).toEqual([]);
  });

  it("does not offer the model a tool that cannot run here, and says why", () => {
    registry.register(tool({ name: "paint", unavailable: () => "No canvas." }));
    expect(registry.toolsToSchema().map(({ name }) => name)).not.toContain("paint");
    expect(registry.listTools().find(({ name }) => name === "paint")).toMatchObject({
      available: false,
      unavailableReason: "No canvas.",
    });
  });
});
