/** The law: no answer that was computed before a change is shown after it, whoever started the calls and when. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolResult } from "../../../server/src/protocol/shapes.ts";
import { ToolExecutor } from "../../../server/src/tools/executor.ts";
import { ToolRegistry } from "../../../server/src/tools/registry.ts";
import { defineTool, ToolFailure, type Tool } from "../../../server/src/tools/tool.ts";

const input = {
  type: "object",
  properties: { id: { type: "string" }, ticks: { type: "integer" } },
  required: ["id", "ticks"],
  additionalProperties: false,
} as const;

const { signal } = new AbortController();

/** A world to which `change` adds its id somewhere in its middle, and of which `look` tells what it saw. */
function createWorld(): {
  readonly executor: ToolExecutor;
  readonly call: (id: string, name: string, ticks: number, caller?: "model" | "person") => Promise<ToolResult>;
  readonly done: Set<string>;
} {
  const world: string[] = [];
  const done = new Set<string>();
  const registry = new ToolRegistry();
  const look = async (ticks: number): Promise<string> => {
    const seen = JSON.stringify(world);
    await pass(ticks);
    return seen;
  };
  const change = async (id: string, ticks: number): Promise<string> => {
    await pass(Math.floor(ticks / 2));
    world.push(id);
    await pass(Math.ceil(ticks / 2));
    done.add(id);
    return "done";
  };
  const tools: Tool[] = [
    defineTool({ name: "look", description: "Looks.", input, run: ({ ticks }) => look(ticks) }),
    defineTool({
      name: "look_for_the_first",
      description: "Fails while there is nothing to see.",
      input,
      run: async ({ ticks }) => {
        const seen = await look(ticks);
        if (seen === "[]") throw new ToolFailure("[]");
        return seen;
      },
    }),
    defineTool({
      name: "change",
      description: "Changes.",
      safety: "cautious",
      input,
      run: ({ id, ticks }) => change(id, ticks),
    }),
  ];
  for (const tool of tools) registry.register(tool);
  const executor = new ToolExecutor({
    registry,
    askApproval: async () => ({ decision: "denied" }),
    audit: () => undefined,
    logBug: () => undefined,
  });
  return {
    executor,
    done,
    call: (id, name, ticks, caller = "model") =>
      executor.execute({ id, name, arguments: { id, ticks } }, { caller, signal }),
  };
}

async function pass(ticks: number): Promise<void> {
  for (let left = ticks; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve));
}

function seenIn({ success, content, error }: ToolResult): string[] {
  return JSON.parse(success ? content : (error ?? "[]")) as string[];
}

function marks({ metadata }: ToolResult): readonly string[] {
  return metadata.notes ?? [];
}

const planned = fc.record({
  name: fc.constantFrom("look", "look_for_the_first", "change"),
  starts: fc.nat(6),
  ticks: fc.nat(6),
});

