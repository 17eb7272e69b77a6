/** Raw bytes in, raw bytes out: the order of life that LSP asks for, and what a broken client cannot break. */
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { afterEach, describe, expect, it } from "vitest";
import { bareEnvironment, ServerClient, spawnServer } from "../support/server-client.ts";
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { casesToRun } from "../support/extent.ts";

interface Answer {
  readonly id?: number | null;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

let raw: ChildProcessWithoutNullStreams | undefined;
afterEach(() => raw?.kill("SIGKILL"));

function frame(message: object): string {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

class Wire {
  readonly child = spawnServer();
  readonly #answers: Answer[] = [];
  #buffer = Buffer.alloc(0);

  constructor() {
    raw = this.child;
    this.child.stdout.on("data", (chunk: Buffer) => {
      this.#buffer = Buffer.concat([this.#buffer, chunk]);
      for (;;) {
        const match = /^Content-Length: (\d+)\r\n\r\n/.exec(this.#buffer.toString("latin1"));
        if (match === null) return;
        const end = match[0].length + Number(match[1]);
        if (this.#buffer.length < end) return;
        this.#answers.push(JSON.parse(this.#buffer.subarray(match[0].length, end).toString()) as Answer);
        this.#buffer = this.#buffer.subarray(end);
      }
    });
  }

  bytes(text: string): this {
    this.child.stdin.write(text);
    return this;
  }

  send(message: object): this {
    return this.bytes(frame(message));
  }

  async answer(matches: (answer: Answer) => boolean): Promise<Answer> {
    for (;;) {
      const found = this.#answers.find(matches);
      if (found !== undefined) return found;
      await once(this.child.stdout, "data", { signal: AbortSignal.timeout(30_000) });
    }
  }

  id(id: number): Promise<Answer> {
    return this.answer((answer) => answer.id === id);
  }

  initialize(processId: number | null = null): this {
    return this.send({ id: 1, method: "initialize", params: { processId, rootUri: null, capabilities: {} } });
  }
}

describe("the life of the server", () => {
  it("answers nothing but an error before initialize", async () => {
    const wire = new Wire().send({ id: 7, method: "agentq/status", params: {} });
    expect((await wire.id(7)).error?.code).toBe(-32002);
    wire.initialize();
    expect((await wire.id(1)).result).toMatchObject({
      serverInfo: { name: "agentq" },
      capabilities: { positionEncoding: "utf-16", experimental: { agentq: { version: 1 } } },
    });
  });

  it("advertises none of the features of the user's own TypeScript server, but for completion in prompts", async () => {
    const wire = new Wire().initialize();
    const { capabilities } = (await wire.id(1)).result as { capabilities: Record<string, unknown> };
    expect(Object.keys(capabilities).toSorted()).toEqual([
      "completionProvider",
      "experimental",
      "positionEncoding",
      "textDocumentSync",
      "workspace",
    ]);
  });

  it("answers requests that come without params", async () => {
    const wire = new Wire().initialize();
    await wire.id(1);
    wire.send({ id: 2, method: "agentq/listProposals" });
    expect((await wire.id(2)).result).toEqual({ items: [], total: 0 });
    wire.send({ id: 3, method: "agentq/prompt" });
    expect((await wire.id(3)).error).toMatchObject({ code: -32602 });
  });

  it("cancels a request whose cancel arrives in the same piece", async () => {
    const wire = new Wire().initialize();
    await wire.id(1);
    const params = { code: "await new Promise(() => setTimeout(() => {}, 1e6))", timeoutMs: 60_000 };
    wire.bytes(
      frame({ id: 2, method: "agentq/evaluate", params }) + frame({ method: "$/cancelRequest", params: { id: 2 } }),
    );
    const { result, error } = await wire.id(2);
    expect([-32800, "interrupted"]).toContain(error?.code ?? (result as { outcome: string }).outcome);
    wire.send({ id: 3, method: "agentq/evaluate", params: { code: "1 + 1" } });
    expect((await wire.id(3)).result).toMatchObject({ preview: "2" });
  });

  it("takes another initialize after one that failed", async () => {
    const wire = new Wire().send({ id: 1, method: "initialize", params: null });
    expect((await wire.id(1)).error).toBeDefined();
    wire.send({ id: 2, method: "agentq/listProposals", params: {} });
    expect((await wire.id(2)).error?.code).toBe(-32002);
    wire.send({ id: 3, method: "initialize", params: { processId: null, rootUri: null, capabilities: {} } });
    expect((await wire.id(3)).result).toMatchObject({ serverInfo: { name: "agentq" } });
    wire.send({ id: 4, method: "agentq/listProposals", params: {} });
    expect((await wire.id(4)).result).toEqual({ items: [], total: 0 });
  });

  it.each(casesToRun(["SIGTERM", "SIGINT", "SIGHUP"] as const))(
    "leaves no folder of the REPL behind on %s",
    async (signal) => {
      const wire = new Wire().initialize();
      await wire.id(1);
      wire.send({ id: 2, method: "agentq/evaluate", params: { code: "1 + 1" } });
      expect((await wire.id(2)).result).toMatchObject({ preview: "2" });
      const left = (): string[] => readdirSync(tmpdir()).filter((name) => name.includes(`-${wire.child.pid}-`));
      expect(left()).not.toEqual([]);
      wire.child.kill(signal);
      expect((await once(wire.child, "exit"))[0]).toBe(128 + constants.signals[signal]);
      expect(left()).toEqual([]);
    },
  );

  it("refuses a second initialize, and every request after shutdown", async () => {
    const wire = new Wire().initialize();
    await wire.id(1);
    wire.send({ id: 2, method: "initialize", params: { processId: null, rootUri: null, capabilities: {} } });
    expect((await wire.id(2)).error?.code).toBe(-32600);
    wire.send({ id: 3, method: "shutdown" });
    expect((await wire.id(3)).error).toBeUndefined();
    wire.send({ id: 4, method: "agentq/status", params: {} });
    expect((await wire.id(4)).error?.code).toBe(-32600);
    wire.send({ method: "exit" });
    expect((await once(wire.child, "exit"))[0]).toBe(0);
  });

  it("exits with 1 when it is told to exit, or loses its client, without a shutdown", async () => {
    const told = new Wire().initialize();
    await told.id(1);
    told.send({ method: "exit" });
    expect((await once(told.child, "exit"))[0]).toBe(1);
    const lost = new Wire().initialize();
    await lost.id(1);
    lost.child.stdin.end();
    expect((await once(lost.child, "exit"))[0]).toBe(1);
  });

  it("ends when the process that started it is gone", async () => {
    const parent = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { env: bareEnvironment() });
    const wire = new Wire().initialize(parent.pid ?? null);
    await wire.id(1);
    parent.kill("SIGKILL");
    expect((await once(wire.child, "exit", { signal: AbortSignal.timeout(30_000) }))[0]).toBe(1);
  });

  it.each([
    ["a header without a length", "Nonsense: 1\r\n\r\n"],
    ["a body that is not JSON", "Content-Length: 9\r\n\r\n{ broken "],
    ["a length that is too small", 'Content-Length: 4\r\n\r\n{"jsonrpc":"2.0","id":90,"method":"agentq/status"}'],
    ["a body that is an array", "Content-Length: 2\r\n\r\n[]"],
  ])("answers %s with a parse error and the next request as usual", async (_title, bytes) => {
    const wire = new Wire().initialize();
    await wire.id(1);
    wire.bytes(bytes).send({ id: 5, method: "agentq/listProposals", params: {} });
    expect((await wire.answer((answer) => answer.id === null)).error?.code).toBe(-32700);
    expect((await wire.id(5)).result).toEqual({ items: [], total: 0 });
  });

  it("answers the request behind a length that is too large", async () => {
    const wire = new Wire().initialize();
    await wire.id(1);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 8, method: "agentq/listProposals", params: {} });
    wire.bytes(`Content-Length: ${body.length + 20}\r\n\r\n${body}`);
    wire.send({ id: 9, method: "agentq/listProposals", params: {} });
    expect((await wire.id(8)).result).toEqual({ items: [], total: 0 });
    expect((await wire.id(9)).result).toEqual({ items: [], total: 0 });
  });
});

describe("requests of the wrong shape", () => {
  let client: ServerClient;
  afterEach(() => client.close());

  it("answers unknown methods and wrong parameters with their codes, and goes on", async () => {
    client = new ServerClient({ isProgram: true });
    await client.initialize([]);
    const failure = (method: string, params: unknown): Promise<{ code: number; message: string; data: unknown }> =>
      client.connection.sendRequest(method, params).then(
        () => ({ code: 0, message: "no error", data: undefined }),
        (error: { code: number; message: string; data: unknown }) => error,
      );
    expect(await failure("agentq/doMagic", {})).toMatchObject({ code: -32601 });
    expect(await failure("agentq/prompt", { text: 42 })).toMatchObject({
      code: -32602,
      data: { path: "/text", expected: "string", received: 42 },
    });
    expect(await failure("agentq/prompt", {})).toMatchObject({ code: -32602, data: { path: "/text" } });
    expect(await failure("agentq/decide", { proposalId: "p", hunks: [{ id: "h1", decision: "maybe" }] })).toMatchObject(
      {
        code: -32602,
        data: { path: "/hunks/0/decision", received: "maybe" },
      },
    );
    expect(await failure("agentq/openProposal", { proposalId: "p" })).toMatchObject({ code: -33003 });
    const none = { sessionId: "s" };
    expect(await failure("agentq/cancel", none)).toMatchObject({ code: -33002 });
    expect(await failure("agentq/callTool", { name: "x", arguments: {}, ...none })).toMatchObject({ code: -33002 });
    expect(await failure("agentq/auditLog", none)).toMatchObject({ code: -33002 });
    expect(await failure("agentq/evaluate", { code: "1", ...none })).toMatchObject({ code: -33002 });
    for (const method of ["agentq/status", "agentq/interrupt", "agentq/restartRepl"]) {
      expect(await failure(method, { evalID: "7" }), method).toMatchObject({ code: -32602, data: { path: "/evalID" } });
    }
    const long = { code: -32602, data: { received: expect.stringMatching(/^.{2000}… \(\d+ more characters\)$/) } };
    expect(await failure("agentq/prompt", { text: ["x".repeat(1e5)] })).toMatchObject(long);
    expect(await failure("agentq/prompt", { text: "hello" })).toMatchObject({
      code: -33007,
      message: expect.stringMatching(/ANTHROPIC_API_KEY.*ANTHROPIC_BASE_URL/),
    });
    expect(await client.request("agentq/status", {})).toMatchObject({ sessions: 0 });
    expect(await client.request("agentq/listProposals", {})).toEqual({ items: [], total: 0 });
  });
});
