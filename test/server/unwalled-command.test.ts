/** Commands and tests where nothing walls programs in: each call is asked about, and what it does is told as it is. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Approval, ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import type { ScriptedModel } from "../../examples/demo/scripted-model.ts";
import { callAsAgent, calls } from "../support/agent-calls.ts";
import { ServerClient } from "../support/server-client.ts";
import { pathWithoutWall } from "../support/without-wall.ts";
import { serverStage } from "../support/server-stage.ts";

const secret = "sk-test-of-unwalled-commands";
const stage = serverStage({
  env: { ANTHROPIC_API_KEY: secret, AGENTQ_ODD_TOKEN: secret, PATH: pathWithoutWall() },
});
const SLOW_PATH = pathWithoutWall(1);
let folder: string;
let model: ScriptedModel;
let client: ServerClient;
let answered: number;

beforeEach(() => {
  ({ folder, model, client } = stage);
  answered = 0;
});

const at = (file: string): string => path.join(folder, file);

function asked(which: number): Promise<Approval> {
  return client.waitFor(
    () => client.received.flatMap((note) => (note.method === "agentq/approval" ? [note.params] : []))[which],
  );
}

function call(command: string, more: object = {}): Promise<ToolResult> {
  return client.request("agentq/callTool", { name: "run_command", arguments: { command, ...more } });
}

/** A call that the person approves. */
async function run(command: string, more: object = {}): Promise<ToolResult> {
  const answer = call(command, more);
  const { approvalId } = await asked(answered++);
  await client.request("agentq/answerApproval", { approvalId, decision: "approved" });
  return answer;
}

