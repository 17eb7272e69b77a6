/** `agentq acp`: the agent over the Agent Client Protocol, asked by the SDK's own client. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  methods,
  RequestError,
  type CreateElicitationResponse,
  type NewSessionRequest,
  type PermissionOption,
  type RequestPermissionRequest,
  type SessionConfigOption,
  type SetSessionConfigOptionRequest,
} from "@agentclientprotocol/sdk";
import { beforeEach, describe, expect, it } from "vitest";
import { itAtLength } from "../support/extent.ts";
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";
import { scriptNamed } from "../../examples/demo/scripts/all.ts";
import { AcpClient, sharedAcp } from "../support/acp-client.ts";
import { say } from "../support/session-stage.ts";
import { serverStage } from "../support/server-stage.ts";

const MODELS = ["claude-one", "claude-two"].map((id) => ({
  type: "model",
  id,
  display_name: id.toUpperCase(),
  max_input_tokens: 100_000,
}));
const stage = serverStage({ models: MODELS });
const shared = sharedAcp(stage, { answer: () => ({ outcome: { outcome: "cancelled" } }) });
let acp: AcpClient;

beforeEach(() => void ({ acp } = shared));

const file = (name: string): string => readFileSync(path.join(stage.folder, name), "utf8");
const resultOf = (client: AcpClient, tool: string, index = 0): string => {
  const calls = client.of("tool_call").filter(({ name }) => name === tool);
  const updates = client.of("tool_call_update").filter(({ toolCallId }) => toolCallId === calls[index]?.toolCallId);
  const text = updates.at(-1)?.content?.find(({ type }) => type === "content");
  return text?.type === "content" && text.content.type === "text" ? text.content.text : "";
};

/** Clients have a key for each kind, and some choose the first one on Enter. */
function expectSafe(options: readonly PermissionOption[]): void {
  expect(new Set(options.map(({ kind }) => kind)).size).toBe(options.length);
  expect(options[0]?.kind).toBe("reject_once");
}

describe("the three scenarios", () => {
  itAtLength(
    "describe a function from the compiler's answers, with each call and the files that it names",
    async () => {
      stage.script = scriptNamed("describe");
      const sessionId = await acp.newSession();
      expect(await acp.prompt(sessionId, "Describe the function allocate")).toEqual({ stopReason: "end_turn" });
      expect(resultOf(acp, "describe_symbol")).toContain("src/allocate.ts");
      expect(resultOf(acp, "who_calls")).toContain("src/credit-note.ts");
      expect(acp.said).toContain("in whole cents");
      expect(acp.of("tool_call").map(({ name, kind }) => [name, kind])).toContainEqual(["who_calls", "search"]);
      expect(stage.model.mismatches).toEqual([]);
    },
  );

  it("fix a bug: each hunk is a question with a diff of its file, and only what was accepted is written", async () => {
    stage.script = scriptNamed("fix-bug");
    const before = file("src/allocate.ts");
    const newTextOf = (asked: RequestPermissionRequest): string =>
      asked.toolCall.content?.map((each) => (each.type === "diff" ? each.newText : "")).join("") ?? "";
    acp.answer = (asked) => (newTextOf(asked).includes("Math.floor((total.cents") ? "Accept" : "Reject");
    const sessionId = await acp.newSession();
    await acp.prompt(sessionId, "Refunds lose a cent. Find out why and fix it.");
    expect(acp.asked.length).toBeGreaterThanOrEqual(2);
    for (const { options, toolCall } of acp.asked) {
      expectSafe(options);
      expect(toolCall.content?.[0]?.type).toBe("diff");
    }
    const diffs = acp.asked.map(({ toolCall }) => toolCall.content?.find(({ type }) => type === "diff"));
    expect(diffs[0]).toMatchObject({ path: path.join(stage.folder, "src/allocate.ts"), oldText: before });
    expect(file("src/allocate.ts")).toBe(before.replace("Math.trunc((total.cents", "Math.floor((total.cents"));
    expect(resultOf(acp, "propose_file_edit")).toMatch(/PARTIALLY APPLIED: 1 of \d hunks/);
    expect(resultOf(acp, "eval_form", 1)).toContain("= -10.00 EUR");
    expect(stage.model.mismatches).toEqual([]);
  });

  it("add a method: all hunks are accepted with one answer, and the diff stays beside the call's result", async () => {
    stage.script = scriptNamed("add-method");
    acp.answer = ({ options }) => options.find(({ optionId }) => optionId === "accept-all")?.name ?? "Accept";
    const sessionId = await acp.newSession();
    await acp.prompt(sessionId, "Add a serialize method to CreditNote");
    expect(file("src/credit-note.ts")).toContain("serialize");
    expect(resultOf(acp, "eval_form")).toContain("CRN;C-9;Harbour Books");
    const edited = acp.of("tool_call").find(({ kind }) => kind === "edit");
    const end = acp.of("tool_call_update").findLast(({ toolCallId }) => toolCallId === edited?.toolCallId);
    expect(end).toMatchObject({ status: "completed", content: [{ type: "diff" }, { type: "content" }] });
    expect(stage.model.mismatches).toEqual([]);
  });
});

