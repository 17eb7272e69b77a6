/** Edits of an MCP client, reviewed in an editor that has the same project open, through a socket file. */
import { spawn } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection,
} from "vscode-jsonrpc/node";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import { applyOnDisk } from "../support/apply-on-disk.ts";
import { McpClient, sharedMcp, type McpClientOptions } from "../support/mcp-client.ts";
import { ServerClient } from "../support/server-client.ts";
import { SessionStage, type Ground } from "../support/session-stage.ts";
import { serverStage } from "../support/server-stage.ts";

// A socket's path may have about a hundred characters.
const newRuntime = (): string => realpathSync(mkdtempSync(path.join(tmpdir(), "aq-")));

let stage: Ground;
let runtime: string;
const clients: McpClient[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

async function connect(options: McpClientOptions = {}): Promise<McpClient> {
  const mcp = new McpClient(stage, options);
  clients.push(mcp);
  await mcp.connect();
  return mcp;
}

const sockets = (): string[] => {
  try {
    return readdirSync(path.join(runtime, "agentq"));
  } catch {
    return [];
  }
};

const proposed = (editor: ServerClient): Promise<Proposal> =>
  editor.waitFor(({ method, params }) => (method === "agentq/proposal" ? params : undefined));

const edit = {
  description: "Say it in a comment.",
  edits: [
    { op: "insert_at_start", path: "src/money.ts", modified: "// first\n" },
    { op: "insert_at_end", path: "src/money.ts", modified: "// last\n" },
  ],
};

describe.skipIf(process.platform === "win32")("an edit of an MCP client", () => {
  const XDG_RUNTIME_DIR = newRuntime();
  const ground = serverStage({ env: { XDG_RUNTIME_DIR } });
  const client = sharedMcp(ground);
  let mcp: McpClient;
  let editor: ServerClient;

  beforeEach(async () => {
    [stage, runtime] = [ground, XDG_RUNTIME_DIR];
    await vi.waitUntil(() => sockets().length === 1, 20_000);
    ({ client: editor } = ground);
    ({ mcp } = client);
  });
  afterAll(() => rmSync(XDG_RUNTIME_DIR, { recursive: true, force: true }));

  it("is reviewed hunk by hunk in the editor, and the client hears what was kept", async () => {
    const answer = mcp.call("propose_edits", edit);
    const { proposalId, hunks } = await proposed(editor);
    const [first, last] = hunks.map(({ id }) => id);
    const decided = await editor.request("agentq/decide", {
      proposalId,
      hunks: [
        { id: first ?? "", decision: "accept" },
        { id: last ?? "", decision: "reject", reason: "Once is enough." },
      ],
    });
    applyOnDisk(decided.edit);
    await editor.request("agentq/didApply", { proposalId, documents: [] });
    const { text, isError } = await answer;
    expect({ isError, text }).toEqual({
      isError: false,
      text: expect.stringMatching(/^PARTIALLY APPLIED: 1 of 2 hunks\.[^]*rejected it: "Once is enough\."/),
    });
    expect(readFileSync(path.join(stage.folder, "src/money.ts"), "utf8")).toMatch(/^\/\/ first\n/);
    const { items } = await editor.request("agentq/auditLog", {});
    expect(items.slice(-1)).toMatchObject([
      { tool: "propose_edits", caller: "model", outcome: "run", hunks: [{ applied: true }, { applied: false }] },
    ]);
  });

  it("is made for the text that the editor holds unsaved", async () => {
    await editor.open(path.join(stage.folder, "src/money.ts"), "export const unsaved = 1;\n");
    const edits = [{ op: "replace", path: "src/money.ts", original: "unsaved = 1", modified: "unsaved = 2" }];
    const answer = mcp.call("propose_edits", { description: "Count on.", edits });
    const { proposalId, hunks } = await proposed(editor);
    const decision = { id: hunks[0]?.id ?? "", decision: "accept" as const };
    const decided = await editor.request("agentq/decide", { proposalId, hunks: [decision] });
    await editor.apply(proposalId, decided.edit);
    expect((await answer).text).toMatch(/^APPLIED: all 1 of 1 hunks\.\n.*not saved to disk yet/);
  });

  it("is taken back in the editor when the client cancels the call, or dies", async () => {
    const withdrawn = async (): Promise<void> => {
      const pending = async () => (await editor.request("agentq/listProposals", { state: "pending" })).total;
      await expect.poll(pending, { timeout: 20_000 }).toBe(0);
    };
    mcp = await connect({ isProgram: true });
    const stop = new AbortController();
    const cancelled = mcp.client.callTool({ name: "propose_edits", arguments: edit }, { signal: stop.signal });
    await proposed(editor);
    stop.abort("enough");
    await expect(cancelled).rejects.toThrow("enough");
    await withdrawn();
    const { length } = editor.received;
    const lost = mcp.call("propose_edits", edit).catch(() => "lost");
    await expect
      .poll(() => editor.received.slice(length).filter(({ method }) => method === "agentq/proposal").length, {
        timeout: 20_000,
      })
      .toBe(1);
    await mcp.door.kill();
    expect(await lost).toBe("lost");
    await withdrawn();
  });

  it("is held to the rules of both sides", async () => {
    mcp = await connect({ settings: { policy: { deny: ["propose_edits"] } } });
    const { text, isError } = await mcp.call("propose_edits", edit);
    expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining("denies it") });
    expect(editor.received.filter(({ method }) => method === "agentq/proposal")).toEqual([]);
  });

  it("is all that the socket takes: calls that propose edits", async () => {
    const [name = ""] = sockets();
    const connections: MessageConnection[] = [];
    const talk = () => {
      const stream = createConnection(path.join(runtime, "agentq", name));
      stream.on("error", () => undefined);
      const connection = createMessageConnection(new StreamMessageReader(stream), new StreamMessageWriter(stream));
      connection.listen();
      connections.push(connection);
      return { stream, connection };
    };
    const { connection } = talk();
    const folders = [stage.folder];
    const ask = (call: object): Promise<unknown> => connection.sendRequest("agentq/review", { folders, call });
    expect(await ask({ id: "1", name: "eval_form", arguments: { form: "globalThis.ran = 1" } })).toBeNull();
    expect(await ask({ id: "2", name: "run_command", arguments: { command: "touch ran" } })).toBeNull();
    expect(await ask({ id: "3", name: "no_tool", arguments: {} })).toBeNull();
    const outside = { ...edit, edits: [{ op: "create", path: "../outside.ts", modified: "" }] };
    expect(await ask({ id: "4", name: "propose_edits", arguments: outside })).toMatchObject({ success: false });
    await expect(ask({ id: 5, name: "propose_edits" })).rejects.toThrow("/call");
    await expect(connection.sendRequest("agentq/decide", { proposalId: "1", hunks: [] })).rejects.toThrow();
    const { stream } = talk();
    stream.write("GET / HTTP/1.1\r\n\r\n");
    await expect.poll(() => stream.closed, { timeout: 20_000 }).toBe(true);
    expect((await editor.request("agentq/replHistory", {})).total).toBe(0);
    for (const each of connections) each.dispose();
  });
});

