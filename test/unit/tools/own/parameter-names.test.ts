/** One name for one idea in every tool; the names that others use by habit are taken for it. */
import { describe, expect, it } from "vitest";
import { explainDecision } from "../../../../server/src/tools/explain-decision.ts";
import { ToolExecutor } from "../../../../server/src/tools/run/executor.ts";
import { withOwnNames } from "../../../../server/src/tools/own/parameter-names.ts";
import { Policy, type PolicyRules } from "../../../../server/src/tools/policy/policy.ts";
import { ToolRegistry } from "../../../../server/src/tools/run/registry.ts";
import { defineTool } from "../../../../server/src/tools/tool.ts";

const text = { type: "string" } as const;
const schema = {
  type: "object",
  properties: { symbol: text, path: text },
  additionalProperties: false,
} as const;

const tool = defineTool({
  name: "look_at",
  description: "Looks.",
  input: schema,
  run: async (args) => JSON.stringify(args),
});
const inspect = defineTool({
  name: "look_into",
  description: "Looks inside.",
  input: { type: "object", properties: { value: text, inside: text }, additionalProperties: false },
  run: async (args) => JSON.stringify(args),
});

async function answer(name: string, args: Record<string, unknown>, rules: PolicyRules = {}): Promise<string> {
  const registry = new ToolRegistry();
  registry.registerAll([tool, inspect]);
  const executor = new ToolExecutor({
    registry,
    policy: new Policy(rules),
    askApproval: async () => ({ decision: "denied" }),
    audit: () => undefined,
    logBug: (error) => {
      throw error;
    },
  });
  const context = { caller: "model", signal: new AbortController().signal } as const;
  const result = await executor.execute({ id: "1", name, arguments: args }, context);
  return result.error ?? result.content;
}

describe("a call", () => {
  it.each([
    [{ function: "a", package: "b" }],
    [{ variable: "a", file: "b" }],
    [{ class: "a", file_path: "b" }],
    [{ generic_function: "a", path: "b" }],
    [{ symbol: "a", function: "a", path: "b", package: "b" }],
  ])("by other names runs by the tool's own: %j", async (args) => {
    expect(await answer("look_at", args)).toBe('{"symbol":"a","path":"b"}');
  });

  it.each([
    [{ symbol: "a", path: "b", file: "c" }, "`path` and `file` name the same: give `path` alone"],
    [{ function: "a", class: "c" }, "`function` and `class` name the same: give `symbol` alone"],
  ])("that says one thing twice, and not alike, is refused: %j", async (args, problem) => {
    expect(await answer("look_at", args)).toBe(
      `The arguments of look_at are not valid; nothing was run.\n- ${problem}`,
    );
  });

  it("keeps a name that the tool has itself", async () => {
    expect(await answer("look_into", { value: "$1", path: "lines" })).toBe('{"value":"$1","inside":"lines"}');
    const own = { ...schema, properties: { symbol: text, path: text, file: text } };
    expect(withOwnNames(own, { file: "a", path: "b" })).toEqual({ args: { file: "a", path: "b" } });
  });

  it("is left alone where the schema is open, or has no such parameter", async () => {
    const open = { ...schema, additionalProperties: true };
    expect(withOwnNames(open, { file: "a" })).toEqual({ args: { file: "a" } });
    expect(await answer("look_into", { file: "a" })).toContain("not valid");
    expect(withOwnNames(schema, JSON.parse('{"__proto__":"x"}') as Record<string, unknown>)).toMatchObject({
      args: expect.not.objectContaining({ path: "x" }) as unknown,
    });
  });
});

describe("a rule that knows the parameters by other names", () => {
  const denied = { deny: ['look_at({"function": "a", "package": "src/a.ts"})'] };

  it.each([
    [{ symbol: "a", path: "src/a.ts" }],
    [{ function: "a", package: "src/a.ts" }],
    [{ variable: "a", file: "src/a.ts" }],
  ])("stops the call whatever its names are: %j", async (args) => {
    expect(await answer("look_at", args, denied)).toContain("NOT RUN");
  });

  it("opens the call too, and is explained alike", async () => {
    const dangerous = defineTool({ ...tool, input: schema, safety: "dangerous", name: "look_hard" });
    const policy = new Policy({ allow: ['look_hard({"class": "a"})'] });
    const ports = {
      registry: { getTool: () => dangerous },
      policy,
      remembered: { scopeOf: () => undefined },
      canAsk: () => true,
    };
    const decision = async (args: Record<string, unknown>): Promise<string> =>
      (await explainDecision(ports, { tool: "look_hard", arguments: args })).decision;
    expect(await decision({ symbol: "a" })).toBe("run");
    expect(await decision({ function: "a" })).toBe("run");
    expect(await decision({ symbol: "b" })).toBe("ask");
    expect(await decision({ symbol: "a", class: "b" })).toBe("refuse");
  });
});

it("takes the names of other programs' searches, and a name of the tool's own for itself", () => {
  const schemaOf = (...names: readonly string[]): object => ({
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, text])),
    additionalProperties: false,
  });
  const named = (names: readonly string[], args: Record<string, unknown>): unknown =>
    withOwnNames(schemaOf(...names) as never, args);
  expect(named(["glob", "path"], { pattern: "**/*.ts" })).toEqual({ args: { glob: "**/*.ts" } });
  expect(named(["pattern", "glob"], { pattern: "x", glob: "*.ts" })).toEqual({ args: { pattern: "x", glob: "*.ts" } });
  expect(named(["pattern", "glob"], { query: "x" })).toEqual({ args: { pattern: "x" } });
  expect(named(["pattern"], { regex: "x" })).toEqual({ args: { pattern: "x" } });
  expect(named(["path"], { query: "x" })).toEqual({ args: { query: "x" } });
});
