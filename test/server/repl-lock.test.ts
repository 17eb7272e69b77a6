/** The person's lock: the agent looks into the REPL and runs nothing there; the person goes on. */
import { beforeEach, expect, it } from "vitest";
import { type ScriptedModel } from "../../examples/demo/scripted-model.ts";
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";
import { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

const stage = serverStage();
let model: ScriptedModel;
let client: ServerClient;

/** What an agent may want of a program: all of these run something in it. */
const RUNNING = [
  call("eval_form", { form: "globalThis.touched = true" }),
  call("eval_in_package", { form: "globalThis.touched = true", path: "src/allocate.ts" }),
  call("compile_form", { form: "function mine() { return 1 }" }),
  call("trace_function", { symbol: "allocate", path: "src/allocate.ts" }),
  call("untrace_function", {}),
  call("restart_repl", {}),
  call("inspect_object", { value: "account", inside: "balance", invoke: true }),
];
const LOOKING = [
  call("inspect_object", { value: "account" }),
  call("get_repl_history", {}),
  call("get_last_error", {}),
];

beforeEach(async () => {
  ({ model, client } = stage);
  stage.script = scriptOf("wants", "runs and looks", [reply(...RUNNING, ...LOOKING), reply("Done.")]);
  await client.request("agentq/lockRepl", { locked: false });
  await client.request("agentq/restartRepl", {});
  await evaluate("globalThis.account = { owner: 'Ada', get balance() { globalThis.touched = true; return 7 } }; 1");
});

const evaluate = (code: string) => client.request("agentq/evaluate", { code });
const pid = async () => (await client.request("agentq/status", {})).repl.pid;

/** What the model heard of each call. */
async function heard(): Promise<string[]> {
  const { turnId } = await client.request("agentq/prompt", { text: "go on" });
  await client.turn(turnId);
  const blocks = model.requests.at(-1)?.messages.at(-1)?.content;
  if (!Array.isArray(blocks)) throw new Error("the model heard nothing");
  return blocks.flatMap((block) => (block.type === "tool_result" ? [JSON.stringify(block.content)] : []));
}

it("refuses every tool that runs something, and answers those that look", async () => {
  expect(await client.request("agentq/lockRepl", { locked: true })).toMatchObject({ state: "idle", locked: true });
  const before = await pid();
  const answers = await heard();
  expect(answers).toHaveLength(RUNNING.length + LOOKING.length);
  for (const answer of answers.slice(0, RUNNING.length)) {
    expect(answer).toContain("NOT RUN: the person has locked the REPL and works in it alone.");
  }
  const [inspected, history, lastError] = answers.slice(RUNNING.length);
  expect(inspected).toContain("Ada");
  expect(history).toContain("globalThis.account");
  expect(lastError).not.toContain("NOT RUN");
  expect(await pid()).toBe(before);
  expect(await evaluate("typeof touched + typeof mine")).toMatchObject({ preview: '"undefinedundefined"' });
});

it("leaves the person's own requests alone, holds for the next process, and ends when it is unlocked", async () => {
  await client.request("agentq/lockRepl", { locked: true });
  await client.request("agentq/lockRepl", { locked: true });
  const trace = { name: "trace_function", arguments: { symbol: "allocate", path: "src/allocate.ts" } };
  expect(await client.request("agentq/callTool", trace)).toMatchObject({ success: true });
  expect(await client.request("agentq/restartRepl", {})).toMatchObject({ state: "idle", locked: true });
  expect(await evaluate("6 * 7")).toMatchObject({ preview: "42" });
  expect((await heard())[0]).toContain("NOT RUN");
  expect(await client.request("agentq/lockRepl", { locked: false })).not.toHaveProperty("locked");
  expect((await client.request("agentq/status", {})).repl).not.toHaveProperty("locked");
  expect((await heard())[0]).toContain("true");
});

it("tells the editor once for each change, and refuses what is not a yes or no", async () => {
  const told = () =>
    client.received.flatMap((note) => (note.method === "agentq/replState" ? [note.params.locked ?? false] : []));
  const before = told().length;
  await client.request("agentq/lockRepl", { locked: true });
  await client.request("agentq/lockRepl", { locked: true });
  await client.request("agentq/lockRepl", { locked: false });
  expect(told().slice(before)).toEqual([true, false]);
  await expect(client.request("agentq/lockRepl", { locked: "yes" } as never)).rejects.toThrow("/locked");
});