describe("two proposals of one reply", () => {
  it("are asked about one after the other, in the reply's order", async () => {
    const write = (name: string, modified: string) =>
      call("propose_file_edit", { path: name, modified, description: `Write ${name}.` });
    const bill = 'import { rate } from "./vat.ts";\nexport const bill: number = rate;\n';
    stage.steps.push(
      reply(write("src/vat.ts", "export const rate = 7;\n"), write("src/bill.ts", bill)),
      reply("Understood."),
    );
    acp.answer = () => "Accept";
    await acp.prompt(await acp.newSession(), "Write them");
    expect(acp.asked.map(({ toolCall }) => toolCall.content?.find(({ type }) => type === "diff"))).toMatchObject([
      { path: path.join(stage.folder, "src/vat.ts") },
      { path: path.join(stage.folder, "src/bill.ts") },
    ]);
    expect(file("src/bill.ts")).toBe(bill);
  });
});

describe("a session", () => {
  it("is replayed when another agent loads it, and goes on from there", async () => {
    const sessionId = await acp.newSession();
    stage.steps.push(reply("I look.", call("read_file", { path: "src/tax.ts" })), reply("Nineteen."));
    await acp.prompt(sessionId, "What is the rate?");
    await acp.connection.agent.request(methods.agent.session.close, { sessionId });
    const second = new AcpClient(stage);
    await second.initialize();
    const { agent } = second.connection;
    const { sessions } = await agent.request(methods.agent.session.list, { cwd: stage.folder });
    expect(sessions[0]).toMatchObject({ sessionId, cwd: stage.folder, title: "What is the rate?" });
    await agent.request(methods.agent.session.load, { sessionId, cwd: stage.folder, mcpServers: [] });
    expect(second.textOf("user_message_chunk")).toBe("What is the rate?");
    expect(second.said).toBe("I look.Nineteen.");
    expect(resultOf(second, "read_file")).toContain("export");
    await second.prompt(sessionId, "Thanks.");
    expect(stage.sent(-1).messages[0]).toContain("What is the rate?");
    await agent.request(methods.agent.session.delete, { sessionId });
    const rest = await agent.request(methods.agent.session.list, { cwd: stage.folder });
    expect(rest.sessions.map((each) => each.sessionId)).not.toContain(sessionId);
    await second.close();
  });

  it("lists slash commands, which are answered without the model", async () => {
    const sessionId = await acp.newSession();
    await expect.poll(() => acp.of("available_commands_update").length, { timeout: 60_000 }).toBe(1);
    const [{ availableCommands } = { availableCommands: [] }] = acp.of("available_commands_update");
    expect(availableCommands).toContainEqual({
      name: "help",
      description: "[COMMAND] this list",
      input: { hint: "[COMMAND]" },
    });
    await acp.prompt(sessionId, "/help");
    expect(acp.said).toContain("`/help [COMMAND]`");
    expect(stage.model.requests).toEqual([]);
  });

  it("has a mode in which nothing is changed or run, which the client chooses or the person types", async () => {
    const { agent } = acp.connection;
    const { sessionId, modes } = await agent.request(methods.agent.session.new, { cwd: stage.folder, mcpServers: [] });
    expect([modes?.currentModeId, modes?.availableModes.map(({ id }) => id)]).toEqual(["default", ["default", "plan"]]);
    await expect(agent.request(methods.agent.session.setMode, { sessionId, modeId: "yolo" })).rejects.toThrow(
      "no mode",
    );
    await agent.request(methods.agent.session.setMode, { sessionId, modeId: "plan" });
    stage.steps.push(reply(call("eval_form", { form: "1 + 1" })), reply("A plan."));
    await acp.prompt(sessionId, "Plan it");
    const answer = (): string => JSON.stringify(acp.of("tool_call_update").at(-1));
    expect(answer()).toContain("NOT RUN: eval_form");
    stage.steps.push(reply(call("eval_form", { form: "20 + 22" })), reply("Done."));
    await acp.prompt(sessionId, "/go");
    await expect.poll(answer).toContain("42");
    expect(acp.of("current_mode_update").map(({ currentModeId }) => currentModeId)).toEqual(["plan", "default"]);
    // The same for clients that know options.
    const isMode = ({ id }: SessionConfigOption): boolean => id === "mode";
    const modesIn = (options: readonly SessionConfigOption[]): unknown[] =>
      options.filter(isMode).map(({ category, currentValue }) => [category, currentValue]);
    const told = (): unknown[] => acp.of("config_option_update").flatMap((update) => modesIn(update.configOptions));
    await expect.poll(() => told().at(-1)).toEqual(["mode", "default"]);
    const option: SetSessionConfigOptionRequest = { sessionId, configId: "mode", value: "plan" };
    const { configOptions } = await agent.request(methods.agent.session.setConfigOption, option);
    expect(modesIn(configOptions)).toEqual([["mode", "plan"]]);
  });

  it("has what was attached: files by their lines, and texts", async () => {
    const sessionId = await acp.newSession();
    const uri = `${pathToFileURL(path.join(stage.folder, "src/tax.ts")).href}#L1:2`;
    const resource = { uri: "memo://quince", text: "The quince is ripe." };
    await acp.prompt(
      sessionId,
      "What is in ",
      { type: "resource_link", uri, name: "tax.ts" },
      { type: "resource", resource },
      { type: "text", text: "Tell me." },
      { type: "text", text: "Soon." },
    );
    expect(stage.lastWords()).toContain("memo://quince Tell me.\n\nSoon.");
    expect(stage.lastWords()).toContain("What is in src/tax.ts:1-2 memo://quince");
    expect(stage.lastWords()).toContain("The quince is ripe.");
  });

  it("shows how full the context is, and lets the model be chosen", async () => {
    const { agent } = acp.connection;
    const { sessionId, configOptions } = await agent.request(methods.agent.session.new, {
      cwd: stage.folder,
      mcpServers: [],
    });
    // A machine under load lists its models late, and then tells of them.
    const told = (): SessionConfigOption[] => [
      ...(configOptions ?? []),
      ...acp.of("config_option_update").flatMap((update) => update.configOptions),
    ];
    await expect.poll(() => told().map(({ id }) => id), { timeout: 60_000 }).toContain("model");
    const model = told().find(({ id }) => id === "model");
    const offered = model?.type === "select" ? model.options.flatMap((each) => ("value" in each ? [each] : [])) : [];
    const two = offered.find(({ name }) => name === "CLAUDE-TWO");
    const choice: SetSessionConfigOptionRequest = { sessionId, configId: "model", value: two?.value ?? "" };
    const chosen = await agent.request(methods.agent.session.setConfigOption, choice);
    expect(chosen.configOptions[0]).toMatchObject({ id: "model", category: "model", currentValue: two?.value });
    await acp.prompt(sessionId, "Hello.");
    expect(stage.model.requests.at(-1)?.model).toBe("claude-two");
    expect(acp.of("usage_update").at(-1)).toMatchObject({ used: expect.any(Number), size: 100_000 });
    const wrong = agent.request(methods.agent.session.setConfigOption, { ...choice, value: "claude-three" });
    await expect(wrong).rejects.toMatchObject({ code: -32602 });
  });

  it("calls the tools of the client's MCP servers, and asks about each call", async () => {
    acp.answer = () => "Allow once";
    const program = fileURLToPath(new URL("../fixtures/mcp/stdio.mjs", import.meta.url));
    const server = { name: "files", command: process.execPath, args: [program], env: [] };
    const params: NewSessionRequest = { cwd: stage.folder, mcpServers: [server] };
    const { sessionId } = await acp.connection.agent.request(methods.agent.session.new, params);
    stage.steps.push(reply(call("mcp__files__add", { a: 40, b: 2 })));
    await acp.prompt(sessionId, "Add.");
    expect(acp.asked.map(({ toolCall }) => toolCall.rawInput)).toEqual([{ a: 40, b: 2 }]);
    expect(resultOf(acp, "mcp__files__add")).toContain("42");
  });
});

