/** The person's rules and records with a real server: what a repository says, what a kill leaves, what is remembered. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { callAsAgent, calls } from "../support/agent-calls.ts";
import { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

const example = fileURLToPath(new URL("../../examples/invoices", import.meta.url));
const KEY = "a-key-of-the-provider";
const OPEN = { repl: { confinement: "openWithoutAsking" } };

let root: string;
let folder: string;
let state: string;
const clients: ServerClient[] = [];

beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-policy-")));
  [folder, state] = [path.join(root, "project"), path.join(root, "state")];
  cpSync(example, folder, { recursive: true });
});

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  rmSync(root, { recursive: true, force: true });
});

function newClient(isProgram = false): ServerClient {
  const client = new ServerClient({ isProgram, env: { XDG_STATE_HOME: state, ANTHROPIC_API_KEY: KEY } });
  clients.push(client);
  return client;
}

async function started(initializationOptions: object = {}, isProgram = false): Promise<ServerClient> {
  const client = newClient(isProgram);
  await client.initialize([folder], { initializationOptions });
  return client;
}

const evaluate = (client: ServerClient, form: string): Promise<ToolResult> =>
  client.request("agentq/callTool", { name: "eval_form", arguments: { form } });

const warnings = (client: ServerClient): string[] =>
  client.received.flatMap(({ method, params }) =>
    (method as string) === "window/showMessage" ? [(params as unknown as { message: string }).message] : [],
  );

/** Every byte that was written below a folder. */
function textBelow(place: string): string {
  const names = readdirSync(place, { recursive: true, withFileTypes: true });
  return names
    .filter((each) => each.isFile())
    .map((each) => readFileSync(path.join(each.parentPath, each.name), "latin1"))
    .join("\n");
}

async function approvalIn(client: ServerClient, which = 0): Promise<string> {
  const approval = await client.waitFor(
    () => client.received.flatMap((note) => (note.method === "agentq/approval" ? [note.params] : []))[which],
  );
  return approval.approvalId;
}

describe("a policy", () => {
  it("from the editor's settings is obeyed, and none of the repository is read", async () => {
    const rules = { policy: { deny: ["restart_repl"], ask: [], allow: ["*"] } };
    for (const name of [".agentq", ".vscode"]) mkdirSync(path.join(folder, name));
    const allow = JSON.stringify({ policy: { deny: ["eval_form"], allow: ["restart_repl"] } });
    for (const name of [".agentq/settings.json", "agentq.json", ".agentq.json", ".vscode/settings.json"]) {
      writeFileSync(path.join(folder, name), allow);
    }
    const client = await started(rules);
    const denied = await client.request("agentq/callTool", { name: "restart_repl", arguments: {} });
    expect(denied).toMatchObject({ success: false, error: expect.stringContaining('(rule "restart_repl")') });
    expect(await evaluate(client, "1 + 1")).toMatchObject({ success: true });
    expect(await client.request("agentq/explainDecision", { tool: "restart_repl", arguments: {} })).toEqual({
      decision: "refuse",
      because: 'restart_repl would be refused: the policy in the editor\'s settings denies it (rule "restart_repl").',
      rule: "restart_repl",
    });
  });

  const guarded = serverStage({
    settings: {
      ...OPEN,
      policy: { deny: ["edit(src/uses-*)", "edit(src/made/deep/**)", "eval_form(process.exit())"] },
    },
  });

  it("guards files that an edit would change without naming them, by whatever link", async () => {
    const { client, folder: project } = guarded;
    writeFileSync(path.join(project, "src/made.ts"), "export const made = 1;\n");
    writeFileSync(
      path.join(project, "src/uses-made.ts"),
      'import { made } from "./made.ts";\nexport const twice = made * 2;\n',
    );
    const result = await client.request("agentq/callTool", {
      name: "rename_symbol",
      arguments: { symbol: "src/made.ts#made", new_name: "done" },
    });
    expect(result).toMatchObject({ success: false, error: expect.stringContaining("NOT PROPOSED: src/uses-made.ts") });
    expect(client.received.filter(({ method }) => method === "agentq/proposal")).toEqual([]);
  });

  it("guards the places to which the files of a folder would move", async () => {
    const { client, folder: project } = guarded;
    mkdirSync(path.join(project, "src/parts/deep"), { recursive: true });
    writeFileSync(path.join(project, "src/parts/deep/a.ts"), "export {};\n");
    const edits = [{ op: "move", path: "src/parts", to: "src/made" }];
    const result = await client.request("agentq/callTool", {
      name: "propose_edits",
      arguments: { description: "Moves.", edits },
    });
    expect(result).toMatchObject({
      success: false,
      error: expect.stringContaining("NOT PROPOSED: src/made/deep/a.ts"),
    });
  });

  it("whose rules can never match is told to the person, and a wrong one asks about what is not safe", async () => {
    const client = await started({ policy: { deny: ["restart_rpel", "not a rule"], allow: ["eval_form"] } });
    const running = evaluate(client, "1 + 1");
    const approvalId = await approvalIn(client);
    await client.request("agentq/answerApproval", { approvalId, decision: "approved" });
    expect(await running).toMatchObject({ success: true });
    expect(warnings(client)).toEqual([
      expect.stringMatching(
        /^The setting policy\.deny\.1: .*"not a rule".* you are asked about every call that is not safe\.$/,
      ),
      expect.stringContaining("no category restart_rpel. Did you mean restart_repl?"),
      expect.stringContaining('The rule "eval_form" in policy.allow opens nothing'),
    ]);
  });

  it("refuses arguments that the person changed to what a rule denies", async () => {
    const { client } = guarded;
    guarded.script = calls;
    const calling = callAsAgent(client, "eval_form", { form: "globalThis.x = 1" });
    const changed = { decision: "modified", arguments: { form: "process.exit()" } } as const;
    await client.request("agentq/answerApproval", { approvalId: await approvalIn(client), ...changed });
    expect(await calling).toMatchObject({ success: false, error: expect.stringContaining("denies it") });
  });
});

