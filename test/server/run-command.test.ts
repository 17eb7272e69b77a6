/** Commands over a copy of the project, asked through the real server and reviewed as an editor's client does. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { HunkDecision, Proposal, ToolResult } from "../../server/src/protocol/shapes.ts";
import { applyOnDisk } from "../support/apply-on-disk.ts";
import { ServerClient } from "../support/server-client.ts";
import { describeWalled, treeOf, walledPath } from "../support/wall.ts";

const example = fileURLToPath(new URL("../../examples/invoices", import.meta.url));
let folder: string;
let client: ServerClient;

async function start(options: Parameters<ServerClient["initialize"]>[1] = {}, PATH = walledPath()): Promise<void> {
  client = new ServerClient({ env: { ANTHROPIC_API_KEY: "sk-test", PATH } });
  await client.initialize([folder], options);
}

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-command-")));
  cpSync(example, folder, { recursive: true });
});
afterEach(async () => {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
});

const at = (file: string): string => path.join(folder, file);

function run(command: string, more: object = {}): Promise<ToolResult> {
  return client.request("agentq/callTool", { name: "run_command", arguments: { command, ...more } });
}

/** A call whose changes wait for a review, and the proposal. */
async function proposed(command: string): Promise<{ proposal: Proposal; answer: Promise<ToolResult> }> {
  const answer = run(command);
  return { proposal: await client.nextProposal(), answer };
}

async function decide(
  { proposalId, hunks }: Proposal,
  decisionOf: (path: string) => HunkDecision["decision"],
): Promise<void> {
  const decisions = hunks.map(({ id, uri }) => ({
    id,
    decision: decisionOf(fileURLToPath(uri).slice(folder.length + 1)),
  }));
  const { edit } = await client.request("agentq/decide", { proposalId, hunks: decisions });
  applyOnDisk(edit);
  if (edit !== null) await client.request("agentq/didApply", { proposalId, documents: [] });
}

