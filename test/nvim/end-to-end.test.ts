import { readFile } from "node:fs/promises";
import { afterEach, expect, it } from "vitest";
import { fixBug } from "../../examples/demo/scripts/fix-bug.ts";
import { describeEachEditor } from "../support/editors.ts";
import { lastToolResult } from "./model-words.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

const REASON = "leave splitEvenly as it is";

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  it("goes from a question to an approved fix, one hunk accepted and one rejected with a reason", async () => {
    nvim = await startNeovim({ editor, script: fixBug });
    await nvim.open("src/allocate.ts");
    await nvim.untilReady();
    const before = await readFile(nvim.path("src/allocate.ts"), "utf8");

    await nvim.type(":AgentQ<CR>");
    await nvim.untilScreen("message · <C-s>");
    await nvim.type("Refunds lose a cent: find the bug and fix it");
    await nvim.type("<Esc><CR>");

    await nvim.untilEvent("Proposal");
    const shown = await nvim.untilTranscript("? propose_file_edit waits for your decision (path: src/allocate.ts");
    expect(shown).toContain("❯ Refunds lose a cent: find the bug and fix it");
    expect(shown).toMatch(/✻ Thought for [\d.]+ s/);
    expect(shown).toContain("I will look at what `allocate` promises first.");
    expect(shown).toMatch(/✓ describe_symbol \d+ ms \(symbol: allocate, .*\)/);
    expect(shown).toMatch(/✓ who_calls \d+ ms \(/);
    expect(shown).toMatch(/✓ eval_form [\d.]+ m?s → "/);
    expect(shown).toContain("-9.99 EUR");
    await nvim.untilScreen("✓ who_calls ", "2 hunks wait · :AgentQ review");
    expect(await nvim.screen(), "details of a tool call are folded away").not.toContain("│ → result");
    expect(await nvim.events("TurnEnded")).toEqual([]);
    expect(await nvim.lua("return require('agentq').statusline()")).toBe("AgentQ: waiting for you, 2 hunks");

    await nvim.type(":AgentQ review<CR>");
    const review = await nvim.untilScreen("Math.floor((total.cents", "▎1/2");
    expect(review).toContain("Math.trunc((total.cents");
    expect((await nvim.lines("src/allocate.ts")).join("\n")).toBe(before.trimEnd());

    await nvim.type("\\aa");
    await nvim.until("the first hunk is in the buffer", async () =>
      (await nvim.lines("src/allocate.ts")).some((line) => line.includes("Math.floor((total.cents")),
    );
    const applied = await nvim.untilEvent<{ verified: boolean }>("Applied");
    expect(applied.verified).toBe(true);
    expect(await readFile(nvim.path("src/allocate.ts"), "utf8")).toBe(before.replace("Math.trunc", "Math.floor"));

    await nvim.type("\\an");
    await nvim.untilScreen("▎2/2", "Array.from({ length: parts }, () => 1)");
    await nvim.type("\\ar");
    await nvim.answer(REASON);

    expect(await nvim.untilEvent("TurnEnded")).toMatchObject({ reason: "endTurn" });
    const transcript = await nvim.transcript();
    expect(transcript).toContain("Fixed: the refund now adds up to −10.00 EUR.");
    expect(transcript).toContain("Turned down");
    expect(transcript).toMatch(/── done · [\d.]+ s · \d+ tokens in, \d+ out$/);

    const told = lastToolResult(nvim.model?.requests ?? [], "propose_file_edit");
    expect(told).toContain(REASON);
    expect(told).toMatch(/1 of 2/);
    expect(nvim.model?.mismatches).toEqual([]);
    expect((await nvim.lines("src/allocate.ts")).join("\n")).toContain("weights.push(1)");
    expect(await readFile(nvim.path("src/allocate.ts"), "utf8")).toBe(before.replace("Math.trunc", "Math.floor"));
    expect(await nvim.lua("return require('agentq').pending()")).toBe(0);
    expect(await nvim.screen()).not.toContain("▎");
  });
});
