import { describe, expect, it } from "vitest";
import { AuditLog } from "../../../../server/src/tools/consent/audit-log.ts";
import type { JsonSchema } from "../../../../server/src/protocol/shapes.ts";
import type { AuditEntry, ToolResult } from "../../../../server/src/protocol/tool-shapes.ts";
import type { ApprovalDecision } from "../../../../server/src/tools/consent/approval-decision.ts";
import { ToolExecutor, type ExecutorPorts } from "../../../../server/src/tools/run/executor.ts";
import type { ToolHook } from "../../../../server/src/tools/run/tool-hook.ts";
import { ToolRegistry } from "../../../../server/src/tools/run/registry.ts";
import {
  createTool,
  defineTool,
  ToolFailure,
  type ForeignTool,
  type Tool,
  type ToolDefinition,
} from "../../../../server/src/tools/tool.ts";

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
  readonly audit: readonly AuditEntry[];
  readonly bugs: unknown[];
}

function setup(
  tools: Tool[],
  answer: ApprovalDecision = { decision: "denied" },
  hooks: ToolHook[] = [],
  ports: Partial<ExecutorPorts> = {},
): Setup {
  const registry = new ToolRegistry();
  for (const one of tools) registry.register(one);
  const log = new AuditLog();
  const bugs: unknown[] = [];
  const executor = new ToolExecutor({
    registry,
    askApproval: async () => answer,
    audit: (entry) => log.record(entry),
    logBug: (error) => bugs.push(error),
    hooks,
    ...ports,
  });
  return {
    executor,
    get audit() {
      return log.page().items;
    },
    bugs,
  };
}

const context = { caller: "model", signal: new AbortController().signal } as const;
const call = (args: Record<string, unknown>, name = "greet") => ({ id: "call_1", name, arguments: args });

const ALL = "The tools: greet, get_repl_history, read_history.";

