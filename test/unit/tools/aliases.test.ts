/** The other names of tools: which call each is, and what rules make of it. */
import { describe, expect, it } from "vitest";
import { createAliases } from "../../../server/src/tools/aliases.ts";
import { Policy, type PolicyRules } from "../../../server/src/tools/policy/policy.ts";
import { takenArguments } from "../../../server/src/tools/run/valid-arguments.ts";
import { defineTool, type Tool, type ToolContext } from "../../../server/src/tools/tool.ts";

type Arguments = Readonly<Record<string, unknown>>;

const anything = { type: "object", properties: {}, additionalProperties: true } as const;
const context = { callId: "1", caller: "model", signal: AbortSignal.timeout(60_000) } satisfies ToolContext;

function target(name: string, more: object = {}): Tool {
  const said = async (args: Arguments): Promise<string> => `${name} ${JSON.stringify(args)}`;
  return defineTool({ name, description: "Does it.", input: anything, run: said, ...more });
}

const trace = target("trace_function", {
  input: {
    type: "object",
    properties: { symbol: { type: "string" }, path: { type: "string" }, off: { type: "boolean" } },
  },
  safety: "dangerous",
  categories: ["execution"],
});
const edits = target("propose_edits", {
  safety: "dangerous",
  categories: ["edit"],
  asksItself: true,
  filesOf: (args: Arguments) => [JSON.stringify(args)],
});
const evaluate = target("eval_form", {
  input: { type: "object", properties: { form: { type: "string" }, path: { type: "string" } } },
  safety: "dangerous",
  needsApproval: async (asked: Arguments) => ({
    ask: false,
    because: "proved",
    run: async () => `proved ${String(asked["path"])}`,
  }),
});
const tools = [
  trace,
  edits,
  evaluate,
  ...["describe_symbol", "list_directory", "get_repl_history", "apply_code_action"].map((name) => target(name)),
];
const aliases = createAliases(tools);
const named = (name: string): Tool => aliases.find((each) => each.name === name) ?? expect.unreachable(name);

describe("a call by another name", () => {
  it.each<[name: string, args: Arguments, call: string]>([
    ["function_arglist", { symbol: "add" }, 'describe_symbol {"symbol":"add"}'],
    ["directory_tree", { path: "src" }, 'list_directory {"depth":3,"path":"src"}'],
    ["directory_tree", { depth: 1 }, 'list_directory {"depth":1}'],
    ["eval_in_package", { form: "1", path: "src/a.ts" }, 'eval_form {"form":"1","path":"src/a.ts"}'],
    ["untrace_function", {}, 'trace_function {"off":true}'],
    ["untrace_function", { symbol: "add" }, 'trace_function {"symbol":"add","off":true}'],
    ["get_last_error", {}, 'get_repl_history {"id":"last_error"}'],
    ["get_compilation_notes", {}, 'get_repl_history {"id":"latest"}'],
    ["organize_imports", { path: "a.ts" }, 'apply_code_action {"path":"a.ts","action":"source.organizeImports"}'],
    [
      "organize_imports",
      { path: "a.ts", mode: "sort" },
      'apply_code_action {"path":"a.ts","action":"source.sortImports"}',
    ],
  ])("%s %j is the call of its tool", async (name, args, call) => {
    expect(await takenArguments(named(name), args)).toEqual({ args });
    expect(await named(name).run(args, context)).toBe(call);
  });

  it.each<[name: string, args: Arguments, edit: Arguments]>([
    ["propose_file_edit", { path: "a", original: "1", modified: "2" }, { path: "a", original: "1", modified: "2" }],
    ["write_file", { path: "a", content: "" }, { op: "write", path: "a", modified: "" }],
    ["write_to_buffer", { path: "a", content: "1" }, { op: "write", path: "a", modified: "1" }],
    ["edit_file", { path: "a", old: "1", new: "2" }, { op: "replace", path: "a", original: "1", modified: "2" }],
    [
      "insert_at_line",
      { path: "a", line: 3, content: "1" },
      { op: "insert_at_line", path: "a", line: 3, modified: "1" },
    ],
    ["create_file", { path: "a", content: "1" }, { op: "create", path: "a", modified: "1" }],
    ["move_file", { path: "a", to: "b" }, { op: "move", path: "a", to: "b" }],
    ["delete_file", { path: "a" }, { op: "delete", path: "a" }],
  ])("%s %j proposes one edit", async (name, args, edit) => {
    expect(await takenArguments(named(name), { ...args, description: "Why." })).toMatchObject({ args });
    const call = (description: string): string => JSON.stringify({ description, edits: [edit] });
    expect(await named(name).run({ ...args, description: "Why." }, context)).toBe(`propose_edits ${call("Why.")}`);
    expect(await named(name).run({ ...args, description: "" }, context)).toContain('"No reason was given."');
    expect(named(name).filesOf?.(args)).toEqual([call("No reason was given.")]);
  });

  it("requires what the call needs, and refuses what it does not know", async () => {
    expect(await takenArguments(named("eval_in_package"), { form: "1" })).toMatchObject({
      invalid: expect.stringContaining("path") as unknown,
    });
    expect(await takenArguments(named("write_file"), { path: "a", content: "1", op: "delete" })).toMatchObject({
      invalid: expect.stringContaining("op") as unknown,
    });
  });

  it("is asked about, and run, as its tool says, and offered to no model", async () => {
    const alias = named("eval_in_package");
    const need = await alias.needsApproval?.({ form: "1", path: "src/a.ts" }, context);
    expect(need).toMatchObject({ ask: false, because: "proved" });
    expect(await (need as { run: Tool["run"] }).run({ form: "1", path: "src/a.ts" }, context)).toBe("proved src/a.ts");
    expect(aliases.filter(({ isOffered }) => isOffered)).toEqual([]);
    expect(named("write_file")).toMatchObject({ safety: "dangerous", asksItself: true, categories: ["edit"] });
  });
});

