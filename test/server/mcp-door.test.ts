/** `agentq mcp`: the tools over the Model Context Protocol, asked by the SDK's own client. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ElicitResult, Progress } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, reply } from "../../examples/demo/model/script.ts";
import type { AuditEntry } from "../../server/src/protocol/tool-shapes.ts";
import { runsAll } from "../support/extent.ts";
import { McpClient, sharedMcp, type McpClientOptions } from "../support/mcp-client.ts";
import { say } from "../support/session-stage.ts";
import { serverProgram } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

const stage = serverStage();
const shared = sharedMcp(stage);
let mcp: McpClient;
const clients: McpClient[] = [];

beforeEach(() => void ({ mcp } = shared));

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

/** A server of the test's own. */
async function connect(options: McpClientOptions = {}): Promise<McpClient> {
  const made = new McpClient(stage, options);
  clients.push(made);
  await made.connect();
  return made;
}

const says = (content: Record<string, string>) => (): ElicitResult => ({ action: "accept", content });
const asks = { settings: { policy: { ask: ["eval_form"] } } };
const file = (name: string): string => readFileSync(path.join(stage.folder, name), "utf8");

/** What an editor reads in the audit log of the same workspace. */
async function audited(): Promise<readonly AuditEntry[]> {
  return (await stage.client.request("agentq/auditLog", {})).items;
}

describe("an MCP client", () => {
  it("is told of every tool with its schema, and which ones only read and which ones may destroy something", async () => {
    const { client } = mcp;
    const { tools } = await client.listTools();
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    expect(tools.length).toBeGreaterThan(40);
    expect(tools.every(({ inputSchema, description }) => inputSchema.type === "object" && description)).toBe(true);
    expect(hints["who_calls"]).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(hints["eval_form"]).toMatchObject({ readOnlyHint: false });
    expect(hints["propose_edits"]).toMatchObject({ readOnlyHint: false, destructiveHint: false });
    expect(client.getInstructions()).toContain("patch");
  });

  it.each<[NonNullable<McpClientOptions["only"]>, number, number]>([
    ["repl", 8, 4_200],
    ["compiler", 7, 3_000],
    ["both", 15, 7_200],
  ])("is told of what it has not itself with --only %s, and cannot call the rest", async (only, count, bytes) => {
    mcp = await connect({ only });
    const { tools } = await mcp.client.listTools();
    expect(tools.map(({ name }) => name)).toHaveLength(count);
    expect(tools.every(({ title, _meta }) => title !== undefined && _meta?.["anthropic/searchHint"])).toBe(true);
    expect(tools.some(({ _meta }) => _meta?.["anthropic/alwaysLoad"] === true)).toBe(true);
    // What a host sends on with each request to its model.
    const sent = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    expect(JSON.stringify(sent).length).toBeLessThanOrEqual(bytes);
    const refused = await mcp.call("read_file", { path: "src/money.ts" });
    expect(refused).toEqual({
      isError: true,
      text: expect.stringMatching(/^Unknown tool "read_file": this server offers/),
    });
    expect((await mcp.call("read_fil")).text).toMatch(/^Unknown tool "read_fil"/);
  });

  it("says what --only takes where the word is another one", () => {
    const words = [serverProgram, "mcp", "--only", "edit"];
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
    expect(status).toBe(2);
    expect(stderr).toBe('agentq: --only takes repl, compiler, both or all: "edit". See agentq --help.\n');
  });

  it.each(runsAll ? [false, true] : [false])(
    "gets answers as the model of an editor does (protocol of 2026: %s)",
    async (isModern) => {
      if (isModern) mcp = await connect({ isModern });
      const outline = await mcp.call("document_outline", { path: "src/money.ts" });
      expect(outline).toEqual({ isError: false, text: expect.stringContaining("class Money") });
      const wrong = await mcp.call("who_calls", { symbol: true });
      expect(wrong).toEqual({ isError: true, text: expect.stringContaining("symbol") });
      expect(await mcp.call("document_outlin")).toEqual({
        isError: true,
        text: expect.stringMatching(/^Unknown tool "document_outlin".*document_outline/),
      });
    },
  );

  it("works in the folder where it started the server, or in its roots where it has some", async () => {
    const there = await connect({ isProgram: true });
    expect((await there.call("get_project_root")).text).toContain(stage.folder);
    const elsewhere = await connect({ cwd: path.dirname(stage.folder), roots: [stage.folder] });
    expect((await elsewhere.call("document_outline", { path: "src/money.ts" })).text).toContain("class Money");
  });

  it("hears how a call goes on, and ends what it cancels", async () => {
    const heard = new Set<string>();
    const stop = new AbortController();
    const onprogress = ({ progress, message = "" }: Progress): void => {
      heard.add(`${progress}: ${message}`);
      if (message === "Evaluating in the REPL") stop.abort("enough");
    };
    const endless = mcp.client.callTool(
      { name: "eval_form", arguments: { form: "await new Promise(() => {})" } },
      { signal: stop.signal, onprogress },
    );
    await expect(endless).rejects.toThrow("enough");
    expect(heard.size).toBeGreaterThan(1);
    await expect.poll(async () => (await mcp.call("get_repl_history")).text).toMatch(/interrupted|stopped/);
    expect((await mcp.call("eval_form", { form: "1 + 1" })).text).toMatch(/^2\n/);
  });

  it("has the settings of a file, and is told of one that is wrong", async () => {
    mcp = await connect({ isProgram: true, settings: { offeredTools: "some" } });
    await expect.poll(() => mcp.door.stderr).toContain("offeredTools");
    const { tools } = await mcp.client.listTools();
    expect(tools.map(({ name }) => name)).toContain("write_file");
    const core = await connect({ settings: { offeredTools: "core" } });
    expect((await core.client.listTools()).tools.map(({ name }) => name)).not.toContain("write_file");
  });
});

