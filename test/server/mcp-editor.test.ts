/** What an MCP client asks for, done where an editor has the same project open: reviewed there, run in the REPL there. */
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
import { answerOf, McpClient, sharedMcp, type McpClientOptions } from "../support/mcp-client.ts";
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
    await vi.waitUntil(() => sockets().length === 1, 40_000);
    ({ client: editor } = ground);
    ({ mcp } = client);
  });
  afterAll(() => rmSync(XDG_RUNTIME_DIR, { recursive: true, force: true }));

  it("is reviewed hunk by hunk in the editor, and the client hears what was kept", async () => {
    const words: (string | undefined)[] = [];
    const onprogress = ({ message }: { message?: string | undefined }): void => void words.push(message);
    const called = mcp.client.callTool({ name: "propose_edits", arguments: edit }, { onprogress });
    const answer = called.then(answerOf);
    const { proposalId, hunks } = await proposed(editor);
    await expect.poll(() => words).toContain("waits for your review in the editor");
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
      await expect.poll(pending).toBe(0);
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
        timeout: 40_000,
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

  it("and a call in the REPL are all that the socket takes", async () => {
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
    const ask = (call: object): Promise<unknown> =>
      connection.sendRequest("agentq/handOver", { folders, call, asData: false, host: "a test" });
    const asked = editor.received.length;
    expect(await ask({ id: "1", name: "run_command", arguments: { command: "touch ran" } })).toBeNull();
    expect(await ask({ id: "2", name: "read_file", arguments: { path: "src/money.ts" } })).toBeNull();
    expect(await ask({ id: "3", name: "no_tool", arguments: {} })).toBeNull();
    const outside = { ...edit, edits: [{ op: "create", path: "../outside.ts", modified: "" }] };
    expect(await ask({ id: "4", name: "propose_edits", arguments: outside })).toMatchObject({ success: false });
    const form = { id: "5", name: "eval_form", arguments: { form: "globalThis.ran = 1" } };
    for (const other of [[], ["/"], [path.dirname(stage.folder)], [stage.folder, "/"]]) {
      const answered = connection.sendRequest("agentq/handOver", {
        folders: other,
        call: form,
        asData: false,
        host: "a test",
      });
      await (other.length === 0 ? expect(answered).rejects.toThrow("/folders") : expect(answered).resolves.toBeNull());
    }
    await expect(ask({ id: 6, name: "propose_edits" })).rejects.toThrow("/call");
    await expect(connection.sendRequest("agentq/decide", { proposalId: "1", hunks: [] })).rejects.toThrow();
    await expect(connection.sendRequest("agentq/evaluate", { code: "1" })).rejects.toThrow();
    const { stream } = talk();
    stream.write("GET / HTTP/1.1\r\n\r\n");
    await expect.poll(() => stream.closed).toBe(true);
    expect((await editor.request("agentq/replHistory", {})).total).toBe(0);
    const seen = editor.received.slice(asked).map(({ method }) => method);
    expect(seen.filter((method) => /approval$|proposal$|agentEvaluation/.test(method))).toEqual([]);
    for (const each of connections) each.dispose();
  });
});

