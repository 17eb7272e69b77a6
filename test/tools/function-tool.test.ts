import { afterAll, describe, expect, it } from "vitest";
import { createFunctionTool, type FunctionToolOptions } from "../../server/src/tools/own/function-tool.ts";
import type { ToolContext } from "../../server/src/tools/tool.ts";
import { openFixture } from "./ask-fixture.ts";

const { service } = openFixture("signature-project");
afterAll(() => service.dispose());

const controller = new AbortController();
const context: ToolContext = { callId: "1", caller: "model", signal: controller.signal };

function make(name: string, options: Partial<FunctionToolOptions> = {}) {
  return createFunctionTool(service, {
    function: `src/functions.ts#${name}`,
    invoke: (...parameters: unknown[]) => parameters,
    description: "Does it.",
    ...options,
  });
}

describe("a tool made of a function", () => {
  it("takes name, description and schema from the function", async () => {
    const tool = await createFunctionTool(service, {
      function: "src/functions.ts#searchHTMLPages",
      invoke: () => "",
      categories: ["search"],
    });
    expect(tool).toMatchObject({
      name: "search_html_pages",
      description: "Finds texts. Ends early on a line of its own.\nReturns the places, one a line",
      safety: "safe",
      categories: ["search"],
      inputSchema: { properties: { query: { type: "string" }, limit: { default: 20 } }, required: ["query"] },
    });
    expect(Object.isFrozen(tool)).toBe(true);
  });

  it("lets the caller replace what is derived", async () => {
    const tool = await make("aString", { name: "other", description: "Else.", safety: "dangerous", timeoutMs: 5 });
    expect(tool).toMatchObject({ name: "other", description: "Else.", safety: "dangerous", timeoutMs: 5 });
  });

  it.each([
    [
      "gives parameters by position",
      "twoPatterns",
      { options_2: { b: "2" }, options: { a: "1" } },
      '[{"a":"1"},{"b":"2"}]',
    ],
    ["leaves out what was left out", "anArrow", { name: "a" }, '["a",null]'],
    ["gives one object as it is", "oneObject", { name: "a", age: 1 }, '[{"name":"a","age":1}]'],
    ["gives no object for an optional one", "optionalObject", {}, "[null]"],
    ["spreads a rest parameter", "restParameter", { separator: ",", names: ["a", "b"] }, '[",","a","b"]'],
    ["gives an absent rest parameter nothing", "restParameter", { separator: "," }, '[","]'],
  ])("%s", async (_title, name, args, expected) => {
    const tool = await make(name);
    expect(await tool.run(args, context)).toBe(expected);
  });

  it("gives the signal of the call to a parameter that is an AbortSignal", async () => {
    const tool = await make("withSignal", { invoke: (_query: string, signal: AbortSignal) => `${signal.aborted}` });
    expect(await tool.run({ query: "a" }, context)).toBe("false");
    const aborted = { ...context, signal: AbortSignal.abort() };
    expect(await tool.run({ query: "a" }, aborted)).toBe("true");
  });

  it.each([
    ["a text as it is", () => "text", "text"],
    ["nothing as nothing", () => undefined, undefined],
    ["null as nothing", () => Promise.resolve(null), undefined],
    ["a value as JSON", () => ({ a: [1] }), '{"a":[1]}'],
  ])("answers %s", async (_title, invoke, expected) => {
    const tool = await make("noParameters", { invoke });
    expect(await tool.run({}, context)).toBe(expected);
  });

  it.each([
    ["a bigint", () => 1n],
    ["a function", () => () => 1],
  ])("says so when the result is no JSON: %s", async (_title, invoke) => {
    const tool = await make("noParameters", { invoke });
    await expect(tool.run({}, context)).rejects.toThrow("its result cannot be written as JSON");
  });

  it.each([
    ["functions.ts#aStrin", /Nearest: .*aString/],
    ["src/functions.ts", "is a module; use the address of a function in it"],
    ["overloaded", "means several symbols; use one of src/functions.ts#overloaded, src/refused.ts#overloaded"],
    ["src/refused.ts#severalProblems", "when: a Date is no JSON value"],
    ["src/refused.ts#undocumented", "src/refused.ts#undocumented has no description: write a JSDoc comment"],
  ])("is refused for %s", async (address, message) => {
    const made = createFunctionTool(service, { function: address, invoke: () => "" });
    await expect(made).rejects.toThrow(message);
  });
});
