/** What the model hears of the world: its own calls in their order, the person's words and deeds, what they attached. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { textOf, type ContentBlock } from "../../examples/demo/model/request-body.ts";
import { call, reply } from "../../examples/demo/model/script.ts";
import { type ScriptedModel } from "../../examples/demo/scripted-model.ts";
import type { ContextRef } from "../../server/src/protocol/shapes.ts";
import type { TurnEvent } from "../../server/src/protocol/turn-shapes.ts";
import { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

const stage = serverStage();
let folder: string;
let model: ScriptedModel;
let client: ServerClient;

beforeEach(() => void ({ folder, model, client } = stage));

async function say(text: string, sessionId?: string, context?: readonly ContextRef[]) {
  const session = sessionId === undefined ? {} : { sessionId };
  const answer = await client.request("agentq/prompt", {
    text,
    ...session,
    ...(context === undefined ? {} : { context }),
  });
  return { ...answer, events: await client.turn(answer.turnId) };
}

/** The results that the model got with its latest request, and the words of the latest prompt. */
function heard(): { readonly results: string[]; readonly prompt: string } {
  const messages = model.requests.at(-1)?.messages ?? [];
  const last = messages.findLast(({ role }) => role === "user");
  const blocks = typeof last?.content === "string" ? [] : (last?.content ?? []);
  return {
    results: blocks.filter(({ type }) => type === "tool_result").map((block) => textOf(block["content"])),
    prompt: textOf(last?.content),
  };
}

async function nextApproval(after = 0): Promise<string> {
  let count = 0;
  return client.waitFor(({ method, params }) =>
    method === "agentq/approval" && count++ >= after ? params.approvalId : undefined,
  );
}

function resultIn(events: readonly TurnEvent[], name: string) {
  return events.find((event) => event.kind === "toolResult" && event.name === name);
}

describe("calls of one reply", () => {
  it("see the change that stands before them", async () => {
    const edit = { path: "src/tax.ts", original: "0.19", modified: "0.21", description: "the new rate" };
    stage.steps.push(reply(call("propose_file_edit", edit), call("read_file", { path: "src/tax.ts" })));
    const uri = await client.open(
      path.join(folder, "src/tax.ts"),
      readFileSync(path.join(folder, "src/tax.ts"), "utf8"),
    );
    const { turnId } = await client.request("agentq/prompt", { text: "raise it" });
    const { proposalId } = await client.nextProposal();
    const decided = await client.request("agentq/decide", { proposalId, hunks: [{ id: "h1", decision: "accept" }] });
    await client.apply(proposalId, decided.edit);
    const events = await client.turn(turnId);
    expect(client.textOf(uri)).toContain("0.21");
    expect(heard().results).toEqual([expect.stringContaining("APPLIED"), expect.stringContaining("standard: 0.21")]);
    expect(resultIn(events, "propose_file_edit")).toMatchObject({ result: { metadata: { approved: true } } });
  });
});

describe("a review that is cut off", () => {
  it("tells the model and the transcript which hunks were applied before", async () => {
    const text = Array.from({ length: 9 }, (_, line) => `export const n${line} = ${line};\n`).join("");
    writeFileSync(path.join(folder, "src/numbers.ts"), text);
    const modified = text.replace("n1 = 1", "n1 = 11").replace("n7 = 7", "n7 = 77");
    stage.steps.push(reply(call("propose_file_edit", { path: "src/numbers.ts", modified, description: "numbers" })));
    await client.open(path.join(folder, "src/numbers.ts"), text);
    const { turnId, sessionId } = await client.request("agentq/prompt", { text: "change them" });
    const { proposalId } = await client.nextProposal();
    const decided = await client.request("agentq/decide", { proposalId, hunks: [{ id: "h1", decision: "accept" }] });
    await client.apply(proposalId, decided.edit);
    await client.request("agentq/cancel", { sessionId });
    const events = await client.turn(turnId);
    const told = expect.stringMatching(
      /^WITHDRAWN: 1 of 2 hunks were applied before\. .*\n.*h2.*NOT applied.*\n- applied: h1\n/,
    );
    expect(resultIn(events, "propose_file_edit")).toMatchObject({ result: { success: true, content: told } });
    await say("and now?", sessionId);
    const results = model.requests.at(-1)?.messages[2]?.content as readonly ContentBlock[];
    expect(textOf(results[0]?.["content"])).toEqual(told);
  });
});