describe.skipIf(process.platform === "win32")("the REPL for an MCP client", () => {
  const XDG_RUNTIME_DIR = newRuntime();
  const agentq = { version: 1, proposals: true, approvals: true, buffers: true };
  const ground = serverStage({ env: { XDG_RUNTIME_DIR }, agentq });
  const client = sharedMcp(ground, { only: "repl" });
  let editor: ServerClient;
  const form = async (code: string, more: object = {}): Promise<string> =>
    (await client.mcp.call("eval_form", { form: code, ...more })).text;

  beforeEach(async () => {
    [stage, runtime] = [ground, XDG_RUNTIME_DIR];
    await vi.waitUntil(() => sockets().length === 1, 40_000);
    ({ client: editor } = ground);
  });
  afterAll(() => rmSync(XDG_RUNTIME_DIR, { recursive: true, force: true }));

  it("is the one of the person, who sees what runs there; both use each other's values", async () => {
    await editor.request("agentq/evaluate", { code: "const basket = ['apple']; basket" });
    const first = await form("basket.push('pear'); basket");
    expect(first).toMatch(
      /^\["apple", "pear"\]\n: Array\(2\), kept as \$2\n[^]*- The REPL is that of the editor, which the person shares/,
    );
    const { code, result, host } = (await editor.waitFor(({ method, params }) =>
      method === "agentq/agentEvaluation" && (params as { result?: object }).result !== undefined ? params : undefined,
    )) as { code: string; result: { preview: string }; host: string };
    expect([host, code, result.preview]).toEqual(["test", "basket.push('pear'); basket", '["apple", "pear"]']);
    expect(await editor.request("agentq/evaluate", { code: "$2.length" })).toMatchObject({ preview: "2" });
    // What was told once is not told again.
    expect(await form("basket.length")).toMatch(/^2\n: number, kept as \$4\n\([^)]*\)$/);
    expect((await client.mcp.call("get_repl_history")).text).toContain("person: ");
    expect(await client.mcp.read("agentq://repl-history")).toContain("basket.push('pear')");
    const { items } = await editor.request("agentq/auditLog", {});
    expect(items.slice(-1)).toMatchObject([{ tool: "eval_form", caller: "model", outcome: "run" }]);
  });

  it("takes no form of the client's while the person has locked it", async () => {
    await editor.request("agentq/lockRepl", { locked: true });
    const refused = await client.mcp.call("eval_form", { form: "globalThis.ran = 1" });
    await editor.request("agentq/lockRepl", { locked: false });
    expect(refused).toEqual({ isError: true, text: expect.stringMatching(/^NOT RUN: .*locked/) });
    expect(await form("typeof ran")).toContain('"undefined"');
  });

  it("is not that of an editor with a folder around or within, which is told once", async () => {
    const inside = await connect({ root: path.join(stage.folder, "src"), only: "repl" });
    const first = await inside.call("eval_form", { form: "1 + 1" });
    expect(first.text).toContain(`has ${stage.folder} open and this server ${path.join(stage.folder, "src")}:`);
    expect(first.text).toContain(`With --root ${stage.folder} this server shares those of the editor.`);
    expect((await inside.call("eval_form", { form: "1 + 2" })).text).not.toContain("--root");
    // Of a folder that has nothing to do with this one nobody hears.
    const elsewhere = await connect({ root: XDG_RUNTIME_DIR, only: "repl" });
    expect((await elsewhere.call("eval_form", { form: "1 + 1" })).text).not.toContain(stage.folder);
  });

  it("stops what the client cancels, and the state stays", async () => {
    await form("const kept = 1");
    const stop = new AbortController();
    const endless = { name: "eval_form", arguments: { form: "console.log('spins'); for (;;) ;" } };
    const cancelled = client.mcp.client.callTool(endless, { signal: stop.signal });
    await editor.waitFor(({ method, params }) =>
      method === "agentq/replOutput" && (params as { text: string }).text.includes("spins") ? true : undefined,
    );
    stop.abort("enough");
    await expect(cancelled).rejects.toThrow("enough");
    expect(await form("kept")).toMatch(/^1\n: number/);
  });

  it("runs what the client wrote to the disk, once the editor has read it again, and else says what it runs", async () => {
    const file = path.join(stage.folder, "src/money.ts");
    const before = readFileSync(file, "utf8");
    const asked: string[][] = [];
    let [isEdited, uri] = [false, ""];
    editor.connection.onRequest("agentq/reloadBuffers", async ({ uris }: { uris: string[] }) => {
      asked.push(uris);
      if (!isEdited) await editor.change(uri, readFileSync(file, "utf8"));
      return { reloaded: true };
    });
    // Nothing is told of what lies elsewhere, of secrets, and of what does not run.
    for (const name of ["../diary.ts", ".env", "src/notes.md"]) {
      await editor.open(path.join(stage.folder, name), "not on the disk\n");
    }
    uri = await editor.open(file, before);
    writeFileSync(file, `${before}\nexport const made = 1;\n`);
    expect(await form("import { made } from './src/money.ts'; made")).toMatch(/^1\n: number[^\n]*\n\([^)]*\)$/);
    expect(asked).toEqual([[uri]]);
    const edits = [{ op: "insert_at_end", path: "src/money.ts", modified: "export const tried = made + 1;\n" }];
    const trial = { edits, form: "import { tried } from './src/money.ts'; tried" };
    expect((await client.mcp.call("try_edit", trial)).text).toMatch(/^2\n/);
    isEdited = true;
    writeFileSync(file, `${before}\nexport const made = 2;\n`);
    expect(await form("import { made } from './src/money.ts'; made")).toMatch(
      /^1\n: number[^]*- the editor has texts that are not on the disk, and those run: src\/money\.ts\./,
    );
    expect((await client.mcp.call("try_edit", trial)).text).toMatch(/^2\n/);
  });

  it("runs nothing that the client's own rules deny, or ask about without a yes", async () => {
    const mcp = await connect({
      settings: { policy: { deny: ["restart_repl"], ask: ["eval_form"] } },
      answer: () => ({ action: "decline" }),
    });
    expect(await mcp.call("restart_repl")).toMatchObject({ isError: true, text: expect.stringContaining("denies it") });
    expect(await mcp.call("eval_form", { form: "globalThis.ran = 1" })).toMatchObject({ isError: true });
    expect(mcp.asked).toHaveLength(1);
    expect(await form("typeof ran")).toContain('"undefined"');
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
  async function openEditor(isProgram = false, settings: object = {}): Promise<ServerClient> {
    const before = sockets().length;
    const editor = await own.start(settings, { isProgram });
    await expect.poll(() => sockets().length).toBe(before + 1);
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
  it("a form goes to the editor's REPL while there is one, and the client hears of each change", async () => {
    const mcp = await connect();
    const form = async (code: string): Promise<string> => (await mcp.call("eval_form", { form: code })).text;
    expect(await form("const kept = 1; kept")).not.toContain("Notes");
    const editor = await openEditor(true);
    expect(await form("typeof kept")).toMatch(/^"undefined"[^]*- The REPL is that of the editor/);
    await form("const there = 2;");
    const spinning = mcp.call("eval_form", { form: "console.log('spins'); for (;;) ;" });
    await editor.waitFor(({ method }) => (method === "agentq/replOutput" ? true : undefined));
    await own.kill(editor);
    expect(await spinning).toEqual({ isError: true, text: expect.stringContaining("nobody knows how far") });
    expect(await form("[kept, typeof there]")).toMatch(
      /^\[1, "undefined"\][^]*- No editor has the project open any more:/,
    );
    expect(await form("kept")).not.toContain("Notes");
    await openEditor(true);
    expect(await form("typeof kept")).toMatch(/^"undefined"[^]*- The REPL is that of the editor/);
  });

  it("a form of the client's runs in an open REPL only after the person's yes, which their editor asks for", async () => {
    const editor = await openEditor(false, { repl: { confinement: "open" } });
    const mcp = await connect({ answer: () => ({ action: "accept", content: { decision: "approve once" } }) });
    const answer = async (decision: "approved" | "denied", tool: string): Promise<void> => {
      const { approvalId } = await editor.waitFor(({ method, params }) =>
        method === "agentq/approval" && params.tool === tool && !decided.has(params.approvalId) ? params : undefined,
      );
      decided.add(approvalId);
      await editor.request("agentq/answerApproval", { approvalId, decision });
    };
    const decided = new Set<string>();
    const form = { form: "globalThis.ran = (globalThis.ran ?? 0) + 1; require('node:fs').existsSync('/')" };
    const first = mcp.call("eval_form", form);
    await answer("approved", "open_repl");
    await answer("denied", "eval_form");
    expect(await first).toEqual({ isError: true, text: expect.stringContaining("NOT RUN") });
    const second = mcp.call("eval_form", form);
    await answer("approved", "eval_form");
    expect((await second).text).toMatch(/^true\n/);
    // The client itself was asked nothing, and its yes would count for nothing.
    expect(mcp.asked).toEqual([]);
    expect(await editor.request("agentq/evaluate", { code: "ran" })).toMatchObject({ preview: "1" });
  });

  it("the socket is the person's alone, and goes with the server", async () => {
    const editor = await openEditor();
    const [name = ""] = sockets();
    const modeOf = (...names: string[]): number => statSync(path.join(runtime, ...names)).mode & 0o777;
    expect(modeOf("agentq")).toBe(0o700);
    // The socket gets its mode a moment after it is made; the folder keeps others out meanwhile.
    await expect.poll(() => modeOf("agentq", name)).toBe(0o600);
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
