/** What a careless project or editor sends: each gets a clear answer, nothing is lost, the next request works. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { itAtLength } from "../support/extent.ts";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

const stage = serverStage({
  project: {
    "tsconfig.json": JSON.stringify({ compilerOptions: { strict: true, noEmit: true, module: "nodenext" } }),
    "package.json": '{"type":"module"}',
    "src/good.ts": "export function good(): number {\n  return 42;\n}\n",
    "src/user.ts": 'import { good } from "./good.ts";\nexport const twice = (): number => good() * 2;\n',
  },
});
let folder: string;
let client: ServerClient;

beforeEach(() => void ({ folder, client } = stage));

function write(name: string, content: string | Buffer): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

function tool(name: string, args: Record<string, unknown>): Promise<ToolResult> {
  return client.request("agentq/callTool", { name, arguments: args });
}

async function expectStillWorking(): Promise<void> {
  expect((await tool("describe_symbol", { symbol: "good" })).content).toContain("src/good.ts");
}

describe("bad input", () => {
  it("answers from a project whose tsconfig has errors, and says that it has", async () => {
    write("tsconfig.json", '{ "compilerOptions": { "strict": "very", "target": "es1" }, "include": ["src"] ');
    const result = await tool("who_calls", { symbol: "good" });
    expect(result.content).toContain("src/user.ts:2");
    expect(JSON.stringify(result)).toMatch(/tsconfig\.json/);
  });

  itAtLength("answers about a small file beside one of five megabytes", async () => {
    const comment = `// ${"y".repeat(97)}\n`;
    write("src/huge.ts", `export function hugeFunction(): void {}\n${comment.repeat(52_000)}`);
    const read = await tool("read_file", { path: "src/huge.ts" });
    expect(read).toMatchObject({ success: true, metadata: { truncated: true } });
    expect(read.content.length).toBeLessThan(60_000);
    expect((await tool("describe_symbol", { symbol: "hugeFunction" })).content).toContain("src/huge.ts");
    const found = await tool("apropos_search", { pattern: "hugeFunction" });
    expect(found).toMatchObject({ success: true, metadata: { complete: false } });
    expect(found.metadata.notes?.join()).toContain("src/huge.ts is very large");
    const edit = await tool("propose_file_edit", { path: "src/huge.ts", modified: "x", description: "shrink" });
    expect(edit).toMatchObject({ success: false, error: expect.stringContaining("characters") });
    await expectStillWorking();
  });

  it("refuses to read or edit a binary file, even one called .ts", async () => {
    write("src/picture.ts", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 255, 254, 0, 10, 13]));
    expect(await tool("read_file", { path: "src/picture.ts" })).toMatchObject({
      success: false,
      error: "src/picture.ts is a binary file.",
    });
    expect(
      (await tool("propose_file_edit", { path: "src/picture.ts", modified: "x", description: "d" })).error,
    ).toContain("binary");
    await expectStillWorking();
  });

  it("refuses an edit where editors do not agree how many lines there are", async () => {
    write("src/mac.ts", "export const a = 1;\rexport const b = 2;\r\nexport const c = 3;\n");
    const edit = (file: string, original: string, modified: string): Promise<ToolResult> =>
      tool("propose_file_edit", { path: file, original, modified, description: "d" });
    expect((await edit("src/mac.ts", "c = 3", "c = 4")).error).toContain(
      "line 1 of src/mac.ts has a carriage return without a line feed",
    );
    expect((await edit("src/good.ts", "42", "43;\r")).error).toContain("line 1 of `modified`");
    const renamed = await tool("rename_symbol", { symbol: "src/mac.ts#c", new_name: "d" });
    expect(renamed.error).toContain("carriage return without a line feed");
    const running = edit("src/good.ts", "42", "43");
    const { proposalId } = await client.nextProposal();
    await client.open(path.join(folder, "src/good.ts"), "// \r\nexport function good(): number {\n  return 42;\n}\r\n");
    const decide = (decision: object): Promise<unknown> =>
      client.request("agentq/decide", { proposalId, hunks: [{ id: "h1", ...decision } as never] });
    await expect(decide({ decision: "edit", newText: "a\rb" })).rejects.toMatchObject({ code: -32602 });
    await client.open(path.join(folder, "src/good.ts"), "// \rexport function good(): number {\n  return 42;\n}\n");
    expect(await decide({ decision: "accept" })).toEqual({ edit: null, conflicts: ["h1"], remaining: ["h1"] });
    await decide({ decision: "reject" });
    expect((await running).content).toContain("line 1 has a carriage return without a line feed by now");
  });

  it("neither waits for a named pipe nor takes bytes that are no UTF-8 for text", async () => {
    execFileSync("mkfifo", [path.join(folder, "src/pipe.ts")]);
    write("src/latin.ts", Buffer.from("// one\nexport const drink = 'caf\xE9';\n", "latin1"));
    const edit = (file: string): Promise<ToolResult> =>
      tool("propose_file_edit", { path: file, original: "caf", modified: "the", description: "d" });
    const pipes = await Promise.all(Array.from({ length: 5 }, () => tool("read_file", { path: "src/pipe.ts" })));
    const isPipe = "src/pipe.ts is a named pipe, not a regular file.";
    expect(pipes.map(({ error }) => error)).toEqual(Array.from({ length: 5 }, () => isPipe));
    expect((await edit("src/pipe.ts")).error).toContain(isPipe);
    const isLatin = "src/latin.ts is not UTF-8 text (line 2 has bytes that are none)";
    expect((await tool("read_file", { path: "src/latin.ts" })).error).toContain(isLatin);
    expect((await edit("src/latin.ts")).error).toContain(isLatin);
    // What the editor shows is text, however the editor got it.
    await client.open(path.join(folder, "src/latin.ts"), "// one\nexport const drink = 'café';\n");
    expect((await tool("read_file", { path: "src/latin.ts" })).content).toContain("café");
    await expectStillWorking();
  });

  it("says what happened when the workspace folder is deleted under it", async () => {
    const gone = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-bad-")));
    cpSync(folder, gone, { recursive: true });
    client = new ServerClient();
    await client.initialize([gone]);
    await expectStillWorking();
    rmSync(gone, { recursive: true });
    const read = await tool("read_file", { path: "src/good.ts" });
    expect(read).toMatchObject({ success: false, error: "src/good.ts does not exist." });
    const described = await tool("describe_symbol", { symbol: "good" });
    expect(described.content + (described.error ?? "")).not.toBe("");
    const value = await client.request("agentq/evaluate", { code: "1 + 1" });
    expect([value.outcome, value.preview ?? value.error?.message]).not.toEqual([undefined, undefined]);
    expect((await client.request("agentq/status", {})).workspaceFolders).toEqual([gone]);
    await client.close();
  });

  it("works without any folder", async () => {
    client = new ServerClient();
    await client.initialize([]);
    expect((await client.request("agentq/evaluate", { code: "40 + 2" })).preview).toBe("42");
    expect(await tool("read_file", { path: "a.ts" })).toMatchObject({ error: "No workspace folder is open." });
    const found = await tool("describe_symbol", { symbol: "nothingHere" });
    expect(found.content + (found.error ?? "")).not.toBe("");
    await client.close();
  });

  it("ignores changes to a document that was never opened", async () => {
    const uri = pathToFileURL(path.join(folder, "src/good.ts")).href;
    await client.connection.sendNotification("textDocument/didChange", {
      textDocument: { uri, version: 7 },
      contentChanges: [{ text: "nonsense" }],
    });
    expect((await tool("read_file", { path: "src/good.ts" })).content).toContain("return 42;");
  });

  it("searches JavaScript outside every tsconfig, and names the files that a build made, which it did not", async () => {
    write("tools/script.mjs", 'import { good } from "../src/good.ts";\ngood();\n');
    write("dist/good.js", "export const good = () => 1;\n");
    const { content, metadata } = await tool("who_calls", { symbol: "good" });
    expect(content).toContain("tools/script.mjs:2 (module): ");
    expect(metadata.notes).toContain("Not searched: 1 JavaScript file that a build made, as it seems: dist/good.js.");
  });

  it("reads and edits a file with a byte order mark as editors do, without the mark", async () => {
    write("src/marked.ts", "\uFEFFexport const marked = 1;\n");
    const running = tool("propose_file_edit", {
      path: "src/marked.ts",
      original: "marked = 1",
      modified: "marked = 2",
      description: "d",
    });
    const { proposalId, hunks } = await client.nextProposal();
    expect(hunks[0]?.oldText).toBe("export const marked = 1;\n");
    await client.open(path.join(folder, "src/marked.ts"), "export const marked = 1;\n");
    const { edit, conflicts } = await client.request("agentq/decide", {
      proposalId,
      hunks: [{ id: "h1", decision: "accept" }],
    });
    expect(conflicts).toEqual([]);
    await client.apply(proposalId, edit);
    expect((await running).content).toContain("APPLIED: all 1 of 1 hunks.");
  });

  it("numbers the lines people see, and refuses a range that has none", async () => {
    write("src/empty.ts", "");
    expect((await tool("read_file", { path: "src/good.ts" })).content).toContain("src/good.ts (on disk, 3 lines)");
    expect((await tool("read_file", { path: "src/empty.ts" })).content).toContain("0 lines");
    expect((await tool("read_file", { path: "src/good.ts", start: 9 })).error).toContain("has 3 lines");
    const listed = (await tool("read_file", { path: "src" })).content;
    for (const name of ["empty.ts", "good.ts", "user.ts"]) expect(listed).toContain(name);
  });

  it("follows incremental changes with positions in UTF-16 units", async () => {
    const uri = await client.open(path.join(folder, "src/good.ts"), 'export const face = "😀";\nexport const n = 1;\n');
    const change = (version: number, line: number, [start, end]: [number, number], text: string): Promise<void> =>
      client.connection.sendNotification("textDocument/didChange", {
        textDocument: { uri, version },
        contentChanges: [{ range: { start: { line, character: start }, end: { line, character: end } }, text }],
      });
    await change(2, 0, [24, 24], " + n");
    await change(3, 1, [17, 18], "22");
    const { content } = await tool("read_file", { path: "src/good.ts" });
    expect(content).toContain('export const face = "😀" + n;');
    expect(content).toContain("export const n = 22;");
  });

  it("takes the root of the disk for no project, says so, and answers", async () => {
    const root = new ServerClient({ env: stage.environment() });
    await root.initialize(["/"]);
    expect((await root.request("agentq/status", {})).workspaceFolders).toEqual([]);
    const listed = await root.request("agentq/callTool", { name: "list_directory", arguments: {} });
    expect(listed.error).toContain("No workspace folder is open");
    expect((await root.request("agentq/evaluate", { code: "1 + 1" })).preview).toBe("2");
    expect(JSON.stringify(root.received)).toContain("/ is no project");
    await root.close();
  });

  it("shows unsaved text to every tool and to the image", async () => {
    await client.open(path.join(folder, "src/good.ts"), "export function good(): number {\n  return 43;\n}\n");
    expect((await tool("read_file", { path: "src/good.ts" })).content).toContain("return 43;");
    const { preview } = await client.request("agentq/evaluate", {
      code: 'import { twice } from "./src/user.ts"; twice()',
    });
    expect(preview).toBe("86");
  });

  it("writes no half of a surrogate pair into any message, as editors refuse it all", async () => {
    let bytes = "";
    client.output.on("data", (chunk: Buffer) => (bytes += chunk.toString("latin1")));
    const half = "'\u{1F600}'.slice(0, 1)";
    const { preview } = await client.request("agentq/evaluate", { code: `console.log(${half}); ${half}` });
    const failed = await client.request("agentq/evaluate", { code: `throw new Error(${half})` });
    expect(failed.error?.message).toContain("\uFFFD");
    const edit = { path: "src/good.ts", original: "return 42;", description: "\ud83d" };
    const running = tool("propose_file_edit", { ...edit, modified: "return 43;" });
    const { proposalId } = await client.nextProposal();
    await client.request("agentq/decide", { proposalId, hunks: [{ id: "h1", decision: "reject", reason: "no" }] });
    expect((await running).content).toContain("NOT applied");
    expect(preview).toBeDefined();
    expect(bytes).toContain("agentq/proposal");
    expect(bytes).not.toMatch(/(?<!\\)(?:\\\\)*\\ud[89a-f]/i);
  });

  it("cancels a running evaluation when the request is cancelled, and keeps the state", async () => {
    await client.request("agentq/evaluate", { code: "let kept = 7" });
    const { CancellationTokenSource } = await import("vscode-jsonrpc/node");
    const source = new CancellationTokenSource();
    // At once: the cancel and the request may well reach the server in one piece.
    const looping = client.connection.sendRequest("agentq/evaluate", { code: "while (true) {}" }, source.token);
    const outcome = looping.then(
      (result) => (result as { outcome: string }).outcome,
      (error: { code: number }) => error.code,
    );
    source.cancel();
    expect(["interrupted", -32800]).toContain(await outcome);
    expect((await client.request("agentq/evaluate", { code: "kept" })).preview).toBe("7");
  });

  it("interrupts an endless loop by request, survives a crash, and tells that the state is gone", async () => {
    await client.request("agentq/evaluate", { code: "let kept = 7" });
    const looping = client.request("agentq/evaluate", { code: "for (;;) {}" });
    await expect.poll(async () => (await client.request("agentq/interrupt", {})).interrupted).toBe(true);
    expect(await looping).toMatchObject({ outcome: "interrupted", stateKept: true });
    const crashed = await client.request("agentq/evaluate", {
      code: "process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})",
    });
    expect(crashed).toMatchObject({ outcome: "crashed", stateKept: false });
    expect((await client.request("agentq/evaluate", { code: "typeof kept" })).preview).toContain("undefined");
  });
});