describe("an answer to an approval", () => {
  const form = (code: string) => call("eval_form", { form: code });
  const open = serverStage({ settings: { repl: { confinement: "openWithoutAsking" } } });

  beforeEach(() => void ({ folder, model, client } = open));

  it("that changes the arguments is told to the model with what ran and the person's words", async () => {
    open.steps.push(reply(form("globalThis.n = 1")));
    const { turnId } = await client.request("agentq/prompt", { text: "go" });
    await client.request("agentq/answerApproval", {
      approvalId: await nextApproval(),
      decision: "modified",
      arguments: { form: "globalThis.n = 2" },
      message: "two is enough",
    });
    const events = await client.turn(turnId);
    const [result] = heard().results;
    expect(result).toMatch(
      /^The person changed the arguments to {"form":"globalThis.n = 2"}.*\nThe person says: two is enough\n\n2\n/,
    );
    expect(resultIn(events, "eval_form")).toMatchObject({
      result: { metadata: { approved: true, modifiedArguments: { form: "globalThis.n = 2" } } },
    });
    expect((await client.request("agentq/auditLog", {})).items).toMatchObject([
      { caller: "model", decision: "modified", arguments: { form: "globalThis.n = 1" }, outcome: "run" },
    ]);
  });

  it("with a wish to stop ends the turn after it", async () => {
    open.steps.push(reply(form("globalThis.n = 1"), form("globalThis.n = 2")));
    const { turnId, sessionId } = await client.request("agentq/prompt", { text: "go" });
    const answer = { decision: "denied", message: "enough", then: "stop" } as const;
    await client.request("agentq/answerApproval", { approvalId: await nextApproval(), ...answer });
    expect((await client.turn(turnId)).at(-1)).toMatchObject({ kind: "turnEnded", reason: "stopped" });
    await say("so?", sessionId);
    expect(JSON.stringify(model.requests.at(-1)?.messages[2])).toContain("The person says: enough");
    expect(JSON.stringify(model.requests.at(-1)?.messages[2])).toContain(
      "the person stopped the turn before this call",
    );
    expect(client.received.filter(({ method }) => method === "agentq/approval")).toHaveLength(1);
  });
});

describe("what the person did since the last turn", () => {
  it("is reported of lines that the model read once and not again, when it has read others since", async () => {
    const edits = [{ op: "insert_at_end", path: "src/order.ts", modified: "// more\n" }];
    stage.steps.push(
      reply(call("read_file", { path: "src/tax.ts" }), call("propose_edits", { description: "x", edits })),
      reply(call("read_file", { path: "src/tax.ts:12-14" }), call("document_outline", { path: "src/tax.ts" })),
      reply("Read."),
      reply("Seen."),
    );
    const text = readFileSync(path.join(folder, "src/tax.ts"), "utf8");
    const uri = await client.open(path.join(folder, "src/tax.ts"), text);
    const { turnId, sessionId } = await client.request("agentq/prompt", { text: "read it" });
    const { proposalId, hunks } = await client.nextProposal();
    const changed = text.replace("0.19", "0.21").replace("return net", "return (net)");
    await client.connection.sendNotification("textDocument/didChange", {
      textDocument: { uri, version: 2 },
      contentChanges: [{ text: changed }],
    });
    const decisions = hunks.map(({ id }) => ({ id, decision: "reject" as const }));
    await client.request("agentq/decide", { proposalId, hunks: decisions });
    await client.turn(turnId);
    await say("go on", sessionId);
    expect(heard().prompt).toBe(
      "[Since your last turn: Changed documents that you have seen: src/tax.ts (line 4; not saved).]\ngo on",
    );
  });

  it("is reported in a line before the prompt, and without news there is no line", async () => {
    stage.steps.push(
      reply(call("read_file", { path: "src/tax.ts" })),
      reply("Read."),
      reply("Nothing."),
      reply("Seen."),
    );
    const text = readFileSync(path.join(folder, "src/tax.ts"), "utf8");
    await client.open(path.join(folder, "src/order.ts"), readFileSync(path.join(folder, "src/order.ts"), "utf8"));
    const { sessionId } = await say("read it");
    await say("anything?", sessionId);
    expect(heard().prompt).toBe("anything?");
    const uri = await client.open(path.join(folder, "src/tax.ts"), text);
    await client.connection.sendNotification("textDocument/didChange", {
      textDocument: { uri, version: 2 },
      contentChanges: [{ text: text.replace("0.19", "0.21").concat("// seen\n") }],
    });
    await client.request("agentq/evaluate", { code: "1 + 1" });
    await say("go on", sessionId);
    expect(heard().prompt).toBe(
      "[Since your last turn: Changed documents that you have seen: src/tax.ts (lines 4, 15; not saved). The person evaluated 1 form (get_repl_history).]\ngo on",
    );
  });

  it("is not what the model did itself, and the system text stays what it was", async () => {
    const edit = { path: "src/tax.ts", original: "0.19", modified: "0.21", description: "the new rate" };
    stage.steps.push(reply(call("eval_form", { form: "1" })), reply(call("propose_file_edit", edit)), reply("Done."));
    await client.open(path.join(folder, "src/tax.ts"), readFileSync(path.join(folder, "src/tax.ts"), "utf8"));
    const { turnId, sessionId } = await client.request("agentq/prompt", { text: "raise it" });
    const { proposalId } = await client.nextProposal();
    const decided = await client.request("agentq/decide", { proposalId, hunks: [{ id: "h1", decision: "accept" }] });
    await client.apply(proposalId, decided.edit);
    await client.turn(turnId);
    await say("thanks", sessionId);
    expect(heard().prompt).not.toContain("Changed");
    expect(new Set(model.requests.map(({ system }) => textOf(system))).size).toBe(1);
  });
});

