/** What the server keeps to itself: no listening socket, no key in the image, no file changed behind the review. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DecideResult } from "../../server/src/protocol/proposal-shapes.ts";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

const stage = serverStage({
  isProgram: true,
  env: { ANTHROPIC_API_KEY: "sk-test-not-a-key", MY_TOKEN: "also-secret" },
});
let folder: string;
let client: ServerClient;

beforeEach(() => void ({ folder, client } = stage));

describe("the running server", () => {
  it.runIf(process.platform === "linux")("opens no listening socket, and neither does the image", async () => {
    await client.request("agentq/callTool", { name: "describe_symbol", arguments: { symbol: "allocate" } });
    await client.request("agentq/evaluate", { code: "1 + 1" });
    const { repl } = await client.request("agentq/status", {});
    const pids = [client.child.pid, repl.pid].filter((pid) => pid !== undefined);
    expect(pids).toHaveLength(2);
    for (const pid of pids) expect(listeningSockets(pid)).toEqual([]);
  });

  it.runIf(process.platform === "linux")("ignores the signal that would open a Node inspector", async () => {
    client.child.kill("SIGUSR1");
    await client.request("agentq/callTool", { name: "read_file", arguments: { path: "src/money.ts" } });
    expect(listeningSockets(client.child.pid ?? 0)).toEqual([]);
    expect(client.stderr).not.toContain("Debugger listening");
  });

  it("hands no key or token to the image", async () => {
    const { preview } = await client.request("agentq/evaluate", { code: "JSON.stringify(process.env)" });
    expect(preview).toContain("PATH");
    expect(preview).not.toMatch(/sk-test-not-a-key|also-secret/);
  });

  it("does not let an evaluation of either side change the project", async () => {
    const before = readFileSync(path.join(folder, "src/money.ts"), "utf8");
    const code = `import { writeFileSync } from "node:fs"; writeFileSync("src/money.ts", "gone"); writeFileSync("new.txt", "x");`;
    expect(await client.request("agentq/evaluate", { code })).toMatchObject({ outcome: "error" });
    const called = await client.request("agentq/callTool", { name: "eval_form", arguments: { form: code } });
    expect(called.content + (called.error ?? "")).toMatch(/EROFS|ERR_ACCESS_DENIED/);
    expect(readFileSync(path.join(folder, "src/money.ts"), "utf8")).toBe(before);
    expect(existsSync(path.join(folder, "new.txt"))).toBe(false);
  });

  describe("when a path is swapped for a link that leads out", () => {
    let outside: string;

    beforeEach(() => {
      outside = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-outside-")));
      mkdirSync(path.join(folder, "src/made"));
      writeFileSync(path.join(folder, "src/made/old.ts"), "export const old = 1;\n");
    });

    afterEach(() => rmSync(outside, { recursive: true, force: true }));

    const edit = (file: string, modified: string): Promise<ToolResult> =>
      client.request("agentq/callTool", {
        name: "propose_file_edit",
        arguments: { path: file, modified, description: "d" },
      });
    const accept = async (proposalId: string): Promise<DecideResult> =>
      client.request("agentq/decide", { proposalId, hunks: [{ id: "h1", decision: "accept" }] });
    const giveUp = async (proposalId: string): Promise<DecideResult> =>
      client.request("agentq/decide", { proposalId, hunks: [{ id: "h1", decision: "reject" }] });

    it("refuses to create what a dangling link names outside", async () => {
      symlinkSync(path.join(outside, ".bash_login"), path.join(folder, "notes.md"));
      expect((await edit("notes.md", "echo hello\n")).error).toContain("outside the workspace");
    });

    it("answers a conflict for a new file whose folder leads out by the time it is accepted", async () => {
      const running = edit("src/made/new.ts", "export const made = 1;\n");
      const { proposalId } = await client.nextProposal();
      rmSync(path.join(folder, "src/made"), { recursive: true });
      symlinkSync(outside, path.join(folder, "src/made"));
      expect(await accept(proposalId)).toEqual({ edit: null, conflicts: ["h1"], remaining: ["h1"] });
      await giveUp(proposalId);
      expect((await running).content).toMatch(/h1 .*NOT applied: .*outside the workspace/);
    });

    it("answers a conflict for a file that became a link to the same text outside", async () => {
      const running = edit("src/made/old.ts", "export const old = 2;\n");
      const { proposalId } = await client.nextProposal();
      renameSync(path.join(folder, "src/made/old.ts"), path.join(outside, "old.ts"));
      symlinkSync(path.join(outside, "old.ts"), path.join(folder, "src/made/old.ts"));
      expect(await accept(proposalId)).toMatchObject({ edit: null, conflicts: ["h1"] });
      expect((await client.request("agentq/openProposal", { proposalId })).hunks[0]?.conflict).toContain("outside");
      await giveUp(proposalId);
      expect((await running).content).toMatch(/h1 .*NOT applied: .*outside the workspace/);
    });

    it("does not call an edit applied when its file became such a link meanwhile", async () => {
      const running = edit("src/made/old.ts", "export const old = 2;\n");
      const { proposalId } = await client.nextProposal();
      const { edit: composed } = await accept(proposalId);
      expect(composed).not.toBe(null);
      rmSync(path.join(folder, "src/made/old.ts"));
      writeFileSync(path.join(outside, "old.ts"), "export const old = 2;\n");
      symlinkSync(path.join(outside, "old.ts"), path.join(folder, "src/made/old.ts"));
      const told = await client.request("agentq/didApply", { proposalId, documents: [] });
      expect(told).toMatchObject({ verified: false, mismatched: [expect.stringContaining("old.ts")] });
      await giveUp(proposalId);
      expect((await running).content).toContain("UNCERTAIN: 0 of 1 hunks");
    });
  });

  it("keeps what may hold secrets from a test that it runs, as from a form", async () => {
    writeFileSync(path.join(folder, ".env"), "KEY=sesame");
    const read = 'readFileSync(".env", "utf8")';
    writeFileSync(
      path.join(folder, "test/env.test.ts"),
      `import { readFileSync } from "node:fs";\nimport { it } from "node:test";\nit("reads", () => { throw new Error(${read}) });\n`,
    );
    const called = await client.request("agentq/callTool", {
      name: "run_tests",
      arguments: { path: "test/env.test.ts" },
    });
    const form = await client.request("agentq/evaluate", { code: `import { readFileSync } from "node:fs"; ${read}` });
    for (const told of [called.content + (called.error ?? ""), JSON.stringify(form)]) {
      // Behind the wall the file is there and empty.
      expect(told).toMatch(
        /Access to this API has been restricted|EACCES: permission denied|\n {2}Error:\n {2}at test\/env\.test\.ts:3/,
      );
      expect(told).not.toContain("sesame");
    }
  });

  it("says on the wire which confinement is active and what it does not stop", async () => {
    const { repl } = await client.request("agentq/status", {});
    expect(repl.confinement).toBe("confined");
    expect(repl.confinementDetail).toContain("network");
  });

  it("asks before the agent evaluates in the open mode, and denies when nobody can be asked", async () => {
    const settings = { repl: { confinement: "openWithoutAsking" } };
    const open = await stage.start(settings, { agentq: { version: 1, proposals: true } });
    const { items } = await open.request("agentq/listTools", { categories: ["execution"] });
    expect(items.find(({ name }) => name === "eval_form")).toMatchObject({ safety: "dangerous" });
    const denied = await open.request("agentq/callTool", {
      name: "eval_form",
      arguments: { form: "globalThis.made = 2" },
    });
    expect(denied).toMatchObject({ success: false, error: expect.stringContaining("NOT RUN") });
    const { items: audit } = await open.request("agentq/auditLog", {});
    expect(audit.at(-1)).toMatchObject({ tool: "eval_form", outcome: "denied" });
  });

  it("runs a dangerous call after the person approved it, with the arguments the person chose", async () => {
    const open = await stage.start({ repl: { confinement: "openWithoutAsking" } });
    const running = open.request("agentq/callTool", {
      name: "eval_form",
      arguments: { form: "globalThis.made = 2" },
    });
    const approval = await open.waitFor((note) => (note.method === "agentq/approval" ? note.params : undefined));
    expect(approval).toMatchObject({ tool: "eval_form", arguments: { form: "globalThis.made = 2" } });
    const answer = {
      approvalId: approval.approvalId,
      decision: "modified",
      arguments: { form: "globalThis.made = 21" },
    } as const;
    expect(await open.request("agentq/answerApproval", answer)).toEqual({ accepted: true });
    expect(await running).toMatchObject({
      success: true,
      content: expect.stringContaining("21"),
      metadata: { approved: true },
    });
    expect(await open.request("agentq/answerApproval", answer)).toEqual({ accepted: false });
  });
});

/** Local addresses of the listening TCP sockets a process holds. */
function listeningSockets(pid: number): string[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
  return ["tcp", "tcp6"]
    .filter((table) => existsSync(`/proc/net/${table}`))
    .flatMap((table) => readFileSync(`/proc/net/${table}`, "utf8").trim().split("\n").slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === "0A" && inodes.has(fields[9] ?? ""))
    .map((fields) => fields[1] ?? "");
}