describe("a rule", () => {
  const rulesOn = (rules: PolicyRules, name: string, args: Arguments): unknown => {
    const tool = [...tools, ...aliases].find((each) => each.name === name) ?? expect.unreachable();
    const policy = new Policy(rules);
    if (policy.denied(tool, args) !== undefined) return "denied";
    const verdict = policy.verdict({ id: "1", name, arguments: args }, tool, { ask: true }, true);
    return verdict.ask ? "asked" : "open";
  };

  it.each<[rules: PolicyRules, name: string, args: Arguments, verdict: string]>([
    [{ deny: ["untrace_function"] }, "untrace_function", {}, "denied"],
    [{ deny: ["untrace_function"] }, "trace_function", {}, "asked"],
    [{ deny: ["trace_function"] }, "untrace_function", {}, "denied"],
    [{ deny: ['trace_function({"off":true})'] }, "untrace_function", {}, "denied"],
    [{ deny: ['untrace_function({"function":"add"})'] }, "untrace_function", { symbol: "add" }, "denied"],
    [{ deny: ["write_file(src/**)"] }, "write_file", { path: "src/a.ts", content: "" }, "denied"],
    [{ deny: ["propose_edits(src/**)"] }, "write_file", { path: "src/a.ts", content: "" }, "denied"],
    [{ deny: ["edit(src/**)"] }, "move_file", { path: "a.ts", to: "src/a.ts" }, "denied"],
    [{ allow: ["trace_function"] }, "untrace_function", {}, "open"],
    [{ allow: ['trace_function({"symbol":"add"})'] }, "untrace_function", { symbol: "add" }, "asked"],
    [{ allow: ['untrace_function({"symbol":"add"})'] }, "untrace_function", { symbol: "add" }, "open"],
    [{ allow: ["untrace_function"] }, "trace_function", { symbol: "add" }, "asked"],
    [{ allow: ["eval_form(1)"] }, "eval_in_package", { form: "1", path: "src/a.ts" }, "asked"],
  ])("%j makes of %s %j: %s", (rules, name, args, verdict) => {
    expect(rulesOn(rules, name, args)).toBe(verdict);
  });

  it("on the files that a proposal changes is a rule on proposals by every name", () => {
    const policy = new Policy({ deny: ["propose_edits(src/**)"] });
    expect(policy.deniedFile(named("delete_file"), ["src/a.ts"])).toMatchObject({ path: "src/a.ts" });
    expect(policy.deniesSome(named("delete_file"))).toBeDefined();
    expect(policy.problems([...tools, ...aliases])).toEqual([]);
    expect(new Policy({ ask: ["write_file"], deny: ["write_fil"] }).problems([...tools, ...aliases])).toEqual([
      expect.stringContaining("Did you mean write_file?"),
      expect.stringContaining("an edit is always reviewed"),
    ]);
  });
});
