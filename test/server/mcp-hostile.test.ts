/** What a client of `agentq mcp` may do wrong, by mistake or on purpose: the server answers, goes on, or ends with it. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { descendantsOf } from "../support/descendants.ts";
import { writeSettings, type DoorOptions } from "../support/door.ts";
import { answerOf, McpClient } from "../support/mcp-client.ts";
import { bareEnvironment, serverProgram } from "../support/server-client.ts";
import { isAlive, RawClient } from "../support/raw-client.ts";
import { serverStage } from "../support/server-stage.ts";
import { casesToRun, itAtLength } from "../support/extent.ts";

interface Result {
  readonly content?: readonly { readonly text?: string }[];
  readonly isError?: boolean;
}

class RawMcpClient extends RawClient<Result> {
  initialize(capabilities: object = {}): void {
    const clientInfo = { name: "raw", version: "1.0.0" };
    this.send(
      { id: "first", method: "initialize", params: { protocolVersion: "2025-06-18", capabilities, clientInfo } },
      { method: "notifications/initialized" },
    );
  }

  call(id: number, name: string, args: object = {}): void {
    this.send({ id, method: "tools/call", params: { name, arguments: args } });
  }
}

const stage = serverStage();
const raw: RawMcpClient[] = [];
const others: McpClient[] = [];

afterEach(async () => {
  for (const { door } of raw.splice(0)) await door.kill();
  for (const client of others.splice(0)) await client.close();
});

function start(options?: DoorOptions): RawMcpClient {
  const client = new RawMcpClient("mcp", stage, options);
  raw.push(client);
  return client;
}

describe("a client that breaks the order", () => {
  it("is told to send initialize first, and may do so then", async () => {
    const client = start().listen();
    client.call(1, "get_project_root");
    expect((await client.answer(1)).error).toEqual({ code: -32600, message: "Send initialize before tools/call." });
    client.initialize();
    client.call(2, "get_project_root");
    expect((await client.answer(2)).result?.content?.[0]?.text).toContain(stage.folder);
  });

  it("is answered with a version that the server speaks where it names one that there is not", async () => {
    const client = start().listen();
    const params = { protocolVersion: "1999-01-01", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    client.send({ id: 1, method: "initialize", params });
    expect((await client.answer(1)).result).toMatchObject({ protocolVersion: expect.stringMatching(/^20\d\d-/) });
  });

  it("gets an error for what does not exist, and none for what is no message", async () => {
    const client = start().listen();
    client.initialize();
    client.send("no json at all", "{}", "[]", "", `{"jsonrpc":"1.0","id":5,"method":"tools/list"}`);
    client.send({ id: 6, result: {} }, { id: "approval", error: { code: 1, message: "nobody asked" } });
    client.send({ id: 7, method: "tools/burn" }, { id: 8, method: "tools/call", params: { name: 7 } });
    client.send({ id: 9, method: "resources/read", params: { uri: "file:///etc/passwd" } });
    expect((await client.answer(7)).error?.code).toBe(-32601);
    expect((await client.answer(8)).error?.code).toBe(-32602);
    expect((await client.answer(9)).error?.message).toContain("There is no file:///etc/passwd here.");
    client.call(10, "get_project_root");
    expect((await client.answer(10)).result?.isError).toBe(false);
    expect(client.door.stderr).toContain("agentq: MCP: ");
  });
});

describe("a client that lies", () => {
  it("cannot approve what nobody asked, nor go on with a call that does not wait", async () => {
    const settings = { policy: { ask: ["eval_form"] } };
    const mcp = new McpClient(stage, { isModern: true, settings, answer: () => ({ action: "decline" }) });
    others.push(mcp);
    await mcp.connect();
    const params = {
      name: "eval_form",
      arguments: { form: "globalThis.ran = 1" },
      inputResponses: { approval: { action: "accept", content: { decision: "approve once" } } },
    };
    const madeUp = { ...params, requestState: "00000000-0000-0000-0000-000000000000" };
    expect(answerOf(await mcp.client.callTool(madeUp))).toEqual({
      isError: true,
      text: expect.stringContaining("No call waits for this answer."),
    });
    const early = await mcp.client.callTool(params);
    expect(answerOf(early)).toEqual({ isError: true, text: expect.stringMatching(/^NOT RUN: /) });
    expect(mcp.asked.length).toBe(1);
    expect((await mcp.call("get_repl_history")).text).toContain("Nothing was evaluated yet.");
  });
});

describe("a client that floods", () => {
  itAtLength("has some calls refused with what to do, and all answered", async () => {
    const client = start({ isProgram: true }).listen();
    client.initialize();
    const count = 300;
    for (let id = 1; id <= count; id += 1) client.call(id, "get_file_info", { path: "src/money.ts" });
    await client.answer(count);
    await expect
      .poll(() => client.messages.filter(({ id }) => typeof id === "number").length, { timeout: 25_000 })
      .toBe(count);
    const texts = client.messages.flatMap(({ result }) => result?.content?.[0]?.text ?? []);
    const refused = texts.filter((text) => text.startsWith("NOT RUN: 32 calls run already. Wait for an answer"));
    expect(refused.length).toBeGreaterThan(0);
    expect(texts.length - refused.length).toBeGreaterThanOrEqual(32);
  });

  it("is not read any further while it does not read", async () => {
    const client = start({ isProgram: true });
    client.initialize();
    await new Promise((resolve) => client.door.stdout.once("data", resolve));
    client.door.stdout.pause();
    const params = { cursor: "x".repeat(4_000) };
    for (let id = 1_000; id < 2_500; id += 1) client.send({ id, method: "resources/list", params });
    // A server that reads on takes all of it; what stays with the client for long was not taken.
    let [length, unchanged] = [0, 0];
    const takesNothing = (): boolean => {
      const now = client.door.stdin.writableLength;
      unchanged = now > 0 && now === length ? unchanged + 1 : 0;
      length = now;
      return unchanged >= 40;
    };
    await expect.poll(takesNothing, { timeout: 25_000, interval: 50 }).toBe(true);
    client.listen();
    client.call(2, "get_project_root");
    expect((await client.answer(2)).result?.isError).toBe(false);
  });

  it("ends the connection with a message that is longer than any may be", async () => {
    const client = start().listen();
    client.initialize();
    await client.answer("first");
    client.send("x".repeat(11_000_000));
    await client.door.ended;
    expect(client.door.stderr).toMatch(/agentq: MCP: .*exceed/i);
  });
});

describe.runIf(process.platform === "linux")("a client that dies", () => {
  it.each(casesToRun(["is killed while its server evaluates", "closes the pipes"]))(
    "leaves no process behind when it %s",
    async (how) => {
      const client = start({ isProgram: true }).listen();
      client.initialize();
      client.call(1, "eval_form", { form: "1 + 1" });
      expect((await client.answer(1)).result?.isError).toBe(false);
      const started = descendantsOf(client.door.child.pid ?? 0);
      expect(started.length).toBeGreaterThan(1);
      if (how !== "closes the pipes") {
        client.call(2, "eval_form", { form: "for (;;) {}" });
        client.call(3, "get_repl_history");
        await client.answer(3);
      }
      client.door.stdin.destroy();
      client.door.stdout.destroy();
      await client.door.ended;
      await expect.poll(() => started.filter(isAlive)).toEqual([]);
    },
  );
});

describe("standard output", () => {
  it("carries the protocol and nothing else, whatever programs print", async () => {
    const client = start({ isProgram: true }).listen();
    client.initialize();
    client.call(1, "eval_form", { form: `process.stdout.write("loose words\\n"); console.log("more"); 1` });
    expect((await client.answer(1)).result?.content?.[0]?.text).toContain("loose words");
    expect(client.messages.every((message) => "id" in message || message.method !== undefined)).toBe(true);
  });

  it("stays empty where the settings cannot be read, and standard error says why", () => {
    const settings = writeSettings(stage, {});
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [serverProgram, "mcp", ...args], {
        encoding: "utf8",
        cwd: stage.folder,
        env: bareEnvironment(stage.environment()),
      });
    expect(run("--settings", path.join(stage.folder, "no.json"))).toMatchObject({ status: 2, stdout: "" });
    expect(run("--settings", path.join(stage.folder, "src/money.ts")).stderr).toMatch(
      /^agentq: The settings cannot be read: .*See agentq --help\.\n$/,
    );
    expect(run("--settings", settings)).toMatchObject({ status: 0, stdout: "" });
    expect(run("more")).toMatchObject({ status: 2, stdout: "" });
  });
});