describe("an approval for the workspace", () => {
  it("holds in a later server for exactly that call, until it is forgotten", async () => {
    const form = "globalThis.seeded = 1";
    const first = await started(OPEN);
    const running = evaluate(first, form);
    const approvalId = await approvalIn(first);
    await first.request("agentq/answerApproval", { approvalId, decision: "approved", remember: "workspace" });
    expect(await running).toMatchObject({ success: true });
    await first.close();
    const second = await started(OPEN);
    expect(await evaluate(second, form)).toMatchObject({ success: true, metadata: { approved: true } });
    const { items } = await second.request("agentq/listRemembered", {});
    expect(items).toMatchObject([{ tool: "eval_form", arguments: { form }, scope: "workspace" }]);
    const other = evaluate(second, "globalThis.seeded = 2");
    await second.request("agentq/answerApproval", { approvalId: await approvalIn(second), decision: "denied" });
    expect(await other).toMatchObject({ success: false });
    const id = items[0]?.id ?? "";
    expect(await second.request("agentq/forgetRemembered", { id })).toEqual({ forgotten: 1 });
    await expect(second.request("agentq/forgetRemembered", { id })).rejects.toMatchObject({ code: -32602 });
    const again = evaluate(second, form);
    await second.request("agentq/answerApproval", { approvalId: await approvalIn(second, 1), decision: "denied" });
    expect(await again).toMatchObject({ success: false });
  });
});

describe("the audit log", () => {
  it("has the call that ran when the server was killed, and tells it as interrupted", async () => {
    const killed = await started({}, true);
    const running = evaluate(killed, "await new Promise(() => { console.log('begun') })").catch(() => "gone");
    await killed.waitFor(({ method, params }) =>
      method === "agentq/replOutput" && params.text.includes("begun") ? true : undefined,
    );
    const exited = once(killed.child, "exit");
    killed.child.kill("SIGKILL");
    await exited;
    killed.connection.dispose();
    clients.splice(clients.indexOf(killed), 1);
    void running;
    const next = await started();
    await evaluate(next, "2");
    const { items, total } = await next.request("agentq/auditLog", {});
    expect(items).toMatchObject([
      { tool: "eval_form", outcome: "interrupted", detail: expect.stringContaining("the server ended") },
      { tool: "eval_form", outcome: "run", arguments: { form: "2" } },
    ]);
    expect(total).toBe(2);
  });

  it("is one for two servers at once, which lose nothing of each other", async () => {
    const both = [await started({}, true), await started()];
    await Promise.all(both.flatMap((client, who) => [0, 1, 2].map((n) => evaluate(client, `${who}${n}`))));
    for (const client of both) {
      const { items } = await client.request("agentq/auditLog", {});
      expect(items.map(({ arguments: args }) => args["form"]).toSorted()).toEqual(["00", "01", "02", "10", "11", "12"]);
      expect(items.every(({ outcome }) => outcome === "run")).toBe(true);
    }
  });

  it("holds no key, is not opened before initialize is answered, and stands in no repository", async () => {
    const before = readdirSync(folder, { recursive: true });
    const client = newClient(true);
    await client.connection.sendRequest("initialize", {
      processId: null,
      rootUri: `file://${folder}`,
      capabilities: { experimental: { agentq: { version: 1, approvals: true } } },
    });
    expect(existsSync(state)).toBe(false);
    await client.connection.sendNotification("initialized", {});
    await evaluate(client, `"${KEY}", "ghp_abcdefghijklmnopqrstuvwxyz", "kept-word"`);
    await client.close();
    const written = textBelow(state);
    expect(written).toContain("kept-word");
    expect(written).toContain("[redacted]");
    expect(written).not.toContain(KEY);
    expect(written).not.toContain("ghp_");
    expect(readdirSync(folder, { recursive: true })).toEqual(before);
    expect(client.stderr).not.toContain("SQLite");
  });

  it("that cannot be kept is told once, and goes on in memory", async () => {
    writeFileSync(state, "a file where the folder should be");
    const client = await started();
    await evaluate(client, "1");
    await evaluate(client, "2");
    expect((await client.request("agentq/auditLog", {})).total).toBe(2);
    expect(warnings(client)).toEqual([expect.stringMatching(/cannot be used: .*kept in memory only/)]);
  });
});

it("counts what the calls of each tool came to", async () => {
  const client = await started({ policy: { deny: ["restart_repl"] } });
  await evaluate(client, "'a'.repeat(100)");
  await evaluate(client, "2");
  for (const args of [{}, { path: "src/none.ts" }, { path: "package.json" }]) {
    await client.request("agentq/callTool", { name: "read_file", arguments: args });
  }
  await client.request("agentq/callTool", { name: "restart_repl", arguments: {} });
  const { items, total, since } = await client.request("agentq/metrics", {});
  expect(Date.parse(since)).toBeLessThan(Date.now());
  expect(total).toBe(3);
  expect(items).toMatchObject([
    { tool: "read_file", calls: 3, failures: 2, denials: 0, timeMs: { count: 2 } },
    { tool: "eval_form", calls: 2, failures: 0, denials: 0, answerSize: { largest: expect.any(Number) } },
    { tool: "restart_repl", calls: 1, failures: 0, denials: 1 },
  ]);
  expect(items[2]).not.toHaveProperty("timeMs");
  expect(items[1]?.answerSize?.largest).toBeGreaterThan(100);
});
