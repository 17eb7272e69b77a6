/** `agentq ask` against the scripted model, as scripts and CI run it. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { itAtLength } from "../support/extent.ts";
import { call, reply } from "../../examples/demo/model/script.ts";
import { shareAgentqHere } from "../support/agentq-here.ts";
import { runAgentq, type Run } from "../support/run-agentq.ts";
import { SessionStage } from "../support/session-stage.ts";

const here = shareAgentqHere();
let stage: SessionStage;
beforeEach(() => {
  stage = new SessionStage();
});
afterEach(async () => await stage.dispose());

function ask(...args: string[]): Promise<Run> {
  return here().run(["ask", ...args], { cwd: stage.folder, env: stage.environment() });
}

const fix = call("propose_edits", {
  description: "The file says that it was checked.",
  edits: [{ op: "insert_at_start", path: "src/tax.ts", modified: "// Checked." }],
});

it("writes the answer alone to standard output", async () => {
  stage.steps.push(reply("I look.", call("describe_symbol", { symbol: "allocate" })), reply("It divides *money*."));
  await stage.open();
  expect(await ask("what", "is allocate?")).toEqual({
    code: 0,
    stdout: "I look.\n\nIt divides *money*.\n",
    stderr: "",
  });
  expect(JSON.stringify(stage.model.requests[0]?.messages)).toContain("what is allocate?");
});

it("reads the question from standard input", async () => {
  stage.steps.push(reply("Yes."));
  await stage.open();
  const run = await runAgentq(["ask", "-"], { cwd: stage.folder, env: stage.environment(), input: "Is it?\n" });
  expect(run).toEqual({ code: 0, stdout: "Yes.\n", stderr: "" });
});

it("changes nothing, and prints what the model proposes as a patch; the model hears that", async () => {
  stage.steps.push(reply(fix), reply("Here is a patch."));
  await stage.open();
  const file = path.join(stage.folder, "src/tax.ts");
  const before = readFileSync(file, "utf8");
  const { code, stdout } = await ask("--json", "change the tax");
  const outcome = JSON.parse(stdout) as { patch: string };
  expect(outcome).toMatchObject({
    reason: "endTurn",
    text: "Here is a patch.",
    applied: [],
    denied: [],
    toolCalls: [{ name: "propose_edits", success: true }],
  });
  expect({ code, text: readFileSync(file, "utf8") }).toEqual({ code: 0, text: before });
  // Nobody looked, so nobody rejected it.
  expect(JSON.stringify(stage.model.requests.at(-1)?.messages)).toContain(
    "NOT applied: nothing is applied in this run. The person gets this edit as a patch",
  );
  execFileSync("git", ["apply", "-"], { cwd: stage.folder, input: outcome.patch });
  expect(readFileSync(file, "utf8")).toMatch(/^\/\/ Checked\.\n/);
});

itAtLength("writes the edit to the files with --apply, and the model hears that it stands there", async () => {
  stage.steps.push(reply(fix), reply("Done so."));
  await stage.open();
  const { code, stderr } = await ask("change the tax", "--apply");
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("agentq: applied: src/tax.ts:1\n") });
  expect(readFileSync(path.join(stage.folder, "src/tax.ts"), "utf8")).toMatch(/^\/\/ Checked\.\n/);
  expect(JSON.stringify(stage.model.requests.at(-1)?.messages)).toMatch(/applied/i);
});

it("fails by its exit code where an edit does not come to stand in its file, and the model hears of that", async () => {
  stage.steps.push(reply(fix), reply("It is not there."));
  await stage.open();
  const file = path.join(stage.folder, "src/tax.ts");
  const write = fs.writeFile;
  onTestFinished(() => {
    fs.writeFile = write;
    syncBuiltinESMExports();
  });
  // A disk that says yes and keeps nothing.
  fs.writeFile = async (to, ...rest) => (to === file ? undefined : write(to, ...rest));
  syncBuiltinESMExports();
  expect(await ask("change the tax", "--apply")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("agentq: not applied: src/tax.ts:1\n"),
  });
  expect(JSON.stringify(stage.model.requests.at(-1)?.messages)).toContain("NOT applied");
});

itAtLength("does not say twice what a broken reply had begun to say", async () => {
  stage.steps.push(reply("Once and whole, to the end of it."));
  await stage.open(0, undefined, [{ kind: "cut", afterEvents: 4 }]);
  stage.steps.push(reply("Once and whole, to the end of it."));
  expect(await ask("say it")).toMatchObject({ code: 0, stdout: "Once and whole, to the end of it.\n" });
});

it("answers a call that needs a yes with no, and says so by its exit code", async () => {
  stage.steps.push(reply(call("run_command", { command: "touch made" })), reply("I could not."));
  await stage.open();
  const env = { ...stage.environment(), PATH: path.dirname(process.execPath) };
  const { code, stdout, stderr } = await runAgentq(["ask", "make it"], { cwd: stage.folder, env });
  expect({ code, stdout }).toEqual({ code: 4, stdout: "I could not.\n" });
  expect(stderr).toMatch(/^agentq: run_command asks first: .*The answer is no\.$/m);
});

it("has exit codes for a turn that failed, for no model and for no question", async () => {
  stage.steps.push({ ...reply("No."), stopReason: "refusal" });
  await stage.open();
  expect(await ask("do it")).toMatchObject({ code: 1, stderr: expect.stringContaining('ended with "refusal"') });
  const without = await here().run(["ask", "hello"], { cwd: stage.folder, env: { XDG_STATE_HOME: stage.state } });
  expect(without).toMatchObject({ code: 3, stdout: "", stderr: expect.stringContaining("ANTHROPIC_API_KEY") });
  expect(await ask(" ")).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("no question") });
});
