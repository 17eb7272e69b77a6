/** Conversations outlive the server: what is written of them, and how another server goes on. */
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { textOf } from "../../examples/demo/model/request-body.ts";
import { call, reply } from "../../examples/demo/model/script.ts";
import { KEY, say } from "../support/session-stage.ts";
import { serverStage } from "../support/server-stage.ts";

const stage = serverStage();

describe("a conversation that the client names", () => {
  it("begins with the first prompt under that name, also with a command, and no other begins under it", async () => {
    const { client } = stage;
    const [spoken, commanded] = [randomUUID(), randomUUID()];
    const { turnId, sessionId } = await client.request("agentq/prompt", { text: "Hello.", newSessionId: spoken });
    expect(sessionId).toBe(spoken);
    await client.turn(turnId);
    const told = await client.request("agentq/prompt", { text: "/help", newSessionId: commanded });
    expect(told.sessionId).toBe(commanded);
    await client.turn(told.turnId);
    await expect(client.request("agentq/prompt", { text: "Again.", newSessionId: spoken })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("an id that no conversation has"),
    });
    const { items } = await client.request("agentq/listSessions", {});
    expect(items.map((item) => item.sessionId)).toEqual(expect.arrayContaining([spoken, commanded]));
  });
});

it("calls a conversation by its first words to the model, and not by a command before them", async () => {
  const { client } = stage;
  const { sessionId } = await say(client, "/help");
  await say(client, "/cost", sessionId);
  const nameOf = async (): Promise<unknown> =>
    (await client.request("agentq/listSessions", {})).items.find((item) => item.sessionId === sessionId);
  expect(await nameOf()).toMatchObject({ name: "/help", firstWords: "/help" });
  await say(client, "Why is the tax wrong?", sessionId);
  expect(await nameOf()).toMatchObject({ name: "Why is the tax wrong?", firstWords: "Why is the tax wrong?" });
  await say(client, "And now?", sessionId);
  await say(client, "/help", sessionId);
  expect(await nameOf()).toMatchObject({ name: "Why is the tax wrong?" });
});

describe("a conversation after a restart", () => {
  it("goes on with the same history byte by byte, and distrusts what the model has read", async () => {
    const first = await stage.start({}, { isProgram: true });
    stage.steps.push(reply("I look.", call("read_file", { path: "src/tax.ts" })), reply("Nineteen."));
    const { sessionId } = await say(first, "What is the rate?");
    await first.kill();
    const before = stage.sent(-1);

    const { client: second } = stage;
    const { events } = await say(second, "And the reduced one?", sessionId);
    expect(events.at(-1)).toMatchObject({ kind: "turnEnded", reason: "endTurn" });
    const after = stage.sent(-1);
    expect(after.system).toBe(before.system);
    expect(after.messages.slice(0, before.messages.length)).toEqual(before.messages);
    expect(after.messages).toHaveLength(before.messages.length + 2);
    expect(stage.lastWords()).toMatch(
      /may have changed since: read it again .* REPL's process is another one.*And the reduced/s,
    );
    expect(stage.lastWords()).not.toContain("Your last turn was cut off");

    await say(second, "Thanks.", sessionId);
    expect(stage.lastWords()).not.toContain("REPL's process is another one");
  });

  it("has the instructions that the person agreed to for it, and neither asks nor reads them again", async () => {
    writeFileSync(path.join(stage.folder, "AGENTS.md"), "Always greet the quince.\n");
    const first = await stage.start();
    const { sessionId, turnId } = await first.request("agentq/prompt", { text: "Hello." });
    const approvalId = await first.waitFor(({ method, params }) =>
      method === "agentq/approval" ? params.approvalId : undefined,
    );
    await first.request("agentq/answerApproval", { approvalId, decision: "approved" });
    await first.turn(turnId);
    expect(stage.lastWords()).toContain("Always greet the quince.");
    await first.close();
    const { client: second } = stage;
    await say(second, "Again.", sessionId);
    expect(stage.lastWords()).not.toContain("quince");
    expect(second.received.filter(({ method }) => method === "agentq/approval")).toEqual([]);
    writeFileSync(path.join(stage.folder, "AGENTS.md"), "Always greet the medlar.\n");
    await say(second, "Once more.", sessionId);
    expect(stage.lastWords()).toContain("it has changed");
  });

  it("knows its messages, so that files can be rewound to before one of them", async () => {
    const first = await stage.start();
    const { sessionId, turnId } = await say(first, "Hello.");
    await first.close();
    const { client: second } = stage;
    const { items } = await second.request("agentq/listTurns", { sessionId });
    expect(items).toMatchObject([{ sessionId, turnId, text: "Hello.", applied: 0 }]);
    expect(await second.request("agentq/rewind", { sessionId, turnId })).toMatchObject({ left: [] });
    expect(await second.request("agentq/cancel", { sessionId })).toEqual({ cancelled: false });
  });

  it("that nobody knows is refused", async () => {
    const { client } = stage;
    await expect(say(client, "Hello?", "no-such-session")).rejects.toMatchObject({ code: -33002 });
  });
});