describe("the answers of one reply", () => {
  it("are not older than a change before them, and no newer than one behind, in whatever order their calls run", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(planned, { minLength: 1, maxLength: 6 }),
        fc.array(planned, { maxLength: 3 }),
        fc.nat(4),
        async (reply, foreign, delay) => {
          const { executor, call, done } = createWorld();
          const run = async (id: string, { name, starts, ticks }: (typeof reply)[number], caller?: "person") => {
            await pass(starts);
            return call(id, name, ticks, caller);
          };
          const others = foreign.map((each, index) => run(`other${index}`, { ...each, name: "change" }, "person"));
          const results = await Promise.all(reply.map((each, index) => run(`own${index}`, each)));
          await pass(delay);
          const answers = results.map((result, index) => ({
            call: { id: `own${index}`, name: reply[index]?.name ?? "" },
            result,
          }));
          const shown = await executor.upToDate(answers, ({ id, name }) => call(id, name, 2));
          const over = new Set(done);
          for (const [index, result] of shown.entries()) {
            if (reply[index]?.name === "change" || marks(result).length > 0) continue;
            const seen = new Set(seenIn(result));
            const before = [...over].filter((id) => id.startsWith("other") || Number(id.slice(3)) < index);
            expect([...seen], `answer ${index}`).toEqual(expect.arrayContaining(before));
            const behind = [...seen].filter((id) => id.startsWith("own") && Number(id.slice(3)) > index);
            expect(behind, `answer ${index}`).toEqual([]);
          }
          await Promise.all(others);
        },
      ),
      { numRuns: 400 },
    );
  });

  it("carry no word about their order when the calls ran in that order", async () => {
    const { executor, call } = createWorld();
    const names = ["look", "change", "look", "look", "change", "look_for_the_first"];
    const answers: { call: { id: string; name: string }; result: ToolResult }[] = [];
    for (const [index, name] of names.entries()) {
      answers.push({ call: { id: `own${index}`, name }, result: await call(`own${index}`, name, index) });
    }
    const shown = await executor.upToDate(answers, async () => {
      throw new Error("Nothing is old.");
    });
    expect(shown.map(({ content }) => content)).toEqual([
      "[]",
      "done",
      '["own1"]',
      '["own1"]',
      "done",
      '["own1","own4"]',
    ]);
    expect(shown.flatMap(marks)).toEqual([]);
  });

  it("are computed again when a change before them ended later", async () => {
    const { executor, call } = createWorld();
    const early = call("b", "look_for_the_first", 0);
    const result = await early;
    expect(result.error).toBe("[]");
    await call("a", "change", 1);
    const answers = [
      { call: { id: "a", name: "change" }, result: await call("a", "change", 1) },
      { call: { id: "b", name: "look_for_the_first" }, result },
    ];
    const [, shown] = await executor.upToDate(answers, ({ id, name }) => call(id, name, 0));
    expect(shown?.content).toBe('["a","a"]');
    expect(shown && marks(shown)).toEqual([]);
  });

  it("keep what was seen before a change behind them, and say who else changed something meanwhile", async () => {
    const { executor, call } = createWorld();
    const look = await call("own0", "look", 0);
    await call("person", "change", 0, "person");
    const answers = [
      { call: { id: "own0", name: "look" }, result: look },
      { call: { id: "own1", name: "change" }, result: await call("own1", "change", 0) },
    ];
    const [shown] = await executor.upToDate(answers, () => call("own0", "look", 0));
    expect(shown?.content).toBe("[]");
    expect(shown && marks(shown)).toEqual(["Computed before change: ask again."]);
  });

  it("say that they are old where no call may run any more", async () => {
    const { executor, call } = createWorld();
    const result = await call("b", "look", 0);
    await call("person", "change", 1, "person");
    const [shown] = await executor.upToDate([{ call: { id: "b", name: "look" }, result }], async () => undefined);
    expect(shown && marks(shown)).toEqual(["Computed before change: ask again."]);
  });

  it("count a decision about a proposal as a change, and one of a call that still runs as the call's own", async () => {
    const { executor, call } = createWorld();
    const look = await call("b", "look", 0);
    const running = call("a", "change", 40);
    await pass(10);
    executor.changed({ callId: "a", what: "a decision" });
    expect(
      (await executor.upToDate([{ call: { id: "b", name: "look" }, result: look }], async () => undefined)).map(marks),
    ).toEqual([[]]);
    await running;
    executor.changed({ callId: undefined, what: "a decision" });
    const [shown] = await executor.upToDate([{ call: { id: "b", name: "look" }, result: look }], async () => undefined);
    expect(shown && marks(shown)).toEqual(["Computed before change and 1 more: ask again."]);
  });

  it("are old when nobody knows how old they are", async () => {
    const { executor, call } = createWorld();
    await call("a", "change", 0);
    const copy = { ...(await call("b", "look", 0)) };
    const again: string[] = [];
    await executor.upToDate([{ call: { id: "b", name: "look" }, result: copy }], async ({ id }) => {
      again.push(id);
      return undefined;
    });
    expect(again).toEqual(["b"]);
  });
});

describe("a call that only looks", () => {
  it("looks again when something changed meanwhile, for a person too", async () => {
    const { call } = createWorld();
    const looking = call("b", "look", 6, "person");
    await call("a", "change", 2);
    const result = await looking;
    expect(result.content).toBe('["a"]');
    expect(marks(result)).toEqual([]);
  });

  it("says that something may still be changing", async () => {
    const { call } = createWorld();
    const changing = call("a", "change", 20);
    expect(marks(await call("b", "look", 1))).toEqual(["Computed while change ran."]);
    await changing;
  });
});
