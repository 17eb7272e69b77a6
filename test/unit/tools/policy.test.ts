/** The person's rules, and the ways around them. */
import { describe, expect, it } from "vitest";
import type { AuditEntry } from "../../../server/src/protocol/tool-shapes.ts";
import type { ApprovalDecision } from "../../../server/src/tools/consent/approval-decision.ts";
import { Approvals } from "../../../server/src/tools/consent/approvals.ts";
import type { CallContext } from "../../../server/src/tools/run/call-record.ts";
import { ToolExecutor, type ExecutorPorts } from "../../../server/src/tools/run/executor.ts";
import { explainDecision } from "../../../server/src/tools/explain-decision.ts";
import { Policy, type PolicyRules } from "../../../server/src/tools/policy/policy.ts";
import { ToolRegistry } from "../../../server/src/tools/run/registry.ts";
import { RememberedCalls } from "../../../server/src/tools/consent/remembered-calls.ts";
import { createTool, defineTool, type Tool } from "../../../server/src/tools/tool.ts";

const anything = { type: "object", properties: {}, additionalProperties: true } as const;
const base = { description: "Does it.", input: anything, run: async () => "ran" } as const;

const look = defineTool({ ...base, name: "look", categories: ["buffer"] });
const run = defineTool({ ...base, name: "run_form", safety: "dangerous", categories: ["execution"] });
const checked = defineTool({
  ...base,
  name: "checked_form",
  safety: "dangerous",
  categories: ["execution"],
  needsApproval: async (args) => {
    const { form } = args as { readonly form?: string };
    if (form === "locked") return { refused: "the REPL is locked." };
    return form === "pure" ? { ask: false, because: "proved" } : { ask: true };
  },
});
const edit = defineTool({ ...base, name: "propose", safety: "dangerous", categories: ["edit"], asksItself: true });
const tools = [look, run, checked, edit];

interface Played {
  readonly executor: ToolExecutor;
  readonly asked: string[];
  readonly audit: AuditEntry[];
  readonly bugs: unknown[];
}

function play(
  rules: PolicyRules,
  answer: ApprovalDecision = { decision: "denied" },
  more: Partial<ExecutorPorts> = {},
): Played {
  const registry = new ToolRegistry();
  registry.registerAll(tools);
  const played = { asked: [] as string[], audit: [] as AuditEntry[], bugs: [] as unknown[] };
  const executor = new ToolExecutor({
    registry,
    policy: new Policy(rules, (text) => [text, text.replace("link/", "src/generated/")]),
    askApproval: async (call, _tool, _context, because) => {
      played.asked.push(because ?? call.name);
      return answer;
    },
    audit: (entry) => played.audit.push(entry),
    logBug: (error) => played.bugs.push(error),
    ...more,
  });
  return { executor, ...played };
}

const context: CallContext = { caller: "model", signal: new AbortController().signal };
const call = (name: string, args: Record<string, unknown> = {}) => ({ id: "c", name, arguments: args });
async function outcome(rules: PolicyRules, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { executor, asked } = play(rules);
  const { success, error } = await executor.execute(call(name, args), context);
  if (success) return "ran";
  return asked.length > 0 ? "asked" : (error ?? "").slice(0, 8);
}

describe("a rule", () => {
  const paths = { path: "src/generated/a.ts" };
  it.each([
    ["names a tool", "look", {}, true],
    ["names another tool", "run_form", {}, false],
    ["names a category", "buffer", {}, true],
    ["is for all", "*", {}, true],
    ["is a pattern of a path", "look(src/generated/**)", paths, true],
    ["is a folder", "look(src/generated)", paths, true],
    ["is a pattern of one folder", "look(src/*)", { path: "src/a.ts" }, true],
    ["is a pattern with choices", "*(src/{gen,generated}/*.ts)", paths, true],
    ["is a pattern, and the path is another", "look(src/generated/**)", { path: "src/generated2/a.ts" }, false],
    ["is a pattern, and the path is in other letters", "look(src/generated/**)", { path: "SRC/Generated/a.ts" }, true],
    ["is a pattern, and the path leads there", "look(src/generated/**)", { path: "link/a.ts" }, true],
    ["is a pattern, and an address names the file", "look(src/generated/**)", { symbol: "src/generated/a.ts#X" }, true],
    ["is a pattern, and the path is deep inside", "look(src/generated/**)", { edits: [{ at: paths }] }, true],
    ["is a text", "look(1 + 1)", { form: " 1 + 1 " }, true],
    ["is a text, and the call has another", "look(1 + 1)", { form: "1 + 2" }, false],
    ["is the arguments in another order", 'look({"b": 1, "a": [2]})', { a: [2], b: 1 }, true],
    ["is other arguments", 'look({"a": [2]})', { a: [2], b: 1 }, false],
    ["is a path with brackets as frameworks have them", "look(app/[id].tsx)", { path: "app/[id].tsx" }, true],
  ])("of deny that %s", async (_title, rule, args, isMeant) => {
    expect(await outcome({ deny: [rule] }, "look", args)).toBe(isMeant ? "NOT RUN:" : "ran");
  });
});

