/** The tests of proposed text, as a person asks for them in the review. */
import { afterEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { proposeBreak } from "../support/propose-break.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  it("says at the hunk how the tests end with all hunks and without one, and lists what fails", async () => {
    nvim = await startNeovim({ editor, file: "src/allocate.ts", script: proposeBreak });
    await nvim.lua("require('agentq').prompt(...)", "Refunds lose a cent");
    await nvim.untilEvent("Proposal");
    await nvim.command("AgentQ next");
    await nvim.type("\\at");
    await nvim.untilEvent("Tested");
    await nvim.untilScreen("tests, all: 1 of 12 fails; accepted so far: 12 of 12 pass");
    const listed =
      "return vim.tbl_map(function(item) return { vim.fn.bufname(item.bufnr), item.lnum, item.text } end, vim.fn.getqflist())";
    expect(await nvim.lua(listed)).toEqual([
      [
        expect.stringContaining("test/allocate.test.ts"),
        15,
        expect.stringContaining("all: refuses weights that it cannot divide by: AssertionError"),
      ],
    ]);
    expect(await nvim.lua("return vim.fn.getqflist({ title = 0 }).title")).toBe("AgentQ tests");
    await nvim.command("call search('nothing to divide')");
    await nvim.command("AgentQ! testhunks");
    await nvim.untilEvent("Tested", 2);
    await nvim.untilScreen("tests, all: 1 of 12 fails; without 2/3: 12 of 12 pass");
    expect((await nvim.lines("src/allocate.ts")).join("\n")).not.toContain("Math.floor");
  });
});