describe("a turn", () => {
  it("is cancelled with what it waits for, and says so", async () => {
    const sessionId = await acp.newSession();
    stage.steps.push(reply(call("eval_form", { form: "await new Promise(() => {})" })));
    const turn = acp.prompt(sessionId, "Wait.");
    await expect.poll(() => acp.of("tool_call").at(-1)?.name, { timeout: 60_000 }).toBe("eval_form");
    await acp.connection.agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await turn).toEqual({ stopReason: "cancelled" });
    stage.steps.push(reply("Here."));
    expect(await acp.prompt(sessionId, "Go on.")).toEqual({ stopReason: "end_turn" });
  });

  it("answers a slash command that does not exist in words, and offers none that leaves the session's conversation", async () => {
    const sessionId = await acp.newSession();
    expect(await acp.prompt(sessionId, "/nothing here")).toEqual({ stopReason: "end_turn" });
    expect(JSON.stringify(acp.of("agent_message_chunk").at(-1))).toContain("There is no command /nothing");
    const names = (): string[] =>
      acp.of("available_commands_update").flatMap((update) => update.availableCommands.map(({ name }) => name));
    await expect.poll(names).toContain("plan");
    expect(names().filter((name) => name === "new" || name === "fork")).toEqual([]);
  });

  it("that the model's server refuses ends in an error with the server's words", async () => {
    const refusal = { kind: "status", status: 400, message: "no such quince" } as const;
    stage.script = scriptOf("refused", "is refused", [reply("Done.")], [refusal]);
    const sessionId = await acp.newSession();
    await expect(acp.prompt(sessionId, "Hello.")).rejects.toThrow("no such quince");
    expect(await acp.prompt(sessionId, "Hello.")).toEqual({ stopReason: "end_turn" });
  });
});

