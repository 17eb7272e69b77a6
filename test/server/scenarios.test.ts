/** The three stories the product exists for, over real stdio: describe, fix a bug, add a method. */
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { itAtLength } from "../support/extent.ts";
import { startScriptedModel, type ScriptedModel } from "../../examples/demo/scripted-model.ts";
import { scriptNamed } from "../../examples/demo/scripts/all.ts";
import type { HunkDecision } from "../../server/src/protocol/proposal-shapes.ts";
import type { TurnEvent } from "../../server/src/protocol/turn-shapes.ts";
import { ServerClient } from "../support/server-client.ts";

const example = fileURLToPath(new URL("../../examples/invoices", import.meta.url));

let folder: string;
let model: ScriptedModel;
let client: ServerClient;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-scenario-")));
  cpSync(example, folder, { recursive: true });
});

afterEach(async () => {
  await client.close();
  await model.dispose();
  rmSync(folder, { recursive: true, force: true });
});

async function start(script: string): Promise<void> {
  model = await startScriptedModel(scriptNamed(script), { project: folder });
  client = new ServerClient({ env: { ANTHROPIC_BASE_URL: model.url } });
  await client.initialize([folder]);
}

function textIn(events: readonly TurnEvent[]): string {
  return events.map((event) => (event.kind === "text" ? event.text : "")).join("");
}

function resultOf(events: readonly TurnEvent[], tool: string, index = 0): string {
  const results = events.filter((event) => event.kind === "toolResult" && event.name === tool);
  const found = results[index];
  return found?.kind === "toolResult"
    ? found.result.content + (found.result.error ?? "")
    : `no result ${index} of ${tool}`;
}

describe("the three scenarios", () => {
  it("describes a function from the compiler's answers", async () => {
    await start("describe");
    const { turnId } = await client.request("agentq/prompt", { text: "Describe the function allocate" });
    const events = await client.turn(turnId);
    expect(resultOf(events, "describe_symbol")).toContain("src/allocate.ts");
    expect(resultOf(events, "who_calls")).toContain("src/credit-note.ts");
    expect(textIn(events)).toContain("in whole cents");
    expect(model.mismatches).toEqual([]);
  });

  it("reproduces a bug, proposes, applies the accepted part only, verifies, and says what was kept", async () => {
    await start("fix-bug");
    const file = path.join(folder, "src/allocate.ts");
    const before = readFileSync(file, "utf8");
    const uri = await client.open(file, before);
    const { turnId } = await client.request("agentq/prompt", { text: "Refunds lose a cent. Find out why and fix it." });
    const proposal = await client.nextProposal();
    expect(proposal.hunks.length).toBeGreaterThanOrEqual(2);
    const decisions = proposal.hunks.map((hunk): HunkDecision =>
      hunk.newText.includes("Math.floor")
        ? { id: hunk.id, decision: "accept" }
        : { id: hunk.id, decision: "reject", reason: "I like the loop" },
    );
    const { edit } = await client.request("agentq/decide", { proposalId: proposal.proposalId, hunks: decisions });
    expect(await client.apply(proposal.proposalId, edit)).toEqual({ verified: true, mismatched: [] });
    const events = await client.turn(turnId);
    expect(client.textOf(uri)).toBe(before.replace("Math.trunc((total.cents", "Math.floor((total.cents"));
    expect(readFileSync(file, "utf8"), "the buffer was not saved, so the disk must not have changed").toBe(before);
    expect(resultOf(events, "eval_form")).toContain("-9.99 EUR");
    expect(resultOf(events, "propose_file_edit")).toMatch(/^PARTIALLY APPLIED: 1 of \d hunks/);
    expect(resultOf(events, "propose_file_edit")).toContain('rejected it: "I like the loop"');
    expect(resultOf(events, "eval_form", 1), "the image sees the unsaved text").toContain("= -10.00 EUR");
    expect(textIn(events)).toMatch(/Fixed: .*I like the loop/s);
    expect(model.mismatches).toEqual([]);
  });

  itAtLength("inspects a class, adds a method, and calls it", async () => {
    await start("add-method");
    const file = path.join(folder, "src/credit-note.ts");
    await client.open(file, readFileSync(file, "utf8"));
    const { turnId } = await client.request("agentq/prompt", { text: "Add a serialize method to CreditNote" });
    const proposal = await client.nextProposal();
    const { edit } = await client.request("agentq/decide", {
      proposalId: proposal.proposalId,
      hunks: proposal.hunks.map(({ id }) => ({ id, decision: "accept" })),
    });
    await client.apply(proposal.proposalId, edit);
    const events = await client.turn(turnId);
    expect(resultOf(events, "describe_symbol")).toContain("CreditNote");
    expect(resultOf(events, "eval_form")).toContain("CRN;C-9;Harbour Books");
    expect(model.mismatches).toEqual([]);
  });

  itAtLength("leaves everything as it was when every hunk is rejected", async () => {
    await start("add-method");
    const file = path.join(folder, "src/credit-note.ts");
    const before = readFileSync(file, "utf8");
    const { turnId } = await client.request("agentq/prompt", { text: "Add a serialize method to CreditNote" });
    const proposal = await client.nextProposal();
    await client.request("agentq/decide", {
      proposalId: proposal.proposalId,
      hunks: proposal.hunks.map(({ id }) => ({ id, decision: "reject", reason: "not here" })),
    });
    const events = await client.turn(turnId);
    expect(textIn(events)).toContain("not here");
    expect(readFileSync(file, "utf8")).toBe(before);
  });
});