describe("a turn that was cut by the server's end", () => {
  it("leaves a history in which every call is answered, and says so to the model", async () => {
    const first = await stage.start({}, { isProgram: true });
    stage.steps.push(
      reply(
        "Both.",
        call("read_file", { path: "src/tax.ts" }),
        call("eval_form", { form: "await new Promise(() => setTimeout(() => 0, 1e6))" }),
        call("read_file", { path: "src/allocate.ts" }),
      ),
    );
    const { sessionId } = await first.request("agentq/prompt", { text: "Look." });
    await first.waitFor(({ method, params }) =>
      method === "agentq/event" &&
      params.event.kind === "toolCall" &&
      params.event.name === "eval_form" &&
      params.event.state === "running"
        ? true
        : undefined,
    );
    await first.kill();
    const { client: second } = stage;
    await say(second, "Go on.", sessionId);
    expect(stage.model.mismatches).toEqual([]);
    const results = (stage.model.requests.at(-1)?.messages ?? [])
      .flatMap(({ content }) => (typeof content === "string" ? [] : content))
      .filter(({ type }) => type === "tool_result")
      .map((block) => textOf(block["content"]));
    expect(results).toEqual([
      expect.stringContaining("standard"),
      expect.stringMatching(/^INTERRUPTED: the server ended while this call ran/),
      expect.stringMatching(/^NOT RUN: the server ended before this call/),
    ]);
    expect(stage.lastWords()).toContain("Your last turn was cut off.");
  });
});

describe("two servers on one workspace", () => {
  it("run a conversation one at a time, and each goes on from what the other did", async () => {
    const [first, second] = [await stage.start({}, { isProgram: true }), stage.client];
    stage.steps.push(reply(call("eval_form", { form: "await new Promise((r) => setTimeout(r, 1e6))" })));
    const { sessionId, turnId } = await first.request("agentq/prompt", { text: "Wait." });
    await first.waitFor(({ method, params }) =>
      method === "agentq/event" && params.event.kind === "toolCall" && params.event.state === "running"
        ? true
        : undefined,
    );
    await expect(say(second, "Me too.", sessionId)).rejects.toMatchObject({
      code: -33005,
      message: expect.stringContaining("runs in another server") as string,
    });
    await first.request("agentq/cancel", { sessionId });
    await first.turn(turnId);
    await say(second, "From the second.", sessionId);
    await say(first, "From the first again.", sessionId);
    const said = JSON.stringify(stage.model.requests.at(-1)?.messages);
    for (const words of ["Wait.", "From the second.", "From the first again."]) expect(said).toContain(words);
    expect(said).not.toContain("Me too.");
    const { items } = await second.request("agentq/listTurns", { sessionId });
    expect(items.map(({ text }) => text)).toEqual(["Wait.", "From the second.", "From the first again."]);
  });
});

describe("what is written of a conversation", () => {
  const files = (state = stage.state): string[] => {
    const folder = path.join(state, "agentq/workspaces");
    return readdirSync(folder).map((name) => path.join(folder, name));
  };

  it("holds no key, wherever one was said", async () => {
    const client = await stage.start();
    const planted = ["ghp_abcdefghijklmnopqrstuvwx", "sk-ant-api03-abcdefghijklmnop", KEY];
    const [github = "", anthropic = ""] = planted;
    stage.steps.push(
      reply(`The token is ${github}.`, call("eval_form", { form: `"${anthropic}".length; "${KEY}"` })),
      reply(`And ${KEY}.`),
    );
    const { sessionId } = await say(client, `Take ${anthropic} and ${github}.`);
    await client.close();
    const written = files().map((file) => readFileSync(file, "latin1"));
    for (const key of planted) expect(written.some((text) => text.includes(key))).toBe(false);
    expect(written.some((text) => text.includes("Take [redacted] and [redacted]."))).toBe(true);
    await say(stage.client, "Go on.", sessionId);
    expect(stage.model.mismatches).toEqual([]);
  });

  it("is nothing with the setting off, and what was there is deleted", async () => {
    // Where no other server has the database open.
    const env = { XDG_STATE_HOME: path.join(stage.state, "of-its-own") };
    const first = await stage.start({}, { env });
    const { sessionId } = await say(first, "Remember the quince.");
    await first.close();
    const second = await stage.start({ sessions: { keep: "off" } }, { env });
    await expect(say(second, "Hello?", sessionId)).rejects.toMatchObject({ code: -33002 });
    await say(second, "Forget the medlar.");
    await second.close();
    const written = files(env.XDG_STATE_HOME).map((file) => readFileSync(file, "latin1"));
    for (const word of ["quince", "medlar"]) expect(written.some((text) => text.includes(word))).toBe(false);
  });
});