describe("a reason", () => {
  const forms = sharedAcp(stage, {
    capabilities: { elicitation: { form: {} } },
    settings: { policy: { ask: ["eval_form"] } },
    answer: ({ options }) => (options.some(({ name }) => name === "Deny") ? "Deny" : "Reject"),
    fill: () => ({ action: "accept", content: { reason: " Too early. " } }),
  });
  const edits = ["// first\n", "// second\n"].map((modified, at) => ({
    op: at === 0 ? "insert_at_start" : "insert_at_end",
    path: "src/money.ts",
    modified,
  }));
  const edit = reply(call("propose_edits", { description: "Say it", edits }));

  beforeEach(() => void ({ acp } = forms));

  it("is asked for by a form where the client has forms, for a hunk, for all that follow and for a call, and the model reads it", async () => {
    const sessionId = await acp.newSession();
    stage.steps.push(edit, reply(call("eval_form", { form: "40 + 2" })));
    await acp.prompt(sessionId, "Do it.");
    expect(resultOf(acp, "propose_edits").match(/rejected it: "Too early\."/g)).toHaveLength(2);
    expect(resultOf(acp, "eval_form")).toContain("Too early.");
    expect(acp.forms).toMatchObject([
      { mode: "form", sessionId, message: "Why not? Edit src/money.ts (1 of 2)" },
      { message: "Why not? Edit src/money.ts (2 of 2)" },
      { message: "Why not? eval_form: 40 + 2", requestedSchema: { properties: { reason: { type: "string" } } } },
    ]);
    acp.forget();
    // With other arguments the call runs where that is ticked, and by nothing less.
    const contents: Record<string, unknown>[] = [
      { arguments: '{"form": "40 + 3"}' },
      { arguments: '{"form": "40 + 3"}', run: "yes" },
      { arguments: '{"form": "40 + 2"}', run: true },
      { arguments: "40 + 3", run: true },
      { arguments: "[]", run: true },
    ];
    for (const content of contents) {
      acp.forget();
      acp.fill = () => ({ action: "accept", content });
      stage.steps.push(reply(call("eval_form", { form: "40 + 2" })));
      await acp.prompt(sessionId, "And now?");
      expect(resultOf(acp, "eval_form")).toContain("NOT RUN");
    }
    acp.forget();
    acp.fill = () => ({ action: "accept", content: { arguments: '{"form": "40 + 3"}', run: true } });
    stage.steps.push(reply(call("eval_form", { form: "40 + 2" })));
    await acp.prompt(sessionId, "And now?");
    expect(resultOf(acp, "eval_form")).toMatch(/^43$/m);
    acp.forget();
    acp.fill = () => ({ action: "accept", content: { reason: " Too early. " } });
    acp.answer = () => "Reject this and all that follow";
    stage.steps.push(edit);
    await acp.prompt(sessionId, "Again.");
    expect(resultOf(acp, "propose_edits").match(/rejected it: "Too early\."/g)).toHaveLength(2);
    expect(acp.forms).toHaveLength(1);
  });

  it.each<[string, CreateElicitationResponse]>([
    ["is declined", { action: "decline" }],
    ["is of another kind", { action: "accept", content: { reason: 7 } }],
    ["is missing", { action: "accept", content: null }],
    ["makes no sense", { action: "later", reason: "x" }],
  ])("that %s leaves the no as it is", async (_how, answered) => {
    acp.fill = () => answered;
    const sessionId = await acp.newSession();
    stage.steps.push(edit);
    await acp.prompt(sessionId, "Do it.");
    expect(resultOf(acp, "propose_edits")).toMatch(/^```\nNOT APPLIED: none of 2 hunks[^]*no reason given/);
    expect(resultOf(acp, "propose_edits")).not.toContain("Too early");
  });
});

describe("a call that a person must approve", () => {
  const asking = sharedAcp(stage, {
    isProgram: true,
    settings: { policy: { ask: ["eval_form"] } },
    answer: () => "Deny",
  });

  beforeEach(() => void ({ acp } = asking));

  it("ends in a cancelled turn where the client closes the question and cancels at once", async () => {
    const sessionId = await acp.newSession();
    const { agent } = acp.connection;
    acp.answer = () => {
      void agent.notify(methods.agent.session.cancel, { sessionId });
      return { outcome: { outcome: "cancelled" } };
    };
    for (const form of ["1", "2", "3"]) {
      stage.steps.push(reply(call("eval_form", { form })));
      expect(await acp.prompt(sessionId, "Compute.")).toEqual({ stopReason: "cancelled" });
    }
  });

  it("is asked about with all of its arguments, and runs on a yes", async () => {
    acp.answer = () => "Allow once";
    const sessionId = await acp.newSession();
    stage.steps.push(reply(call("eval_form", { form: "40 + 2" })));
    await acp.prompt(sessionId, "Compute.");
    expect(acp.asked).toMatchObject([{ toolCall: { title: "eval_form: 40 + 2", rawInput: { form: "40 + 2" } } }]);
    expect(acp.asked[0]?.toolCall.content).toEqual([
      { type: "content", content: expect.objectContaining({ text: expect.stringContaining('"form": "40 + 2"') }) },
    ]);
    expect(acp.asked[0]?.options.map(({ kind }) => kind)).toEqual(["reject_once", "allow_once", "allow_always"]);
    expect(resultOf(acp, "eval_form")).toMatch(/^42$/m);
    // Some clients show the title alone.
    const form = `${"1 + ".repeat(100)}process.exit(7)`;
    acp.answer = () => "Deny";
    stage.steps.push(reply(call("eval_form", { form, timeout_ms: 9_000 })), reply("No."));
    await acp.prompt(sessionId, "Compute more.");
    expect(acp.asked.at(-1)?.toolCall).toMatchObject({
      kind: "execute",
      title: expect.stringContaining(form) as string,
    });
    expect(acp.asked.at(-1)?.toolCall.title).toContain("timeout_ms: 9000");
  });

  it("does not run on a no", async () => {
    const sessionId = await acp.newSession();
    stage.steps.push(reply(call("eval_form", { form: "40 + 2" })));
    await acp.prompt(sessionId, "Compute.");
    expect(resultOf(acp, "eval_form")).toContain("NOT RUN");
    expect(acp.of("tool_call_update").at(-1)).toMatchObject({ status: "failed" });
  });

  itAtLength("is not asked about again once it was allowed for the project", async () => {
    acp.answer = ({ options }) =>
      options.find(({ name }) => name === "Always allow in this project")?.name ?? "Allow from now on";
    for (const _ of [1, 2]) {
      const sessionId = await acp.newSession();
      stage.steps.push(reply(call("eval_form", { form: "40 + 2" })));
      await acp.prompt(sessionId, "Compute.");
    }
    expect(acp.asked).toHaveLength(2);
    for (const { options } of acp.asked) expectSafe(options);
  });
});

describe("the audit log", () => {
  it("has the same line for a call as for the same call in an editor", async () => {
    const calls = [call("eval_form", { form: "6 * 7" }), call("read_file", { path: "../outside.txt" })];
    const editor = stage.client;
    stage.steps.push(...calls.map((each) => reply(each)));
    await acp.prompt(await acp.newSession(), "Compute.");
    stage.steps.push(...calls.map((each) => reply(each)));
    await say(editor, "Compute.");
    const { items } = await editor.request("agentq/auditLog", {});
    const lines = items
      .slice(-4)
      .map(({ id: _id, at: _at, toolCallId: _call, sessionId: _session, durationMs: _ms, ...line }) => line);
    expect(lines.map(({ tool }) => tool)).toEqual(["eval_form", "read_file", "eval_form", "read_file"]);
    expect(lines.slice(0, 2)).toEqual(lines.slice(2));
  });
});

describe("an editor with unsaved text", () => {
  const editing = sharedAcp(stage, {
    capabilities: { fs: { readTextFile: true, writeTextFile: true } },
    answer: () => "Accept",
  });

  beforeEach(() => void ({ acp } = editing));

  const edit = {
    description: "Books are kept in francs too.",
    edits: [{ op: "replace", path: "src/money.ts", original: `"EUR" | "GBP" | "USD"`, modified: `"CHF" | "EUR"` }],
  };

  it("has what was typed kept, and writes the edit itself", async () => {
    const place = path.join(stage.folder, "src/money.ts");
    const typed = `// Typed.\n${file("src/money.ts")}`;
    const written: string[] = [];
    acp.unsaved = new Map([[place, typed]]);
    acp.write = (name, text) => {
      written.push(name);
      writeFileSync(name, text);
    };
    const sessionId = await acp.newSession();
    stage.steps.push(reply(call("propose_edits", edit)));
    await acp.prompt(sessionId, "Francs.");
    expect(resultOf(acp, "propose_edits")).toContain("APPLIED");
    expect(written).toEqual([place]);
    expect(file("src/money.ts")).toBe(typed.replace(`"EUR" | "GBP" | "USD"`, `"CHF" | "EUR"`));
  });

  const create = { description: "Notes.", edits: [{ op: "create", path: "src/notes.ts", modified: "export {};\n" }] };
  it.each([
    ["an edit", edit],
    ["a new file", create],
    ["an edit and a new file", { ...edit, edits: [...edit.edits, ...create.edits] }],
  ])("that fails to write %s fails no turn: the model hears why it does not stand there", async (_of, given) => {
    const before = file("src/money.ts");
    acp.write = () => {
      throw new RequestError(-32_000, "disk is read-only");
    };
    const sessionId = await acp.newSession();
    stage.steps.push(reply(call("propose_edits", given)), reply("I see."));
    expect(await acp.prompt(sessionId, "Francs.")).toEqual({ stopReason: "end_turn" });
    expect(resultOf(acp, "propose_edits")).toMatch(/NOT APPLIED[^]*disk is read-only/);
    expect(acp.of("tool_call_update").at(-1)?.status).toBe("completed");
    expect(acp.said).toBe("I see.");
    expect(file("src/money.ts")).toBe(before);
  });

  itAtLength("that writes one file and fails at another one has the one applied", async () => {
    acp.write = (name, text) => {
      if (name.endsWith("notes.ts")) throw new RequestError(-32_601, "Method not found");
      writeFileSync(name, text);
    };
    const sessionId = await acp.newSession();
    const both = { ...edit, edits: [...edit.edits, ...create.edits] };
    stage.steps.push(reply(call("propose_edits", both)), reply("I see."));
    expect(await acp.prompt(sessionId, "Francs.")).toEqual({ stopReason: "end_turn" });
    expect(resultOf(acp, "propose_edits")).toMatch(/PARTIALLY APPLIED: 1 of 2[^]*Method not found/);
    expect(file("src/money.ts")).toContain('"CHF" | "EUR"');
  });

  it("that never ends a write holds up no cancelled turn", async () => {
    const { promise: isAsked, resolve } = Promise.withResolvers<void>();
    acp.write = () => {
      resolve();
      return new Promise<void>(() => undefined);
    };
    const sessionId = await acp.newSession();
    stage.steps.push(reply(call("propose_edits", edit)));
    const turn = acp.prompt(sessionId, "Francs.");
    await isAsked;
    await acp.connection.agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await turn).toEqual({ stopReason: "cancelled" });
    stage.steps.splice(0, stage.steps.length, reply("Here."));
    expect(await acp.prompt(sessionId, "And now?")).toEqual({ stopReason: "end_turn" });
  });

  it("that says that it wrote, and did not, is not believed: the model hears that nothing was applied", async () => {
    const before = file("src/money.ts");
    acp.write = () => undefined;
    const sessionId = await acp.newSession();
    stage.steps.push(reply(call("propose_edits", edit)), reply("I see."));
    expect(await acp.prompt(sessionId, "Francs.")).toEqual({ stopReason: "end_turn" });
    expect(resultOf(acp, "propose_edits")).toContain("does not stand in the file");
    expect(file("src/money.ts")).toBe(before);
  });
});