const isRunning = (pid: number): boolean => {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

describe("run_command without a wall", () => {
  it("asks each time, with why there is no wall and what helps, and runs nothing after a No", async () => {
    const denied = call("touch made");
    const question = await asked(0);
    expect(question).toMatchObject({ tool: "run_command", arguments: { command: "touch made" } });
    expect(question.why).toMatch(
      /^This system lets no program be walled in: no wall today\. [^]+Without a wall the command runs in the project itself: run_command runs only when you approve it\.$/,
    );
    expect(question.risk).toMatch(/all of your rights: it may write any file/);
    await client.request("agentq/answerApproval", { approvalId: question.approvalId, decision: "denied" });
    expect(await denied).toMatchObject({ success: false });
    expect(existsSync(at("made"))).toBe(false);
    answered = 1;
    const { content } = await run("touch made; echo done");
    expect(content).toMatch(/Exit code 0, [\d.]+ m?s\.\nprinted:\n {2}done\nChanged in the project while it ran/);
    expect(existsSync(at("made"))).toBe(true);
  });

  it("asks in a project whose REPL is set to run open, also without asking, whatever the machine can do", async () => {
    client = await stage.start({ repl: { confinement: "openWithoutAsking" } });
    const answer = call("true");
    expect((await asked(0)).why).toContain('The setting repl.confinement is "openWithoutAsking".');
    await client.request("agentq/answerApproval", { approvalId: (await asked(0)).approvalId, decision: "denied" });
    expect((await answer).success).toBe(false);
  });

  it("is told as one level with the REPL and tests, with what is missing, to editors and models", async () => {
    stage.script = calls;
    const { wall, repl } = await client.request("agentq/status", {});
    expect(wall.level).toBe("limited");
    expect(repl.level).toBe("limited");
    expect(wall.detail).toBe(
      "Evaluations have Node's permissions alone, a seat belt; each run of tests and each command needs a yes and runs in the project itself, with all rights.",
    );
    expect(wall.missing).toMatch(/^This system lets no program be walled in: no wall today\. ./);
    await callAsAgent(client, "describe_symbol", { symbol: "Money" });
    expect(JSON.stringify(model.requests[0]?.messages)).toMatch(
      /REPL: Limited by Node's permissions: [^"]* Each run of tests and each command needs a yes and runs in the project itself, with all rights\. This system lets no program/,
    );
  });

  it("is open where the settings say so, whatever the machine can do", async () => {
    client = await stage.start({ repl: { confinement: "openWithoutAsking" } });
    expect((await client.request("agentq/status", {})).wall).toEqual({
      level: "open",
      detail:
        "Evaluations run with all of your rights; each run of tests and each command needs a yes and runs in the project itself, with all rights.",
      missing: 'The setting repl.confinement is "openWithoutAsking".',
    });
  });

  it("names what was created, changed and deleted, and nothing where nothing was", async () => {
    const { content } = await run(
      "echo x > new.txt; echo '// x' >> src/money.ts; rm src/tax.ts; touch README.md.tmp; rm README.md.tmp",
    );
    expect(content).toContain(
      "It printed nothing.\nChanged in the project while it ran (not looked at: node_modules, .git):\n" +
        "  new.txt (created)\n  src/money.ts (changed)\n  src/tax.ts (deleted)",
    );
    expect((await run("cat src/money.ts > /dev/null")).content).toContain(
      "No file of the project changed (not looked at: node_modules, .git).",
    );
    expect((await run("for i in $(seq 1 30); do echo > many-$i; done")).content).toContain("  … and 10 more");
  });

  it("says that unsaved text was not seen, and which of it now stands over another file", async () => {
    await client.open(at("src/money.ts"), "// typed\n");
    const { content } = await run("grep -c typed src/money.ts; echo '// end' >> src/money.ts");
    expect(content).toContain("printed:\n  0\n");
    expect(content).toContain("It ran without the unsaved text of src/money.ts.");
    expect(content).toContain("Changed on disk under unsaved text, which still counts here: src/money.ts.");
    expect(readFileSync(at("src/money.ts"), "utf8")).toMatch(/\/\/ end\n$/);
  });

  it("does not take for a change what the person saves meanwhile", async () => {
    const uri = await client.open(at("src/money.ts"), "// typed\n");
    const answer = run("echo x > new.txt; until test -e go; do sleep 0.1; done; rm go");
    await expect.poll(() => existsSync(at("new.txt"))).toBe(true);
    writeFileSync(at("src/money.ts"), "// typed\n");
    await client.connection.sendNotification("textDocument/didSave", { textDocument: { uri } });
    writeFileSync(at("go"), "");
    const { content } = await answer;
    expect(content).toMatch(/\.git\):\n {2}new\.txt \(created\)\nIt ran without/);
  });

  it("shows what it wrote to the next question", async () => {
    const ask = (): Promise<ToolResult> =>
      client.request("agentq/callTool", { name: "describe_symbol", arguments: { symbol: "madeByACommand" } });
    expect((await ask()).content).not.toContain("src/made.ts");
    await run("echo 'export const madeByACommand = 1;' > src/made.ts");
    expect((await ask()).content).toContain("src/made.ts");
  });

  it("gets none of the server's keys, and a file that leads nowhere to read from", async () => {
    const { content } = await run("env; cat; echo read");
    expect(content).toContain("  PATH=");
    expect(content).toMatch(/\n {2}read\n/);
    expect(content).not.toContain(secret);
  });

  it("stops after its time with its background programs", async () => {
    const { content, metadata } = await run("sleep 60 & echo $! > pid; echo begun; sleep 60", { timeout_ms: 1_000 });
    expect(content).toContain("Stopped after 1000 ms, with everything it started.\nprinted:\n  begun\n");
    expect(metadata.complete).toBe(false);
    await expect.poll(() => isRunning(Number(readFileSync(at("pid"), "utf8")))).toBe(false);
  });

  it("leaves no program of its group in the background, and says when one got away", async () => {
    await run("sleep 60 & echo $! > pid");
    await expect.poll(() => isRunning(Number(readFileSync(at("pid"), "utf8")))).toBe(false);
    const { content } = await run("setsid sh -c 'echo $$ > pid; exec sleep 60' & sleep 0.5; echo out");
    expect(content).toContain("but a program that it started left its process group and STILL RUNS.");
    const pid = Number(readFileSync(at("pid"), "utf8"));
    expect(isRunning(pid)).toBe(true);
    process.kill(pid, "SIGKILL");
  });

  it("is shown to run once it is approved, ends with a cancelled turn, and names what it had changed", async () => {
    stage.script = calls;
    const text = JSON.stringify(["run_command", { command: "rm src/tax.ts; echo $$ > pid; echo begun; sleep 60" }]);
    const { turnId, sessionId } = await client.request("agentq/prompt", { text });
    await client.request("agentq/answerApproval", { approvalId: (await asked(0)).approvalId, decision: "approved" });
    await expect.poll(() => existsSync(at("pid")) && readFileSync(at("pid"), "utf8").endsWith("\n")).toBe(true);
    const pid = Number(readFileSync(at("pid"), "utf8"));
    const states = (): string[] =>
      client.events(turnId).flatMap((event) => (event.kind === "toolCall" ? [event.state] : []));
    await expect.poll(states).toEqual(["preparing", "running", "waitingApproval", "running"]);
    await client.request("agentq/cancel", { sessionId });
    const events = await client.turn(turnId);
    await expect.poll(() => isRunning(pid)).toBe(false);
    const told =
      "Cancelled, and stopped with everything it started.\nprinted:\n  begun\nChanged in the project while it ran";
    const result = events.find((event) => event.kind === "toolResult");
    expect(result?.kind === "toolResult" && result.result.content).toContain(told);
    // The model hears of it in the next turn.
    const next = await client.request("agentq/prompt", { sessionId, text: '["get_file_info", {}]' });
    await client.turn(next.turnId);
    const heard = JSON.stringify(model.requests.at(-1)?.messages);
    expect(heard).toContain("src/tax.ts (deleted)");
    expect(heard).toContain("pid (created)");
  });

  it("ends with a server that ends in order", async () => {
    client = await stage.start({}, { isProgram: true });
    const answer = call("echo $$ > pid; sleep 60");
    answer.catch(() => undefined);
    const { approvalId } = await asked(0);
    await client.request("agentq/answerApproval", { approvalId, decision: "approved" });
    await expect.poll(() => existsSync(at("pid")) && readFileSync(at("pid"), "utf8")).toMatch(/^\d+\n$/);
    const pid = Number(readFileSync(at("pid"), "utf8"));
    expect(isRunning(pid)).toBe(true);
    await client.close();
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it("caps what it shows of a program that prints without end", async () => {
    const { content } = await run("yes many words in one line | head -c 50000000", { timeout_ms: 60_000 });
    expect(content.length).toBeLessThan(20_000);
    expect(content).toMatch(/characters left out/);
  });

  it("is forbidden by a rule, before anybody is asked", async () => {
    client = await stage.start({ policy: { deny: ["run_command"] } });
    expect(await call("touch made")).toMatchObject({ success: false });
    expect(client.received.some(({ method }) => method === "agentq/approval")).toBe(false);
    expect(existsSync(at("made"))).toBe(false);
  });

  it("runs unasked where a rule has the very command, and for no tool's name alone", async () => {
    client = await stage.start({ policy: { allow: ["run_command", "run_command(git status --short)"] } });
    execFileSync("git", ["init", "-q"], { cwd: folder });
    expect((await call("git status --short")).content).toContain("?? src/");
    const answer = call("git status");
    await client.request("agentq/answerApproval", { approvalId: (await asked(0)).approvalId, decision: "denied" });
    expect((await answer).success).toBe(false);
  });

  it("is told in the same words at every request, also where a slow trial finds that there is no wall", async () => {
    stage.script = calls;
    client = await stage.start({}, { env: { PATH: SLOW_PATH } });
    await callAsAgent(client, "describe_symbol", { symbol: "Money" });
    const told = model.requests.map(
      ({ tools = [] }) => tools.find(({ name }) => name === "run_command")?.["description"],
    );
    expect(told).toHaveLength(2);
    expect(new Set(told).size).toBe(1);
    expect(told[0]).toContain("in the project itself, with the person's rights");
    const { items } = await client.request("agentq/listTools", {});
    expect(items.find(({ name }) => name === "run_command")).toMatchObject({ safety: "dangerous", available: true });
    expect(items.find(({ name }) => name === "run_tests")).toMatchObject({
      safety: "dangerous",
      description: expect.stringContaining("in the project itself, with the person's rights") as unknown,
    });
  });
});

describe("tests without a wall", () => {
  const test = (): Promise<ToolResult> =>
    client.request("agentq/callTool", { name: "run_tests", arguments: { path: "test/made.test.ts" } });
  const questions = (): number => client.received.filter(({ method }) => method === "agentq/approval").length;
  const answer = async (which: number, decision: "approved" | "denied"): Promise<Approval> => {
    const question = await asked(which);
    await client.request("agentq/answerApproval", { approvalId: question.approvalId, decision });
    return question;
  };

  beforeEach(async () => {
    client = await stage.start({});
    const text = `import { writeFileSync } from "node:fs";\nimport { test } from "node:test";
test("makes", () => writeFileSync(new URL("../made", import.meta.url), ""));\n`;
    writeFileSync(at("test/made.test.ts"), text);
  });

  it("are asked for once with all rights, in words that say so, and then about each call", async () => {
    const running = test();
    expect(await answer(0, "approved")).toMatchObject({
      tool: "run_tests",
      question: "Run tests without a wall, with all of your rights?",
      answers: { approved: "Run tests", denied: "No" },
      why: expect.stringMatching(/^This system lets no program be walled in: no wall today\./) as unknown,
      risk: expect.stringMatching(/^Tests, .* write any file, start programs and use the network/) as unknown,
    });
    expect(existsSync(at("made"))).toBe(false);
    const { tool, why } = await answer(1, "approved");
    expect(tool).toBe("run_tests");
    expect(why).toContain("Without a wall the tests run in the project itself, with all of your rights");
    expect((await running).content).toMatch(/^1 passed in 1 file \(node:test/);
    expect(existsSync(at("made"))).toBe(true);
    const second = test();
    await answer(2, "denied");
    expect(await second).toMatchObject({ success: false, metadata: { safetyLevel: "dangerous" } });
    expect((await client.request("agentq/status", {})).repl).toMatchObject({
      level: "limited",
      confinement: "confined",
    });
  });

  it("do not run after a No, nor where nobody can be asked, and a restart of the REPL asks again", async () => {
    const running = test();
    await answer(0, "denied");
    expect((await running).error).toMatch(/^NOT RUN: No test runs\. .*no wall today.*the person, who answered No/);
    expect((await test()).error).toContain("answered No");
    expect(questions()).toBe(1);
    await client.request("agentq/restartRepl", {});
    const again = test();
    await answer(1, "denied");
    expect((await again).success).toBe(false);
    client = await stage.start({}, { agentq: null });
    expect((await test()).error).toMatch(/^NOT RUN: No test runs\. .*this editor cannot ask, or nobody answered/);
    expect(existsSync(at("made"))).toBe(false);
  });

  it("of proposed text are asked for too, and never run by themselves", async () => {
    client = await stage.start({ proposals: { tests: "related" } });
    stage.script = calls;
    void callAsAgent(client, "write_file", {
      path: "test/made.test.ts",
      content: `${readFileSync(at("test/made.test.ts"), "utf8")}// more\n`,
    });
    const { proposalId, hunks } = await client.nextProposal();
    const verdict = async (): Promise<unknown> =>
      (await client.request("agentq/listProposals", {})).items.at(-1)?.tests;
    await expect.poll(verdict).toMatchObject({
      state: "unavailable",
      reason: expect.stringContaining("full rights") as unknown,
    });
    expect(questions()).toBe(0);
    const decided = hunks.map(({ id }) => ({ id, decision: "accept" as const }));
    const tested = client.request("agentq/testSubset", { proposalId, hunks: decided });
    await answer(0, "denied");
    expect(await tested).toMatchObject({
      state: "unavailable",
      reason: expect.stringContaining("answered No") as unknown,
    });
    expect(existsSync(at("made"))).toBe(false);
  });
});
