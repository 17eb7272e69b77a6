/** A call that names a running program: where it runs, whether it is asked about, and which rules open it. */
import { describe, expect, it } from "vitest";
import type { Repl } from "../../../server/src/repl/repl.ts";
import { inProcess } from "../../../server/src/tools/execution/in-process.ts";
import { Policy } from "../../../server/src/tools/policy/policy.ts";
import { defineTool, type Tool, type ToolContext } from "../../../server/src/tools/tool.ts";

const context = { callId: "c1", caller: "model", signal: new AbortController().signal } as ToolContext;

/** A tool that says in which REPL it ran, and asks as one that runs code does. */
function toolOf(repl: Repl): Tool {
  const name = repl as unknown as string;
  return defineTool({
    name: "eval_form",
    description: "Evaluates.",
    input: { type: "object", properties: { form: { type: "string" } }, required: ["form"] },
    safety: "cautious",
    needsApproval: () => Promise.resolve({ ask: name !== "the REPL" }),
    run: () => Promise.resolve({ content: `ran in ${name}` }),
  });
}

function made(running: () => string | undefined): Tool {
  return inProcess(toolOf, {
    repl: "the REPL" as unknown as Repl,
    programs: {
      names: () => (running() === undefined ? [] : ["api"]),
      find: (name) => {
        const shown = running();
        const found = shown === undefined || name !== "api" ? undefined : { repl: "api" as unknown as Repl, shown };
        return Promise.resolve(found);
      },
    },
  });
}

describe("a call that names a program", () => {
  it("runs there and says so; one that names none runs in the REPL, and is judged as before", async () => {
    const tool = made(() => "api (process 1)");
    expect(await tool.run({ form: "1", process: "api" }, context)).toEqual({
      content: "In api (process 1):\nran in api",
    });
    expect(await tool.run({ form: "1" }, context)).toEqual({ content: "ran in the REPL" });
    expect(tool.safetyOf?.({ form: "1", process: "api" })).toBe("dangerous");
    expect(tool.safetyOf?.({ form: "1" })).toBe("cautious");
  });

  it("that was agreed to does not run in another process that has the name since", async () => {
    let shown = "api (process 1)";
    const need = await made(() => shown).needsApproval?.({ form: "1", process: "api" }, context);
    if (need === undefined || !("ask" in need) || need.run === undefined) throw new Error("it is not asked about");
    expect(need).toMatchObject({ ask: true, because: "it runs in api (process 1)" });
    shown = "api (process 2)";
    await expect(need.run({ form: "1", process: "api" }, context)).rejects.toThrow(
      "NOT RUN: api (process 1) has ended since.",
    );
  });

  it("is opened by no rule, whether it allows the form or the very call", () => {
    const exact = 'eval_form({"form":"1 + 1","process":"api"})';
    const policy = new Policy({ allow: ["eval_form(1 + 1)", exact] });
    const tool = made(() => "api (process 1)");
    const verdict = (args: object) =>
      policy.verdict({ id: "c1", name: "eval_form", arguments: { ...args } }, tool, { ask: true }, true);
    expect(verdict({ form: "1 + 1" }).ask).toBe(false);
    expect(verdict({ form: "1 + 1", process: "api" }).ask).toBe(true);
  });

  it("is told to models only while a program runs", () => {
    expect(JSON.stringify(made(() => undefined).offeredSchema)).not.toContain("process");
    expect(JSON.stringify(made(() => "api (process 1)").offeredSchema)).toContain('"process"');
  });
});