describe("what is attached to a prompt", () => {
  const uri = (file: string) => new URL(`file://${path.join(folder, file)}`).href;
  const lines = (from: number, to: number, character = 0) => ({
    range: { start: { line: from, character: 0 }, end: { line: to, character } },
  });

  it("is exactly what is selected, and nothing of a line that the selection does not reach into", async () => {
    await say("what?", undefined, [
      { kind: "selection", uri: uri("src/tax.ts"), ...lines(2, 4) },
      { kind: "selection", uri: uri("src/tax.ts"), ...lines(5, 5, 6) },
    ]);
    expect(heard().prompt).toContain(
      [
        "src/tax.ts:3-4",
        "```",
        "/** The share of the net price that each class of goods is taxed with. */",
        "export const TAX_RATES = { standard: 0.19, reduced: 0.07, exempt: 0 } as const;",
        "```",
        "",
        "src/tax.ts:6, from character 1, exactly",
        "```",
        "export",
        "```",
      ].join("\n"),
    );
  });

  it("is what a symbol, a REPL value and the diagnostics of a file hold now", async () => {
    const { valueId = "" } = await client.request("agentq/evaluate", { code: "({ cents: 42 })" });
    writeFileSync(path.join(folder, "src/wrong.ts"), 'export const n: number = "text";\n');
    await say("what?", undefined, [
      { kind: "symbol", symbol: "taxOn" },
      { kind: "replValue", symbol: valueId },
      { kind: "diagnostics", uri: uri("src/wrong.ts") },
    ]);
    const { prompt } = heard();
    expect(prompt).toContain("net: Money, taxClass:");
    expect(prompt).toContain("cents");
    expect(prompt).toContain("TS2322");
  });

  it("says which lines of a large file are there", async () => {
    writeFileSync(path.join(folder, "src/long.ts"), `${"// ".padEnd(99, "x")}\n`.repeat(1_000));
    await say("what?", undefined, [{ kind: "file", uri: uri("src/long.ts") }]);
    expect(heard().prompt).toContain("src/long.ts (cut: lines 1-500 of 1001 are here; read_file shows lines 501-1001)");
    const attached = heard().prompt.split("## Context")[1] ?? "";
    expect(attached.length).toBeGreaterThan(50_000);
    expect(attached.length).toBeLessThan(50_200);
  });

  it("is reported to person and model when it cannot be read, and refused when it names nothing", async () => {
    const { events } = await say("what?", undefined, [
      { kind: "symbol", symbol: "no_such_symbol_at_all" },
      { kind: "file", uri: uri("gone.ts") },
    ]);
    expect(heard().prompt).toContain("gone.ts does not exist");
    expect(events).toContainEqual({
      kind: "notice",
      level: "warning",
      message: expect.stringMatching(/gone\.ts does not exist\.$/),
    });
    await expect(say("what?", undefined, [{ kind: "symbol" }])).rejects.toMatchObject({ code: -32602 });
  });
});

describe("arguments that are too much", () => {
  it("are refused, and the conversation goes on", async () => {
    const deep = `{"symbol":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
    stage.steps.push(reply(call("describe_symbol", deep)), reply("I see."), reply("Still here."));
    const { events, sessionId } = await say("go");
    expect(resultIn(events, "describe_symbol")).toMatchObject({
      result: { success: false, error: expect.stringContaining("nested deeper than 200 levels") },
    });
    expect((await say("again", sessionId)).events.at(-1)).toMatchObject({ kind: "turnEnded", reason: "endTurn" });
    expect(model.mismatches).toEqual([]);
  });
});