describeWalled("run_command", () => {
  it("tells exit code and output, and changes nothing that nobody accepted", async () => {
    await start();
    const before = treeOf(folder);
    const { proposal, answer } = await proposed("echo hello; echo '// x' >> src/money.ts; rm src/tax.ts; exit 3");
    expect(proposal.title).toBe(
      "Changes by the command: echo hello; echo '// x' >> src/money.ts; rm src/tax.ts; exit…",
    );
    expect(proposal.hunks.map(({ kind }) => kind)).toEqual(["edit", "delete"]);
    expect(treeOf(folder)).toEqual(before);
    await decide(proposal, () => "reject");
    const { content } = await answer;
    expect(content).toMatch(/^Exit code 3, [\d.]+ m?s\.\nprinted:\n {2}hello\nNOT APPLIED: none of 2 hunks/);
    expect(treeOf(folder)).toEqual(before);
  });

  it("writes what was accepted, and no more", async () => {
    await start();
    const { proposal, answer } = await proposed(
      "sed -i '1i // first' src/money.ts src/tax.ts; mkdir new; echo 'export {}' > new/a.ts; chmod 755 new/a.ts",
    );
    await decide(proposal, (file) => (file === "src/tax.ts" ? "reject" : "accept"));
    const { content } = await answer;
    expect(content).toMatch(/src\/tax\.ts.*NOT applied/);
    expect(content).toContain("1 path that is proposed without its new mode: new/a.ts");
    expect(readFileSync(at("src/money.ts"), "utf8")).toMatch(/^\/\/ first\n/);
    expect(readFileSync(at("src/tax.ts"), "utf8")).not.toContain("// first");
    expect(readFileSync(at("new/a.ts"), "utf8")).toBe("export {}\n");
  });

  it("sees unsaved text, offers none of it back, and merges its own changes into it", async () => {
    await start();
    const unsaved = `// typed\n${readFileSync(at("src/money.ts"), "utf8")}`;
    const uri = await client.open(at("src/money.ts"), unsaved);
    expect((await run("head -1 src/money.ts")).content).toContain(
      "printed:\n  // typed\nNo text of the project changed.",
    );
    const { proposal, answer } = await proposed("echo '// end' >> src/money.ts");
    expect(proposal.hunks.map(({ newText }) => newText)).toEqual(["// end\n"]);
    const { edit } = await client.request("agentq/decide", {
      proposalId: proposal.proposalId,
      hunks: proposal.hunks.map(({ id }) => ({ id, decision: "accept" })),
    });
    await client.apply(proposal.proposalId, edit);
    expect((await answer).content).toContain("APPLIED");
    expect(client.textOf(uri)).toBe(`${unsaved}// end\n`);
  });

  it("drops what git ignores, links, binaries and files that changed meanwhile, and says so", async () => {
    writeFileSync(at(".gitignore"), "dist/\n*.log\n");
    execFileSync("git", ["init", "-q"], { cwd: folder });
    await start();
    const before = treeOf(folder);
    const running = run(
      "mkdir -p dist/deep node_modules/x; echo 1 > dist/deep/a.js; echo 2 > a.log; echo 3 > node_modules/x/b.js; ln -s src l; " +
        "printf '\\0\\1' > a.bin; chmod 700 src/tax.ts; echo z >> src/money.ts; sleep 4",
    );
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    writeFileSync(at("src/money.ts"), "export const person = 1;\n");
    const { content } = await running;
    expect(content).toContain("No text of the project changed.\nDropped, not in the project:\n");
    expect(content).toContain("2 paths that git ignores: a.log, dist/deep/a.js");
    expect(content).toContain("1 path that is never reviewed: node_modules");
    expect(content).toContain("1 path that is a link, folder or socket: l");
    expect(content).toContain("1 path that is no text, or too long: a.bin");
    expect(content).toContain("1 path that changed its mode only: src/tax.ts");
    expect(content).toContain("1 path that changed in the project or the editor while the command ran: src/money.ts");
    expect(treeOf(folder)).toEqual({ ...before, "src/money.ts": expect.stringContaining("file") as string });
  });

  it("offers nothing below a file that became a folder, or a folder that became a link", async () => {
    await start();
    const { content } = await run(
      "rm src/tax.ts; mkdir src/tax.ts; echo x > src/tax.ts/a.ts; mv test /tmp/t; ln -s src test",
    );
    expect(content).toContain("No text of the project changed.");
    expect(content).toContain("2 paths that are links, folders or sockets: src/tax.ts, test");
  });

  it("stops after its time with everything it started, and offers what was written until then", async () => {
    await start();
    const answer = run("echo '// x' >> src/tax.ts; sleep 60 & setsid sleep 60; sleep 60", { timeout_ms: 3_000 });
    const proposal = await client.nextProposal();
    await decide(proposal, () => "accept");
    expect((await answer).content).toContain("Stopped after 3000 ms, with everything it started.");
    expect(readFileSync(at("src/tax.ts"), "utf8")).toContain("// x");
  });

  it("shows the beginning and the end of a long output", async () => {
    await start();
    const { content, metadata } = await run("seq 1 100000");
    expect(content.length).toBeLessThan(20_000);
    expect(content).toMatch(
      /\n {2}1\n {2}2\n[^]*characters left out[^]*\n {2}100000\nShow less with grep, head or tail/,
    );
    expect(metadata.complete).toBe(false);
  });

  it("says what the wall keeps from a program", async () => {
    await start();
    expect((await run("echo x > /usr/y")).content).toContain("Only the workspace folders, /tmp and the home folder");
    expect((await run("getent hosts example.com || echo 'Could not resolve host: example.com'")).content).toContain(
      "Commands have no network.",
    );
  });

  it("leaves no layer behind when the server ends", async () => {
    await start();
    const pid = client.child.pid;
    await run("echo x > y.bin; printf '\\0' >> y.bin");
    await client.close();
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`agentq-layer-${pid}-`))).toEqual([]);
  });

  it("changes nothing where no editor shows proposals", async () => {
    await start({ agentq: null });
    const before = treeOf(folder);
    expect((await run("echo x >> src/tax.ts")).content).toContain(
      "1 file changed, and nothing of it is in the project",
    );
    expect(treeOf(folder)).toEqual(before);
  });

  it.each([
    [{ cwd: "src" }, "src$"],
    [{ cwd: "../.." }, "outside the workspace"],
    [{ cwd: "nowhere" }, "nowhere is no folder"],
    [{ cwd: "package.json" }, "package.json is no folder"],
  ])("begins in the folder that is named, %j", async (more, expected) => {
    await start();
    const { content, error = "" } = await run("pwd", more);
    expect(content + error).toMatch(new RegExp(expected, "m"));
  });
});