describe("the order", () => {
  it.each([
    ["deny is before allow", { deny: ["run_form"], allow: ["run_form"] }, "run_form", {}, "NOT RUN:"],
    ["ask is before allow", { ask: ["run_form"], allow: ["run_form"] }, "run_form", {}, "asked"],
    ["allow is before the default", { allow: ["run_form"] }, "run_form", {}, "ran"],
    ["the default asks about what is dangerous", {}, "run_form", {}, "asked"],
    ["ask asks about what is safe too", { ask: ["look"] }, "look", {}, "asked"],
    [
      "the tool's own refusal is before allow",
      { allow: ["checked_form(locked)"] },
      "checked_form",
      { form: "locked" },
      "NOT RUN:",
    ],
    ["the tool's own proof is before ask", { ask: ["*"] }, "checked_form", { form: "pure" }, "ran"],
    ["an edit is reviewed whatever is allowed or asked", { ask: ["*"], allow: ["*"] }, "propose", {}, "ran"],
    ["deny stops an edit before its review", { deny: ["edit"] }, "propose", {}, "NOT RUN:"],
  ] as const)("is kept: %s", async (...[, rules, name, args, expected]) => {
    expect(await outcome(rules, name, args)).toBe(expected);
  });
});

describe("an allowance", () => {
  it.each([
    ["by the name of a tool opens nothing that the tool itself asks about", "checked_form", { form: "x" }, "asked"],
    ["of everything neither", "*", { form: "x" }, "asked"],
    ["of a pattern neither", "checked_form(x*)", { form: "xyz" }, "asked"],
    ["of the very text does", "checked_form(x * 2)", { form: "x * 2" }, "ran"],
    ["of the very text does not with another argument beside it", "checked_form(x)", { form: "x", path: "a" }, "asked"],
    ["of the very arguments does", 'checked_form({"form": "x", "n": 1})', { n: 1, form: "x" }, "ran"],
  ])("%s", async (_title, rule, args, expected) => {
    expect(await outcome({ allow: [rule] }, "checked_form", args)).toBe(expected);
  });

  it("by a pattern holds for paths in arguments that are paths alone", async () => {
    const rules = { allow: ["run_form(src/**)"] };
    expect(await outcome(rules, "run_form", { path: "src/a.ts" })).toBe("ran");
    expect(await outcome(rules, "run_form", { form: "src/a.ts" })).toBe("asked");
    expect(await outcome(rules, "run_form", { path: "src/a.ts", form: "rm()" })).toBe("asked");
    // The link leads into the folder, but the path is spelt outside of it.
    expect(await outcome({ allow: ["run_form(src/generated/**)"] }, "run_form", { path: "link/a.ts" })).toBe("asked");
  });
});