describe.skipIf(process.platform === "win32")("an editor that comes and goes", () => {
  let own: SessionStage;

  beforeEach(async () => {
    [own, runtime] = [new SessionStage(), newRuntime()];
    own.runtime = runtime;
    await own.open();
    stage = own;
  });

  afterEach(async () => {
    await own.dispose();
    rmSync(runtime, { recursive: true, force: true });
  });

  /** An editor whose server can be asked. */
  async function openEditor(isProgram = false): Promise<ServerClient> {
    const before = sockets().length;
    const editor = await own.start({}, { isProgram });
    await expect.poll(() => sockets().length, { timeout: 20_000 }).toBe(before + 1);
    return editor;
  }

  it.each<[string, (editor: ServerClient) => Promise<void> | void]>([
    ["the editor has closed", (editor) => own.close(editor)],
    ["the editor's server was killed", (editor) => own.kill(editor)],
    ["others may enter the folder of the sockets", () => chmodSync(path.join(runtime, "agentq"), 0o777)],
    [
      "the socket is nobody's",
      async (editor) => {
        await own.close(editor);
        const held = path.join(runtime, "agentq", "1.sock");
        const program = `require("node:net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))`;
        const child = spawn(process.execPath, ["-e", program, held]);
        await new Promise((resolve) => child.once("exit", resolve));
        writeFileSync(path.join(runtime, "agentq", "2.sock"), "no socket");
      },
    ],
  ])("an edit comes back as a patch when %s", async (_why, change) => {
    const editor = await openEditor(true);
    await change(editor);
    const mcp = await connect();
    expect((await mcp.call("propose_edits", edit)).text).toMatch(/^PATCH: /);
  });

  it("an edit comes back as a patch when the editor has another project", async () => {
    await openEditor();
    const other = path.join(path.dirname(stage.folder), "other");
    mkdirSync(other);
    writeFileSync(path.join(other, "a.ts"), "export {};\n");
    const mcp = await connect({ cwd: other });
    const edits = [{ op: "insert_at_end", path: "a.ts", modified: "// last\n" }];
    expect((await mcp.call("propose_edits", { description: "Say it.", edits })).text).toMatch(/^PATCH: /);
  });
  it("the socket is the person's alone, and goes with the server", async () => {
    const editor = await openEditor();
    const [name = ""] = sockets();
    const modeOf = (...names: string[]): number => statSync(path.join(runtime, ...names)).mode & 0o777;
    expect(modeOf("agentq")).toBe(0o700);
    // The socket gets its mode a moment after it is made; the folder keeps others out meanwhile.
    await expect.poll(() => modeOf("agentq", name), { timeout: 20_000 }).toBe(0o600);
    await own.close(editor);
    expect(sockets()).toEqual([]);
  });

  it("the socket is not there for an editor that shows no proposals", async () => {
    const plain = new ServerClient({ env: stage.environment() });
    await plain.initialize([stage.folder], { agentq: null });
    expect((await plain.request("agentq/listTools", {})).total).toBeGreaterThan(0);
    expect(sockets()).toEqual([]);
    await plain.close();
  });
});