describe("a call that a person must approve", () => {
  it("is refused where the client cannot ask, with what to do", async () => {
    mcp = await connect(asks);
    expect(await mcp.call("eval_form", { form: "globalThis.ran = 1" })).toEqual({
      isError: true,
      text: expect.stringMatching(/^NOT RUN: this client cannot ask the person: .*--settings.* Nothing happened\.$/),
    });
    expect((await mcp.call("get_repl_history")).text).toContain("Nothing was evaluated yet.");
  });

  it.each(runsAll ? [false, true] : [true])(
    "is put to the person with its arguments, and runs on a yes (protocol of 2026: %s)",
    async (isModern) => {
      const answer = says({ decision: "approve once", message: "Only this time." });
      mcp = await connect({ ...asks, answer, isModern });
      const { text, isError } = await mcp.call("eval_form", { form: "40 + 2" });
      expect({ isError, words: text.split("\n")[0] }).toEqual({
        isError: false,
        words: "The person approved this call. The person says: Only this time.",
      });
      expect(text).toMatch(/^42$/m);
      expect(mcp.asked.map(({ message }) => message)).toEqual([
        expect.stringMatching(/^Run eval_form\?\n[^]*"form": "40 \+ 2"/),
      ]);
      await mcp.close();
      expect((await audited()).slice(-1)).toMatchObject([
        { tool: "eval_form", caller: "model", decision: "approved", message: "Only this time.", outcome: "run" },
      ]);
    },
  );

  const asking = sharedMcp(stage, { ...asks, answer: () => ({ action: "cancel" }) });
  const NO = "the person did not approve this call.";

  it.each<[string, () => ElicitResult, string]>([
    ["declines", () => ({ action: "decline" }), NO],
    ["declines a form that is filled in", () => ({ action: "decline", content: { decision: "approve once" } }), NO],
    ["looks away", () => ({ action: "cancel" }), "nobody answered the question. A person can"],
    ["accepts an empty form", () => ({ action: "accept" }), NO],
    ["accepts another word", says({ decision: "yes" }), NO],
    ["chooses the no", says({ decision: "deny" }), NO],
    [
      "cannot be asked after all",
      () => {
        throw new Error("no screen");
      },
      "the client failed to ask the person: ",
    ],
  ])("does not run when the person %s", async (_how, answer, why) => {
    ({ mcp } = asking);
    mcp.answer = answer;
    const { text, isError } = await mcp.call("eval_form", { form: "globalThis.ran = 1" });
    expect(isError).toBe(true);
    expect(text.startsWith(`NOT RUN: ${why}`)).toBe(true);
    expect(text.endsWith("Nothing happened.")).toBe(true);
    expect((await mcp.call("get_repl_history")).text).toContain("Nothing was evaluated yet.");
  });

  it("is not asked about again once it was approved for the project, in this client or another", async () => {
    const { mcp: first } = asking;
    first.answer = says({ decision: "approve for this project" });
    await first.call("eval_form", { form: "1" });
    await first.call("eval_form", { form: "1" });
    await first.call("eval_form", { form: "2" });
    expect(first.asked.length).toBe(2);
    const other = await connect(asks);
    expect((await other.call("eval_form", { form: "1" })).isError).toBe(false);
  });
});