describe("a tool that says itself which calls need approval", () => {
  const dangerous = { safety: "dangerous", timeoutMs: null } as const;

  it("runs a call that needs none unasked, in the way that was found, and the audit log says why", async () => {
    const need = { ask: false, because: "proven", run: async () => "found before" } as const;
    const made = setup([tool({ ...dangerous, needsApproval: async () => need })]);
    const { executor } = made;
    const result = await executor.execute(call({ name: "Ada" }), context);
    expect(result).toMatchObject({ success: true, content: "found before" });
    expect(result.metadata).not.toHaveProperty("approved");
    expect(made.audit).toMatchObject([{ outcome: "run", safety: "dangerous", detail: "proven" }]);
  });

  it("is refused without a question where it cannot run", async () => {
    const made = setup([tool({ ...dangerous, needsApproval: async () => ({ refused: "no." }) })]);
    expect(await made.executor.execute(call({ name: "Ada" }), context)).toMatchObject({
      success: false,
      error: "NOT RUN: no.",
    });
    expect(made.audit).toMatchObject([{ outcome: "denied" }]);
  });

  it("is asked about when it fails to say", async () => {
    const broken = async (): Promise<never> => {
      throw new Error("broken");
    };
    const made = setup([tool({ ...dangerous, needsApproval: broken })]);
    expect(await made.executor.execute(call({ name: "Ada" }), context)).toMatchObject({ success: false });
    expect(made.audit).toMatchObject([{ outcome: "denied" }]);
    expect(made.bugs).toHaveLength(1);
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
    expect(bad.error).toBe('Unknown tool "nope". The tools: greet.');
  });

  it.each([
    ["greeet", "Did you mean greet?"],
    ["getHistory", "Did you mean get_repl_history or read_history?"],
    ["the_file", ALL],
    ["old_greeet", "Did you mean old_greet?"],
    ["get", ALL],
    ["__proto__", ALL],
  ])(
    "names tools that %s may have meant, those outside of the core only where they are spelt so",
    async (name, near) => {
      const { executor } = setup([
        tool({}),
        tool({ name: "old_greet", isOffered: false }),
        tool({ name: "file_history", isOffered: false }),
        tool({ name: "get_repl_history" }),
        tool({ name: "read_history" }),
      ]);
      const { error } = await executor.execute(call({}, name), context);
      expect(error).toBe(`Unknown tool "${name}". ${near}`);
    },
  );

  it.each(["Bash", "run_terminal_cmd", "functions.shell", "mcp__other__execute_command", "str_replace_editor", "Grep"])(
    "tells which tool does what %s does elsewhere, with its parameters",
    async (name) => {
      const { executor } = setup([tool({ name: "run_command" }), tool({ name: "propose_edits" }), tool({})]);
      const { error } = await executor.execute(call({}, name), context);
      const said = /str/.test(name)
        ? "propose_edits {"
        : /Grep/.test(name)
          ? "The tools: "
          : "run_command {name, count?} does";
      expect(error).toContain(`Unknown tool "${name}". ${said}`);
    },
  );

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
      - /count: expected >= 0, received -1"
    `);
    expect(ran).toBe(false);
  });

  it.each([
    ["glob", ["*.ts", "*.md"], '; several are one text with commas: "*.ts, *.md"'],
    ["pattern", ["x", "y"], '; several are one regular expression: "x|y"'],
    ["symbol", ["f", "C"], "; it takes one: make a call for each, in one reply"],
    ["symbol", [1, 2], ""],
  ])("says what to write in place of a list for %s", async (name, list, words) => {
    const inputSchema = { type: "object", properties: { [name]: { type: "string" } } };
    const { executor } = setup([createTool({ name: "find", description: "Finds.", inputSchema, invoke: () => 1 })]);
    const { error } = await executor.execute(call({ [name]: list }, "find"), context);
    expect(error).toContain(`/${name}: expected string, received ${JSON.stringify(list)}${words}`);
    expect(error?.endsWith(words === "" ? "]" : words)).toBe(true);
  });

  it("takes a text for the whole number that it spells, where a number is asked for, and nothing else for one", async () => {
    const { executor } = setup([tool({ run: async ({ name, count }) => `${name} ${typeof count} ${count}` })]);
    expect(await executor.execute(call({ name: "5", count: "5" }), context)).toMatchObject({ content: "5 number 5" });
    for (const count of ["5.5", "five", "", "-1"]) {
      expect((await executor.execute(call({ name: "a", count }), context)).error).toContain("- /count: expected");
    }
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
    expect(await wrong.executor.execute(call({ name: "x" }), context)).toMatchObject({
      error: expect.stringContaining('The person changed the arguments to {"name":""}'),
      metadata: { approved: false },
    });
    const right = setup([dangerous], { decision: "modified", arguments: { name: "Bob" }, message: "him instead" });
    const result = await right.executor.execute(call({ name: "x" }), context);
    expect(result.content).toMatchInlineSnapshot(`
      "The person changed the arguments to {"name":"Bob"}; what follows answers that call, not yours.
      The person says: him instead

      hello Bob"
    `);
    expect(result.metadata).toMatchObject({ approved: true, modifiedArguments: { name: "Bob" } });
    expect(right.audit).toMatchObject([
      { decision: "modified", arguments: { name: "x" }, modifiedArguments: { name: "Bob" }, message: "him instead" },
    ]);
  });

  it("hands on what the person says with a yes, and puts no words into their mouth", async () => {
    const dangerous = tool({ safety: "dangerous" });
    const yes = setup([dangerous], { decision: "approved", message: "but only once" });
    expect((await yes.executor.execute(call({ name: "x" }), context)).content).toBe(
      "The person approved this call. The person says: but only once\n\nhello x",
    );
    const nobody = setup([dangerous], { decision: "denied", because: "nobody could be asked." });
    const { error } = await nobody.executor.execute(call({ name: "x" }), context);
    expect(error).toBe("NOT RUN: nobody could be asked. Nothing happened.");
    expect(nobody.audit[0]).not.toHaveProperty("decision");
  });

  it.each([undefined, null, {}, "approved", { decision: "bogus" }, { decision: "modified" }])(
    "takes %j for a No",
    async (answer) => {
      let ran = false;
      const run = async () => void (ran = true);
      const { executor } = setup([tool({ safety: "dangerous", run })], answer as never);
      expect(await executor.execute(call({ name: "x" }), context)).toMatchObject({ success: false });
      expect(ran).toBe(false);
    },
  );

  it("answers, whatever its own parts throw", async () => {
    const fail = (): never => {
      throw new Error("broken part");
    };
    const broken = (ports: Partial<ExecutorPorts>, over: Partial<ToolDefinition<typeof input>> = {}) =>
      setup([tool({ safety: "dangerous", ...over })], { decision: "approved" }, [], ports).executor.execute(
        call({ name: "x" }),
        context,
      );
    expect(await broken({ audit: fail, logBug: fail })).toMatchObject({ success: true });
    expect(await broken({ askApproval: fail })).toMatchObject({ success: false });
    expect(await broken({}, { unavailable: fail })).toMatchObject({ success: false });
    let isMade = false;
    const safety = (): "safe" => (isMade ? fail() : "safe");
    const late = setup([tool({ safety })]);
    isMade = true;
    expect(await late.executor.execute(call({ name: "x" }), context)).toMatchObject({ success: false });
  });

  it("takes no arguments that are nested too deeply or too large, and keeps its own words short", async () => {
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 100_000; level += 1) deep = { deep };
    const made = setup([tool({ safety: "cautious", run: async () => Promise.reject(new Error("x".repeat(1e6))) })]);
    const run = (args: Record<string, unknown>): Promise<ToolResult> => made.executor.execute(call(args), context);
    expect((await run(deep)).error).toBe("The arguments of greet are nested deeper than 200 levels; nothing was run.");
    expect((await run({ name: "x".repeat(2e6) })).error).toContain("larger than 1000000 characters");
    expect((await run({ name: "x" })).error?.length).toBeLessThan(2_100);
    expect(() => JSON.stringify(made.audit)).not.toThrow();
  });

  it("reports what a review had applied before the call was cancelled, and does not count the person's time as the tool's", async () => {
    const abort = new AbortController();
    const review = tool({
      safety: "dangerous",
      asksItself: true,
      timeoutMs: null,
      run: async (_args, { signal, onWaiting, onReviewed }) => {
        onWaiting?.();
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        onReviewed?.([{ path: "a.ts", title: "a.ts:1", state: "accepted", applied: true }]);
        return "PARTIALLY APPLIED";
      },
    });
    const made = setup([review]);
    const running = made.executor.execute(call({ name: "x" }), { caller: "model", signal: abort.signal });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    abort.abort();
    const result = await running;
    expect(result).toMatchObject({ success: true, content: "PARTIALLY APPLIED", metadata: { approved: true } });
    expect(result.metadata.executionTimeMs).toBeLessThan(900);
    expect(made.audit).toMatchObject([
      { hunks: [{ path: "a.ts", title: "a.ts:1", state: "accepted", applied: true }] },
    ]);
  });

  it("stops waiting for a tool at its deadline and at the caller's cancel, even when the tool ignores both", async () => {
    const hanging = () => new Promise<string>(() => undefined);
    const slow = setup([tool({ timeoutMs: 20, run: hanging })]);
    expect((await slow.executor.execute(call({ name: "x" }), context)).error).toBe(
      "greet did not finish within 0.02 s and was stopped.",
    );
    const cancelledWhileItRuns = async (safety: "safe" | "cautious"): Promise<string | undefined> => {
      const abort = new AbortController();
      const begun = Promise.withResolvers<void>();
      const run = (): Promise<string> => {
        begun.resolve();
        return hanging();
      };
      const running = setup([tool({ safety, run })]).executor.execute(call({ name: "x" }), {
        caller: "model",
        signal: abort.signal,
      });
      await begun.promise;
      abort.abort();
      return (await running).error;
    };
    expect(await cancelledWhileItRuns("safe")).toBe("greet was cancelled.");
    expect(await cancelledWhileItRuns("cautious")).toBe(
      "greet was cancelled while it ran: what it had done by then stays.",
    );
  });

  it("runs nothing for a caller who is gone, and says so", async () => {
    let runs = 0;
    const run = async (): Promise<string> => `${++runs}`;
    const { executor } = setup([tool({ run })]);
    const { error } = await executor.execute(call({ name: "x" }), { caller: "model", signal: AbortSignal.abort() });
    expect([runs, error]).toEqual([0, "NOT RUN: the call was cancelled."]);
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
    let seen: unknown;
    const touch = tool({ name: "touch", safety: "cautious", run: async () => void (seen = made.audit[0]?.outcome) });
    const gone = tool({ name: "gone", safety: "cautious", unavailable: () => "Not here." });
    const made = setup([tool({}), touch, gone]);
    const { executor } = made;
    await executor.execute(call({ name: "x" }), context);
    await executor.execute(call({ name: "x" }, "touch"), { ...context, sessionId: "s1" });
    await executor.execute(call({}, "gone"), { ...context, caller: "person" });
    await executor.execute(call({}, "nope"), context);
    expect(seen).toBe("running");
    expect(made.audit).toMatchObject([
      {
        tool: "touch",
        sessionId: "s1",
        safety: "cautious",
        outcome: "run",
        caller: "model",
        durationMs: expect.any(Number),
      },
      { tool: "gone", outcome: "unavailable", caller: "person" },
      { tool: "nope", outcome: "unknown" },
    ]);
  });
});

const giving = (invoke: () => unknown): Tool =>
  createTool({ name: "give", description: "Gives.", inputSchema: { type: "object" }, invoke });
const counting = (inputSchema: JsonSchema): ForeignTool => ({
  name: "count",
  description: "Counts.",
  inputSchema,
  invoke: () => 1,
});

describe("a tool from any JSON Schema", () => {
  it("is refused with a clear error when the schema is none", () => {
    const schema = { type: "object", properties: { a: { type: "text" } } };
    expect(() =>
      createTool({ name: "odd", description: "Odd.", inputSchema: schema, invoke: async () => "x" }),
    ).toThrow(/input schema of odd is not a JSON Schema/);
  });

  it.each([
    ["7", "text", "7"],
    ["a list", [1, 2], "[1,2]"],
    ["an object", { content: 5 }, '{"content":5}'],
    ["an object with a text in it", { content: "a", title: "b" }, '{"content":"a","title":"b"}'],
    ["an object with notes of its own", { content: "a", notes: "b" }, '{"content":"a","notes":"b"}'],
    ["false", false, "false"],
  ])("answers with JSON what its handler gives back at once: %s", async (_title, value, content) => {
    const given = content === "7" ? 7 : value;
    const { executor } = setup([giving(() => given)]);
    expect(await executor.execute(call({}, "give"), context)).toMatchObject({ success: true, content });
  });

  it.each([
    ["a function has no JSON form", () => () => 1, "cannot be written as JSON"],
    ["a map has none", () => new Map([["a", 1]]), "cannot be written as JSON: it holds a Map"],
    ["a set inside has none", () => ({ all: [new Set([1])] }), "cannot be written as JSON: it holds a Set"],
    ["an error has none", () => new Error("e"), "cannot be written as JSON: it holds an Error"],
    ["an error with a code has none", () => Object.assign(new Error("e"), { code: 1 }), "it holds an Error"],
    ["parameters of an address have none", () => ({ q: new URLSearchParams("a=1") }), "it holds a URLSearchParams"],
    ["an iterator has none", () => [1].values(), "it holds an Array Iterator"],
    ["a buffer without a view has none", () => new ArrayBuffer(8), "it holds an ArrayBuffer"],
    ["a date that is none", () => ({ at: new Date("x") }), "it holds an invalid Date"],
    ["a function in a list has none", () => [() => 1], "it holds a function"],
    ["a regular expression has none", () => /a/, "cannot be written as JSON: it holds a RegExp"],
    ["no number", () => ({ mean: 0 / 0 }), "cannot be written as JSON: it holds NaN"],
    ["no end", () => [Infinity], "cannot be written as JSON: it holds Infinity"],
    [
      "an error without words",
      () => {
        throw new ToolFailure("");
      },
      "give failed: it did not say why.",
    ],
  ])("fails with a reason: %s", async (_title, invoke, words) => {
    const { executor } = setup([giving(invoke)]);
    const result = await executor.execute(call({}, "give"), context);
    expect(result).toMatchObject({ success: false, content: "", error: expect.stringContaining(words) });
  });

  it.each([
    ["http://json-schema.org/draft-07/schema#"],
    ["https://json-schema.org/draft/2019-09/schema"],
    ["https://json-schema.org/draft/2020-12/schema"],
  ])("may be of the dialect %s, and be made twice with one $id", async ($schema) => {
    const schema = { $schema, $id: "https://example.org/count", type: "object", properties: { n: { const: 1 } } };
    createTool(counting(schema));
    const { executor } = setup([createTool(counting(schema))]);
    expect(await executor.execute(call({ n: 1 }, "count"), context)).toMatchObject({ success: true });
    expect(await executor.execute(call({ n: 2 }, "count"), context)).toMatchObject({ success: false });
  });

  it("cannot be changed through its definition, nor by anybody who holds it", () => {
    const schema = { type: "object", properties: { n: { type: "integer" } } };
    const made = createTool({ ...counting(schema), categories: ["a"] });
    schema.properties.n.type = "string";
    expect(made.inputSchema).toEqual({ type: "object", properties: { n: { type: "integer" } } });
    expect(() => (made.categories as string[]).push("b")).toThrow(TypeError);
    expect(() => ((made.inputSchema["properties"] as Record<string, unknown>)["m"] = {})).toThrow(TypeError);
  });

  it.each([
    ["no name", { name: "" }, "snake_case"],
    ["no description", { description: " " }, "description is empty"],
    ["no handler", { invoke: undefined as never }, "no handler"],
  ])("is refused when it is made with %s", (_title, given, words) => {
    const whole = { name: "do_it", description: "Does.", inputSchema: { type: "object" }, invoke: () => 1 };
    expect(() => createTool({ ...whole, ...given })).toThrow(words);
  });

  it("is validated like every other tool", async () => {
    const schema = { type: "object", properties: { city: { type: "string", pattern: "^[A-Z]" } }, required: ["city"] };
    const invoke = async ({ city }: Readonly<Record<string, unknown>>): Promise<string> => `of ${String(city)}`;
    const capital = createTool({ name: "capital", description: "Capitals.", inputSchema: schema, invoke });
    const { executor } = setup([capital]);
    expect((await executor.execute(call({ city: "Oslo" }, "capital"), context)).content).toBe("of Oslo");
    expect((await executor.execute(call({ city: "oslo" }, "capital"), context)).error).toContain("must match pattern");
  });
});

describe("the tools that run under an id", () => {
  it("are all told: models make the ids, and may give one to several calls", async () => {
    const { promise: over, resolve: end } = Promise.withResolvers<string>();
    const slow = tool({ name: "edit_it", run: async () => over });
    const { executor } = setup([slow, tool({})]);
    const first = executor.execute(call({ name: "a" }, "edit_it"), context);
    await executor.execute(call({ name: "b" }), context);
    expect(executor.runningTools(call({}).id).map(({ name }) => name)).toEqual(["edit_it"]);
    end("done");
    await first;
    expect(executor.runningTools(call({}).id)).toEqual([]);
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
    expect(() => registry.register("greet" as never)).toThrow("cannot be registered: it is no object");
    registry.register(tool({}));
    registry.register(tool({ description: "Greets better." }));
    registry.register(tool({ name: "wipe", safety: "dangerous", categories: ["edit"] }));
    expect(registry.listTools().map((info) => info.description)).toEqual(["Greets better.", "Greets."]);
    expect(registry.getTools({ maxSafety: "cautious" }).map(({ name }) => name)).toEqual(["greet"]);
    expect(registry.getTools({ maxSafety: "cautious", categories: ["edit"] })).toEqual([]);
    expect(registry.getTools({ categories: [] })).toHaveLength(2);
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
