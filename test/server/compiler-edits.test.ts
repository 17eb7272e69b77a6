/** The compiler's own edits as proposals, and the live value, over real stdio. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { HunkDecision } from "../../server/src/protocol/proposal-shapes.ts";
import { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

const stage = serverStage({ project: new URL("../fixtures/edits-project", import.meta.url) });
let folder: string;
let client: ServerClient;

beforeEach(() => void ({ folder, client } = stage));

const onDisk = (file: string): string => readFileSync(path.join(folder, file), "utf8");
const open = (file: string, text = onDisk(file)): Promise<string> => client.open(path.join(folder, file), text);

describe("the compiler's edits", () => {
  it("renames over several files, leaves what was rejected, and tells the model per hunk", async () => {
    const files = ["src/rates.ts", "src/invoice.ts", "src/index.ts", "src/entry.ts", "test/rates.test.ts"];
    const before = new Map(files.map((file) => [file, onDisk(file)]));
    const uris = new Map<string, string>();
    for (const file of files) {
      // An unsaved line in front: the proposal must be about the buffer and not about the disk.
      const unsaved = file === "src/invoice.ts" ? "// unsaved\n" : "";
      uris.set(file, await open(file, unsaved + onDisk(file)));
    }
    const called = client.request("agentq/callTool", {
      name: "rename_symbol",
      arguments: { symbol: "rateOf", new_name: "rateFor" },
    });
    const proposal = await client.nextProposal();
    expect(new Set(proposal.hunks.map(({ uri }) => uri))).toEqual(new Set(uris.values()));
    expect(proposal.documents).toHaveLength(files.length);
    const rejected = proposal.hunks.find(({ oldText }) => oldText.includes('const rate = rateOf("full")'));
    const decisions = proposal.hunks.map(({ id }): HunkDecision =>
      id === rejected?.id ? { id, decision: "reject", reason: "leave this one" } : { id, decision: "accept" },
    );
    const decided = await client.request("agentq/decide", { proposalId: proposal.proposalId, hunks: decisions });
    expect(decided.conflicts).toEqual([]);
    expect(await client.apply(proposal.proposalId, decided.edit)).toEqual({ verified: true, mismatched: [] });
    const result = await called;
    expect(result.success).toBe(true);
    expect(result.metadata.safetyLevel).toBe("dangerous");
    expect(result.content).toContain("PARTIALLY APPLIED: 9 of 10 hunks.");
    expect(result.content).toContain(
      `${rejected?.id} (src/invoice.ts:24): NOT applied, the person rejected it: "leave this one"`,
    );
    expect(result.content).toContain("STILL rateOf at 1 place: src/invoice.ts:24.");
    expect(result.content).toMatch(
      /BROKEN: the compiler reports 1 new error .*\n {2}src\/invoice.ts:24:18 error TS2552/,
    );
    const text = (file: string): string => client.textOf(uris.get(file) ?? "") ?? "";
    expect(text("src/index.ts")).toBe(before.get("src/index.ts")?.replace("rateOf", "rateFor"));
    expect(text("src/entry.ts")).toBe(before.get("src/entry.ts")?.replaceAll("rateOf", "rateFor"));
    expect(text("src/invoice.ts")).toContain("// unsaved\nimport { describeRate, rateFor }");
    expect(text("src/invoice.ts")).toContain('const rate = rateOf("full")');
    expect(text("src/invoice.ts")).toContain("{ rateOf: rateFor, describeRate }");
    for (const file of files) expect(onDisk(file), "nothing was saved").toBe(before.get(file));
  });

  it("lists code actions without asking anyone, and applies the chosen one", async () => {
    const uri = await open("src/messy.ts");
    const listed = await client.request("agentq/callTool", {
      name: "apply_code_action",
      arguments: { path: "src/messy.ts" },
    });
    expect(listed.content).toContain("1. Implement interface 'Priced'");
    expect(
      client.received.filter(({ method }) => method === "agentq/proposal" || method === "agentq/approval"),
    ).toEqual([]);
    const id = /Update import .*id (\w+)/.exec(listed.content)?.[1];
    const called = client.request("agentq/callTool", {
      name: "apply_code_action",
      arguments: { path: "src/messy.ts", action: id },
    });
    const proposal = await client.nextProposal();
    const hunks = proposal.hunks.map(({ id: hunk }): HunkDecision => ({ id: hunk, decision: "accept" }));
    const { edit } = await client.request("agentq/decide", { proposalId: proposal.proposalId, hunks });
    await client.apply(proposal.proposalId, edit);
    expect((await called).content).toContain(
      "Checked the touched file (no other file's types depend on what changed): no new error, 1 error gone, 1 left (src/messy.ts:5:14 TS2420).",
    );
    expect(client.textOf(uri)).toContain('import { defaultRate, describeRate } from "./rates.ts";');
  });

  it("describes a symbol with the value it has in the running image, once its module is loaded there", async () => {
    const describeTable = () =>
      client.request("agentq/callTool", { name: "describe_symbol", arguments: { symbol: "src/rates.ts#table" } });
    expect((await describeTable()).content).not.toContain("Live value");
    expect((await client.request("agentq/status", {})).repl.state).toBe("notStarted");
    await client.request("agentq/evaluate", { code: "import { rateOf } from './src/rates.ts'; rateOf()" });
    expect((await describeTable()).content).toMatch(
      /^Live value: \{ full: 0\.2, reduced: 0\.05 \} \(REPL, module loaded \d\d:\d\d, text unchanged since\)$/m,
    );
    await open("src/rates.ts", onDisk("src/rates.ts").replace("0.05", "0.07"));
    expect((await describeTable()).content).toMatch(
      /^Live value: \{ full: 0\.2, reduced: 0\.05 \} .*its text CHANGED since/m,
    );
  });
});