describe("fails closed", () => {
  it("when a rule denies the arguments that the person put in place of the model's", async () => {
    const changed = { decision: "modified", arguments: { path: "src/generated/a.ts" } } as const;
    const { executor, audit } = play({ deny: ["run_form(src/generated/**)"] }, changed);
    const result = await executor.execute(call("run_form", { path: "src/a.ts" }), context);
    expect(result.error).toMatch(/The person changed the arguments.*NOT RUN: .*denies it \(rule "run_form\(src/s);
    expect(audit.at(-1)).toMatchObject({ outcome: "denied", decision: "modified" });
    expect(result.metadata.approved).not.toBe(true);
  });

  it.each(["denied", "verdict"] as const)("when the policy throws in %s", async (part) => {
    const policy = Object.assign(new Policy(), {
      [part]: () => {
        throw new Error("broken");
      },
    });
    const { executor, audit, bugs } = play({}, { decision: "approved" }, { policy });
    expect(await executor.execute(call("look"), context)).toMatchObject({
      success: false,
      error: expect.stringMatching(/^NOT RUN: the policy in the editor's settings could not be applied/),
    });
    // A call that was refused is on record, also of a tool that is safe.
    expect(audit).toMatchObject([{ tool: "look", outcome: "denied" }]);
    expect(bugs).toHaveLength(1);
  });

  it("when a rule that restricts could not be read: what is not safe asks, even if it is allowed", async () => {
    expect(await outcome({ isDoubtful: true, allow: ["run_form"] }, "run_form")).toBe("asked");
    expect(await outcome({ isDoubtful: true }, "look")).toBe("ran");
  });

  it("when nobody can be asked what a rule wants to be asked", async () => {
    const approvals = approvalsOf(new RememberedCalls(), false);
    const { executor } = play({ ask: ["look"] }, undefined, { askApproval: (...asked) => approvals.ask(...asked) });
    expect((await executor.execute(call("look"), context)).error).toContain("nobody could be asked");
  });
});

it("denies the person's own calls too, and asks about the model's alone", async () => {
  const person: CallContext = { ...context, caller: "person" };
  const { executor, asked } = play({ deny: ["run_form"], ask: ["look"] });
  expect(await executor.execute(call("run_form"), person)).toMatchObject({ success: false });
  expect(await executor.execute(call("look"), person)).toMatchObject({ success: true });
  expect(asked).toEqual([]);
});

it("denies a file that an edit would change without naming it", () => {
  const policy = new Policy({ deny: ["edit(src/generated/**)"] });
  const denied = policy.deniedFile(edit, ["src/a.ts", "src/generated/b.ts"]);
  expect(denied).toMatchObject({ path: "src/generated/b.ts", rule: "edit(src/generated/**)" });
  expect(policy.deniedFile(edit, ["src/a.ts"])).toBeUndefined();
  expect(policy.deniedFile(look, ["src/generated/b.ts"])).toBeUndefined();
});

it("tells each rule that can never match, or never does what it says", () => {
  const rules = {
    deny: ["run_fromm", "look(/etc/**)", "look(src/{a)", "look"],
    ask: ["propose"],
    allow: ["edit", "checked_form", "checked_form(function f() { return 1 })", "run_form"],
  };
  expect(new Policy(rules).problems(tools)).toEqual([
    'The rule "run_fromm" in policy.deny can never match: there is no tool and no category run_fromm. Did you mean run_form?',
    'The rule "look(/etc/**)" in policy.deny can match no path: a path in a rule begins at the workspace folder, such as src/generated/**.',
    'The rule "look(src/{a)" in policy.deny can match no path: its braces do not match.',
    'The rule "propose" in policy.ask changes nothing: an edit is always reviewed, hunk by hunk.',
    'The rule "edit" in policy.allow changes nothing: an edit is always reviewed, hunk by hunk.',
    'The rule "checked_form" in policy.allow opens nothing: where code runs with all of your rights, only the exact text of a call can be allowed.',
  ]);
});

function approvalsOf(remembered: RememberedCalls, canAsk = true, answers: ((id: string) => void)[] = []): Approvals {
  return new Approvals({
    remembered,
    canAsk: () => canAsk,
    onApproval: ({ approvalId }) => queueMicrotask(() => answers.shift()?.(approvalId)),
    onApprovalChanged: () => undefined,
    onStopRequested: () => undefined,
  });
}

describe("a remembered approval", () => {
  const asSession = (sessionId: string): CallContext => ({ ...context, sessionId });
  const ask = (approvals: Approvals, form: string, tool: Tool = run, session = "s1") =>
    approvals.ask(call(tool.name, { form }), tool, asSession(session));

  it.each([
    ["session", "approved", "denied"],
    ["workspace", "approved", "approved"],
  ] as const)("of the %s holds for exactly the same call", async (remember, sameSession, otherSession) => {
    const remembered = new RememberedCalls();
    const answers = [
      (id: string): boolean => approvals.answer(id, { decision: "approved" }, { remember }),
      ...Array.from({ length: 9 }, () => (id: string) => approvals.answer(id, { decision: "denied" })),
    ];
    const approvals: Approvals = approvalsOf(remembered, true, answers);
    expect(await ask(approvals, "one")).toMatchObject({ decision: "approved" });
    expect(await ask(approvals, "one")).toMatchObject({ decision: sameSession, because: expect.any(String) });
    expect(await ask(approvals, "one", run, "s2")).toMatchObject({ decision: otherSession });
    expect(await ask(approvals, "two")).toMatchObject({ decision: "denied" });
    expect(await ask(approvals, "one", checked)).toMatchObject({ decision: "denied" });
    const [kept] = remembered.list();
    expect(kept).toMatchObject({ scope: remember, tool: "run_form", arguments: { form: "one" } });
    expect([remembered.forget("x"), remembered.forget(kept?.id)]).toEqual([0, 1]);
    expect(await ask(approvals, "one")).toMatchObject({ decision: "denied" });
  });

  it.each([{ decision: "denied" }, { decision: "modified", arguments: { form: "other" } }] as const)(
    "is not made by the answer $decision",
    async (decision) => {
      const remembered = new RememberedCalls();
      const approvals: Approvals = approvalsOf(remembered, true, [
        (id) => approvals.answer(id, decision, { remember: "workspace" }),
      ]);
      await ask(approvals, "one");
      expect(remembered.list()).toEqual([]);
    },
  );

  it("is not made for a question that belongs to no call", async () => {
    const remembered = new RememberedCalls();
    const approvals: Approvals = approvalsOf(remembered, true, [
      (id) => approvals.answer(id, { decision: "approved" }, { remember: "workspace" }),
    ]);
    await approvals.put({ tool: "open_repl", arguments: {}, why: "", risk: "" }, context.signal);
    expect(remembered.list()).toEqual([]);
  });

  it("does not hold when the place that keeps it fails, and holds no secret that is shown", () => {
    const told: string[] = [];
    const remembered = new RememberedCalls({
      onFailure: (message) => told.push(message),
      redact: () => ({ form: "-" }),
    });
    const approved = { tool: "run_form", arguments: { form: "secret" } };
    remembered.remember("workspace", approved);
    expect(remembered.list()).toMatchObject([{ arguments: { form: "-" } }]);
    expect(remembered.scopeOf(approved)).toBe("workspace");
    const fails = (): never => {
      throw new Error("disk");
    };
    remembered.keepIn({ has: fails, get: fails, add: fails, list: fails, forget: fails });
    expect(remembered.scopeOf(approved)).toBeUndefined();
    expect(told).toEqual([expect.stringContaining("disk")]);
  });
});

describe("an explained decision", () => {
  const explain = (
    rules: PolicyRules,
    tool: string,
    args: Record<string, unknown> = {},
    remembered = new RememberedCalls(),
  ) => {
    const registry = new ToolRegistry();
    registry.registerAll(tools);
    const ports = { registry, policy: new Policy(rules), remembered, canAsk: () => true };
    return explainDecision(ports, { tool, arguments: args });
  };

  it.each([
    [{ deny: ["look"] }, "look", "refuse", "look"],
    [{ ask: ["buffer"] }, "look", "ask", "buffer"],
    [{ allow: ["run_form"] }, "run_form", "run", "run_form"],
    [{}, "run_form", "ask", undefined],
    [{}, "look", "run", undefined],
    [{ allow: ["*"] }, "propose", "review", undefined],
    [{}, "nothing_of_that_name", "refuse", undefined],
  ] as const)("with %j of %s is %s", async (rules, tool, decision, rule) => {
    const explained = await explain(rules, tool);
    expect(explained).toMatchObject({ decision, because: expect.stringMatching(/^\S.*\.$/) });
    expect(explained.rule).toBe(rule);
  });

  it("knows remembered calls, and that deny is before them", async () => {
    const remembered = new RememberedCalls();
    remembered.remember("workspace", { tool: "run_form", arguments: { form: "1" } });
    expect(await explain({}, "run_form", { form: "1" }, remembered)).toMatchObject({ decision: "run" });
    expect(await explain({}, "run_form", { form: "2" }, remembered)).toMatchObject({ decision: "ask" });
    expect(await explain({ deny: ["*"] }, "run_form", { form: "1" }, remembered)).toMatchObject({ decision: "refuse" });
  });
});

it("enforces the formats of a schema that somebody brings, and takes others for remarks", async () => {
  const properties = { mail: { type: "string", format: "email" }, shape: { type: "string", format: "shape" } };
  const send = createTool({
    name: "send",
    description: "Sends.",
    inputSchema: { type: "object", properties },
    invoke: ({ mail }) => `to ${String(mail)}`,
  });
  const registry = new ToolRegistry();
  expect([registry.registerAll([send]), registry.registerAll([send, look])]).toEqual([1, 2]);
  const { executor } = play({}, undefined, { registry });
  expect(await executor.execute(call("send", { mail: "ada@example.org", shape: "round" }), context)).toMatchObject({
    content: "to ada@example.org",
  });
  expect((await executor.execute(call("send", { mail: "not an email" }), context)).error).toContain(
    "/mail: expected text in the format email",
  );
});
