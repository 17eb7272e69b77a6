/** Several files in one proposal, over the wire, with a client that applies, lies, or is overtaken by the disk. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { DecideResult, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { applyOnDisk } from "../support/apply-on-disk.ts";
import { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

const stage = serverStage();
let folder: string;
let client: ServerClient;

beforeEach(() => void ({ folder, client } = stage));

const at = (file: string): string => path.join(folder, file);
const call = (name: string, args: Record<string, unknown>): Promise<ToolResult> =>
  client.request("agentq/callTool", { name, arguments: args });
const propose = (edits: readonly object[]): Promise<ToolResult> =>
  call("propose_edits", { description: "Because.", edits });

async function accept({ proposalId, hunks }: Proposal, ids = hunks.map(({ id }) => id)): Promise<DecideResult> {
  return client.request("agentq/decide", { proposalId, hunks: ids.map((id) => ({ id, decision: "accept" })) });
}

const moveAndDelete = [
  { op: "move", path: "src/money.ts", to: "src/cash/money.ts" },
  { op: "delete", path: "src/credit-note.ts" },
];

describe("a proposal about whole files", () => {
  it("says on the wire what happens to each file, and what became of it", async () => {
    const running = propose([...moveAndDelete, { op: "create", path: "src/new.ts", modified: "export {};\n" }]);
    const proposal = await client.nextProposal();
    expect(proposal.hunks.slice(0, 2)).toMatchObject([
      {
        kind: "rename",
        uri: expect.stringMatching(/src\/money\.ts$/),
        newUri: expect.stringMatching(/cash\/money\.ts$/),
        oldText: "",
        newText: "",
      },
      {
        kind: "delete",
        title: "delete src/credit-note.ts",
        oldText: readFileSync(at("src/credit-note.ts"), "utf8"),
        newText: "",
      },
    ]);
    const { edit } = await accept(proposal);
    const kinds = (edit?.documentChanges ?? []).map((change) => ("kind" in change ? change.kind : "text"));
    expect(kinds.join(" ")).toMatch(/^(?:text )+rename delete create text$/);
    applyOnDisk(edit);
    expect(await client.request("agentq/didApply", { proposalId: proposal.proposalId, documents: [] })).toEqual({
      verified: true,
      mismatched: [],
    });
    const { content } = await running;
    expect(content).toContain("APPLIED: all");
    expect(content).toContain("src/cash/money.ts: moved from src/money.ts.");
    expect(content).toContain("src/credit-note.ts: deleted.");
  });

  it("does not believe a client that says it moved and deleted files and did not", async () => {
    const running = propose(moveAndDelete);
    const proposal = await client.nextProposal();
    const { proposalId } = proposal;
    await accept(proposal, ["h1", "h2"]);
    expect(await client.request("agentq/didApply", { proposalId, documents: [] })).toMatchObject({ verified: false });
    const { hunks } = await client.request("agentq/openProposal", { proposalId });
    expect(hunks.slice(0, 2).map(({ state }) => state)).toEqual(["pending", "pending"]);
    await client.request("agentq/decide", { proposalId, hunks: hunks.map(({ id }) => ({ id, decision: "reject" })) });
    expect((await running).content).toContain("NOT APPLIED: none");
  });

  it("tells the edits of a moved file at its new place once the move is applied", async () => {
    const running = propose([
      { op: "insert_at_end", path: "src/tax.ts", modified: "// end" },
      { op: "move", path: "src/tax.ts", to: "src/rates/tax.ts" },
    ]);
    const proposal = await client.nextProposal();
    const { proposalId } = proposal;
    const rename = proposal.hunks.find(({ kind }) => kind === "rename")?.id ?? "";
    applyOnDisk((await accept(proposal, [rename])).edit);
    await client.request("agentq/didApply", { proposalId, documents: [] });
    const rest = await client.request("agentq/openProposal", { proposalId });
    const end = rest.hunks.find(({ newText }) => newText.includes("// end"));
    expect(end?.uri).toMatch(/src\/rates\/tax\.ts$/);
    applyOnDisk(
      (
        await accept(
          rest,
          rest.hunks.flatMap(({ id, state }) => (state === "pending" ? [id] : [])),
        )
      ).edit,
    );
    await client.request("agentq/didApply", { proposalId, documents: [] });
    expect((await running).content).toContain("APPLIED: all");
    expect(readFileSync(at("src/rates/tax.ts"), "utf8")).toMatch(/\/\/ end\n$/);
  });

  it("neither moves nor deletes through a folder that became a link out of the workspace", async () => {
    const outside = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-outside-")));
    mkdirSync(at("docs"));
    writeFileSync(at("docs/a.md"), "text\n");
    const running = propose([
      { op: "delete", path: "docs/a.md" },
      { op: "move", path: "package.json", to: "docs/package.json" },
    ]);
    const proposal = await client.nextProposal();
    writeFileSync(path.join(outside, "a.md"), "text\n");
    rmSync(at("docs"), { recursive: true });
    symlinkSync(outside, at("docs"));
    const { conflicts } = await accept(proposal, ["h1", "h2"]);
    expect(conflicts).toEqual(["h1", "h2"]);
    const { proposalId } = proposal;
    const hunks = conflicts.map((id) => ({ id, decision: "reject" as const }));
    await client.request("agentq/decide", { proposalId, hunks });
    expect((await running).content).toMatch(/h2 .*NOT applied: .*outside the workspace/);
    rmSync(outside, { recursive: true });
  });
});

describe("the forms for programs", () => {
  it("are listed and called, and models are not told of them", async () => {
    const { items } = await client.request("agentq/listTools", { categories: ["edit"] });
    const names = items.map(({ name }) => name);
    const forms = [
      "write_file",
      "edit_file",
      "insert_at_line",
      "create_file",
      "move_file",
      "delete_file",
      "write_to_buffer",
    ];
    expect(names).toEqual(expect.arrayContaining(forms));
    const cases: readonly [string, Record<string, unknown>, string][] = [
      ["write_file", { path: "new.md", content: "one\nthree\n" }, "one\nthree\n"],
      ["insert_at_line", { path: "new.md", line: 2, content: "two" }, "one\ntwo\nthree\n"],
      ["edit_file", { path: "new.md", old: "three", new: "3" }, "one\ntwo\n3\n"],
      ["insert_at_line", { path: "new.md", line: 4, content: "four" }, "one\ntwo\n3\nfour\n"],
    ];
    const seen: string[] = [];
    for (const [name, args, text] of cases) {
      const running = call(name, args);
      const proposal = await client.nextProposal(seen);
      seen.push(proposal.proposalId);
      applyOnDisk((await accept(proposal)).edit);
      await client.request("agentq/didApply", { proposalId: proposal.proposalId, documents: [] });
      expect((await running).content).toContain("APPLIED");
      expect(readFileSync(at("new.md"), "utf8")).toBe(text);
    }
    expect((await call("create_file", { path: "new.md", content: "" })).error).toContain("new.md exists already");
    expect((await call("insert_at_line", { path: "new.md", line: 9, content: "" })).error).toContain(
      "new.md has 4 lines; there is no line 9",
    );
    expect((await call("delete_file", { path: ".env" })).error).toContain("may hold secrets");
  });
});