describe("an edit", () => {
  const edit = {
    description: "Books are kept in francs too.",
    edits: [
      { op: "replace", path: "src/money.ts", original: `"EUR" | "GBP" | "USD";`, modified: `"CHF" | "EUR" | "GBP";` },
    ],
  };
  const patchIn = (text: string): string => `${/```diff\n([^]*?)\n```/.exec(text)?.[1] ?? ""}\n`;

  it("comes back as a patch that git applies, judged by the compiler, and no file is changed", async () => {
    const before = file("src/money.ts");
    const { text, isError } = await mcp.call("propose_edits", edit);
    expect({ isError, head: text.split(":")[0] }).toEqual({ isError: false, head: "PATCH" });
    expect(text).toMatch(
      /BROKEN: with the patch applied the compiler reports \d+ new errors?:\n {2}test\/money\.test\.ts:15:53 error TS2345: /,
    );
    expect(file("src/money.ts")).toBe(before);
    execFileSync("git", ["apply", "-"], { cwd: stage.folder, input: patchIn(text) });
    expect(file("src/money.ts")).toBe(before.replace(`"EUR" | "GBP" | "USD";`, `"CHF" | "EUR" | "GBP";`));
  });

  it("of many files is one patch too, and stays to be read as a resource", async () => {
    const { text } = await mcp.call("rename_symbol", { symbol: "src/money.ts#Money", new_name: "Amount" });
    expect(text).toContain("Checked with the patch applied: no new error");
    const { items } = JSON.parse(await mcp.read("agentq://proposals")) as {
      items: { title: string; patch: string }[];
    };
    const amount = items.find(({ title }) => title.includes("Amount"));
    const patch = await mcp.read(amount?.patch ?? "");
    expect(patch).toBe(patchIn(text));
    expect(patch.match(/^diff --git/gm)?.length).toBeGreaterThan(3);
  });

  it("can be proposed again in an editor, where a person reviews it", async () => {
    await mcp.call("propose_edits", edit);
    const editor = await stage.start();
    const { items } = await editor.request("agentq/listProposals", {});
    const withdrawn = items.find(({ title, state }) => title === "Edit src/money.ts" && state === "withdrawn");
    const again = await editor.request("agentq/reopenProposal", { proposalId: withdrawn?.proposalId ?? "" });
    const review = await editor.waitFor(({ method, params }) => (method === "agentq/proposal" ? params : undefined));
    expect(review).toMatchObject({ proposalId: again.proposalId, state: "pending" });
  });

  it("that a rule forbids is not made into a patch", async () => {
    mcp = await connect({ settings: { policy: { deny: ["edit(src/money.ts)"] } } });
    const { text, isError } = await mcp.call("propose_edits", edit);
    expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining("denies it") });
  });
});

describe("a resource", () => {
  it("tells the diagnostics of the workspace and the history of the REPL", async () => {
    const { resources } = await mcp.client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      "agentq://diagnostics",
      "agentq://repl-history",
      "agentq://proposals",
    ]);
    expect(await mcp.read("agentq://diagnostics")).toMatch(/^No errors or warnings in the workspace/);
    await mcp.call("eval_form", { form: "6 * 7" });
    expect(await mcp.read("agentq://repl-history")).toMatch(/agent: value .*42/);
    await expect(mcp.read("agentq://secrets")).rejects.toThrow("There is no agentq://secrets here.");
    await expect(mcp.read("agentq://proposals/1")).rejects.toThrow("There is no agentq://proposals/1 here.");
  });

  it("tells whoever subscribes of each evaluation and of each proposal, until they have heard enough", async () => {
    const heard: string[] = [];
    mcp.client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
    const [history, proposals] = [{ uri: "agentq://repl-history" }, { uri: "agentq://proposals" }];
    await mcp.call("eval_form", { form: "1" });
    expect(heard).toEqual([]);
    for (const each of [history, proposals]) await mcp.client.subscribeResource(each);
    await mcp.call("eval_form", { form: "2" });
    const note = { op: "insert_at_start", path: "src/money.ts", modified: "// note\n" };
    await mcp.call("propose_edits", { description: "Note.", edits: [note] });
    await expect.poll(() => [...new Set(heard)]).toEqual([history.uri, proposals.uri]);
    // A look changes nothing, by whatever way.
    await mcp.call("get_repl_history");
    await mcp.read(history.uri);
    await mcp.client.unsubscribeResource(history);
    await mcp.call("eval_form", { form: "3" });
    await mcp.read(history.uri);
    expect(heard.filter((uri) => uri === history.uri)).toHaveLength(1);
    for (const uri of ["agentq://diagnostics", "agentq://secrets", "file:///etc/passwd"]) {
      await expect(mcp.client.subscribeResource({ uri })).rejects.toThrow("tells of no changes");
    }
  });
});

describe("the audit log", () => {
  it("has the same line for a call as for the same call of an editor's model", async () => {
    const form = { form: "6 * 7" };
    await mcp.call("eval_form", form);
    await mcp.call("read_file", { path: "../outside.txt" });
    const editor = stage.client;
    stage.steps.push(reply(call("eval_form", form)), reply(call("read_file", { path: "../outside.txt" })));
    await say(editor, "Compute.");
    const { items } = await editor.request("agentq/auditLog", {});
    const lines = items
      .slice(-4)
      .map(({ id: _id, at: _at, toolCallId: _call, sessionId: _session, durationMs: _ms, ...line }) => line);
    expect(lines.map(({ tool }) => tool)).toEqual(["eval_form", "read_file", "eval_form", "read_file"]);
    expect(lines.slice(0, 2)).toEqual(lines.slice(2));
  });

  it("knows nothing of a file outside of the workspace, and neither does the client", async () => {
    const outside = path.join(path.dirname(stage.folder), "outside");
    mkdirSync(outside);
    writeFileSync(path.join(outside, "secret.txt"), "nobody reads this");
    const answer = await mcp.call("read_file", { path: path.join(outside, "secret.txt") });
    expect(answer.isError).toBe(true);
    expect(answer.text).not.toContain("nobody reads this");
  });
});
