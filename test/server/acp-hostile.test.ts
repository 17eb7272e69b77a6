/** What a client of `agentq acp` may do wrong, by mistake or on purpose: the agent answers, goes on, or ends with it. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { methods, type RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { call, reply } from "../../examples/demo/model/script.ts";
import { AcpClient, sharedAcp, type AcpClientOptions } from "../support/acp-client.ts";
import type { DoorOptions } from "../support/door.ts";
import { descendantsOf } from "../support/descendants.ts";
import { isAlive, RawClient } from "../support/raw-client.ts";
import { serverStage } from "../support/server-stage.ts";
import { casesToRun, itAtLength } from "../support/extent.ts";

interface Result {
  readonly sessionId?: string;
  readonly stopReason?: string;
}

class RawAcpClient extends RawClient<Result> {
  async initialize(): Promise<void> {
    this.send({ id: "first", method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } });
    await this.answer("first");
  }

  async newSession(): Promise<string> {
    this.send({ id: "new", method: "session/new", params: { cwd: stage.folder, mcpServers: [] } });
    return (await this.answer("new")).result?.sessionId ?? "";
  }

  prompt(id: number, sessionId: string, text: string): void {
    this.send({ id, method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text }] } });
  }
}

const stage = serverStage();
const raw: RawAcpClient[] = [];
const others: AcpClient[] = [];

afterEach(async () => {
  for (const { door } of raw.splice(0)) await door.kill();
  for (const each of others.splice(0)) await each.close();
});

function start(options?: DoorOptions): RawAcpClient {
  const client = new RawAcpClient("acp", stage, options);
  raw.push(client);
  return client;
}

async function connect(options: AcpClientOptions): Promise<AcpClient> {
  const acp = new AcpClient(stage, options);
  others.push(acp);
  await acp.initialize(options.capabilities);
  return acp;
}

const edit = {
  description: "Books are kept in francs too.",
  edits: [{ op: "replace", path: "src/money.ts", original: `"EUR" | "GBP" | "USD"`, modified: `"CHF" | "EUR"` }],
};

describe("a client that breaks the order", () => {
  it("is told to initialize first, and may do so then", async () => {
    const client = start().listen();
    client.send({ id: 1, method: "session/new", params: { cwd: stage.folder, mcpServers: [] } });
    expect((await client.answer(1)).error?.code).toBe(-32600);
    await client.initialize();
    expect((await client.answer("first")).result).toMatchObject({ protocolVersion: 1 });
    expect(await client.newSession()).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("hears of the commands of a session after it knows the session", async () => {
    const client = start().listen();
    await client.initialize();
    await client.newSession();
    const at = (what: string): number => client.messages.findIndex((each) => JSON.stringify(each).includes(what));
    await expect.poll(() => at("available_commands_update"), { timeout: 60_000 }).toBeGreaterThan(at('"id":"new"'));
  });

  it("gets errors for sessions that are none, folders that are none, and messages that are none", async () => {
    // The SDK tells of the answer that nobody waits for.
    const told = vi.spyOn(console, "error").mockReturnValue();
    onTestFinished(() => told.mockRestore());
    const client = start().listen();
    await client.initialize();
    client.send("no json at all", "{}", "[]", "", `{"jsonrpc":"1.0","id":5,"method":"session/list"}`);
    client.send({ id: 700, result: {} }, { id: 6, method: "session/burn" }, { id: 7, method: "session/new" });
    client.send({ id: 8, method: "session/new", params: { cwd: "src", mcpServers: [] } });
    client.send({ id: 9, method: "session/new", params: { cwd: "/no/such/folder", mcpServers: [] } });
    client.prompt(10, "nobody", "Hello.");
    const params = { sessionId: "00000000-0000-4000-8000-000000000000", cwd: stage.folder, mcpServers: [] };
    client.send({ id: 11, method: "session/load", params });
    client.send({ method: "session/cancel", params: { sessionId: "nobody" } });
    expect((await client.answer(6)).error?.code).toBe(-32601);
    expect((await client.answer(7)).error?.code).toBe(-32602);
    expect((await client.answer(8)).error?.message).toContain('"src" is no absolute path.');
    expect((await client.answer(9)).error?.message).toContain("There is no folder /no/such/folder.");
    expect((await client.answer(10)).error?.code).toBe(-32002);
    expect((await client.answer(11)).error?.code).toBe(-32002);
    expect(await client.newSession()).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("cannot begin a turn while one runs, nor one without words", async () => {
    const client = start().listen();
    await client.initialize();
    const sessionId = await client.newSession();
    stage.steps.push(reply(call("eval_form", { form: "await new Promise(() => {})" })));
    client.prompt(1, sessionId, "Wait.");
    client.prompt(2, sessionId, "And this.");
    expect((await client.answer(2)).error?.message).toContain("A turn runs in this session");
    client.send({ method: "session/cancel", params: { sessionId } });
    expect((await client.answer(1)).result).toEqual({ stopReason: "cancelled" });
    client.prompt(3, sessionId, "  ");
    expect((await client.answer(3)).error?.message).toContain("The prompt has no words.");
  });
});

describe("a client that stops a turn and says the next thing at once", () => {
  it("is answered for both, one after the other", async () => {
    const client = start().listen();
    await client.initialize();
    const sessionId = await client.newSession();
    stage.steps.push(reply(call("eval_form", { form: "await new Promise(() => {})" })));
    client.prompt(1, sessionId, "Wait.");
    const isCalled = (): boolean => client.messages.some((each) => JSON.stringify(each).includes('"in_progress"'));
    await expect.poll(isCalled, { timeout: 60_000 }).toBe(true);
    stage.steps.splice(0, stage.steps.length, reply("Here I am."));
    client.send({ method: "session/cancel", params: { sessionId } });
    client.prompt(2, sessionId, "And now?");
    client.prompt(3, sessionId, "And this?");
    expect((await client.answer(1)).result).toEqual({ stopReason: "cancelled" });
    expect((await client.answer(3)).error?.message).toContain("A turn runs in this session");
    expect((await client.answer(2)).result).toEqual({ stopReason: "end_turn" });
    expect(JSON.stringify(client.messages)).toContain("Here I am.");
  });

  itAtLength("may stop that one too, before the first one has ended", async () => {
    const client = start().listen();
    await client.initialize();
    const sessionId = await client.newSession();
    client.prompt(1, sessionId, "Wait.");
    for (const id of [2, 3]) {
      client.send({ method: "session/cancel", params: { sessionId } });
      client.prompt(id, sessionId, `The ${id}th.`);
    }
    client.send({ id: "x", method: "$/cancel_request", params: { requestId: 3 } });
    for (const id of [1, 2]) expect((await client.answer(id)).result).toEqual({ stopReason: "cancelled" });
    expect(await client.answer(3)).toBeDefined();
    client.prompt(4, sessionId, "Hello.");
    expect((await client.answer(4)).result).toEqual({ stopReason: "end_turn" });
  });
});

describe("a client that lies about permissions", () => {
  const asks = { settings: { policy: { ask: ["eval_form"] } } };
  const shared = sharedAcp(stage, {
    ...asks,
    answer: () => "Deny",
    capabilities: { fs: { readTextFile: true, writeTextFile: true } },
  });
  let acp: AcpClient;

  beforeEach(() => void ({ acp } = shared));

  const lies: readonly (readonly [string, AcpClientOptions["answer"]])[] = [
    ["chooses what was not offered", () => "always-and-everything"],
    ["says that the question was closed", () => ({ outcome: { outcome: "cancelled" } })],
    ["answers with nonsense", () => ({ yes: true }) as unknown as RequestPermissionResponse],
    ["fails", () => Promise.reject(new Error("no screen"))],
    ["knows no such question", undefined],
  ];
  it.each(casesToRun(lies, 2))("runs no call and changes no file when it %s", async (_how, answer) => {
    const before = readFileSync(path.join(stage.folder, "src/money.ts"), "utf8");
    if (answer === undefined) acp = await connect(asks);
    else acp.answer = answer;
    stage.steps.push(reply(call("eval_form", { form: "globalThis.ran = 1" })), reply("So be it."));
    const asked = await acp.prompt(await acp.newSession(), "Run.");
    expect(asked.stopReason).toBe("end_turn");
    const ends = (): unknown[] => acp.of("tool_call_update").flatMap(({ status }) => status ?? []);
    expect(ends()).toContain("failed");
    stage.steps.splice(0, stage.steps.length, reply(call("propose_edits", edit)), reply("So be it."));
    await acp.prompt(await acp.newSession(), "Edit.");
    expect(readFileSync(path.join(stage.folder, "src/money.ts"), "utf8")).toBe(before);
    expect(stage.model.requests.length).toBeGreaterThan(1);
  });

  it("does not hold a cancelled turn up when it never answers", async () => {
    acp.answer = () => new Promise(() => undefined);
    const sessionId = await acp.newSession();
    stage.steps.push(reply(call("propose_edits", edit)));
    const turn = acp.prompt(sessionId, "Edit.");
    await expect.poll(() => acp.asked.length, { timeout: 60_000 }).toBe(1);
    await acp.connection.agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await turn).toEqual({ stopReason: "cancelled" });
    stage.steps.splice(0);
    expect(await acp.prompt(sessionId, "Hello.")).toEqual({ stopReason: "end_turn" });
  });

  it("cannot have a hunk written over what changed while it thought", async () => {
    const place = path.join(stage.folder, "src/money.ts");
    const text = readFileSync(place, "utf8");
    const changed = text.replace(`"EUR" | "GBP" | "USD"`, `"SEK"`);
    acp.answer = () => {
      writeFileSync(place, changed);
      return "Accept";
    };
    stage.steps.push(reply(call("propose_edits", edit)));
    await acp.prompt(await acp.newSession(), "Edit.");
    expect(readFileSync(place, "utf8")).toBe(changed);
  });
});

describe("a client that floods", () => {
  it("gets an answer to each request", async () => {
    const client = start().listen();
    await client.initialize();
    const sessionId = await client.newSession();
    for (let id = 1; id <= 2_000; id += 1) client.prompt(id, `${sessionId}-${id}`, "x");
    for (let id = 1; id <= 150; id += 1) {
      client.send({ id: `n${id}`, method: "session/new", params: { cwd: stage.folder, mcpServers: [] } });
    }
    expect((await client.answer(2_000)).error?.code).toBe(-32002);
    expect((await client.answer("n150")).error?.message).toContain("100 sessions are open already");
    client.prompt(3_000, sessionId, "Hello.");
    expect((await client.answer(3_000)).result).toEqual({ stopReason: "end_turn" });
  });
});

describe("a client that dies", () => {
  it.each(casesToRun([["it is killed with its pipes"], ["its input ends"]]))(
    "in the middle of a turn takes all with it that was started for it: %s",
    async (how) => {
      const client = start({ isProgram: true }).listen();
      await client.initialize();
      const sessionId = await client.newSession();
      stage.steps.push(reply(call("eval_form", { form: "await new Promise(() => {})" })));
      client.prompt(1, sessionId, "Wait.");
      const pid = client.door.child.pid ?? 0;
      const isCalled = (): boolean => client.messages.some((each) => JSON.stringify(each).includes('"in_progress"'));
      await expect.poll(isCalled, { timeout: 60_000 }).toBe(true);
      const started = descendantsOf(pid);
      expect(started.length).toBeGreaterThan(1);
      client.door.stdin.end();
      if (how !== "its input ends") client.door.stdout.destroy();
      expect(await client.door.ended).toBe(0);
      await expect.poll(() => started.filter(isAlive), { timeout: 60_000 }).toEqual([]);
    },
  );
});
