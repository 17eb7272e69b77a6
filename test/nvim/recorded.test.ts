/** Recorded conversations as they stand in the transcript: the text, the text with all details open, and the highlights of our own. */
import { afterEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

const RECORDINGS = [
  "answer-after-a-look",
  "answer-after-retries",
  "answer-cut-once",
  "answer-in-markdown",
  "command-without-the-model",
  "question-of-a-question",
  "tool-that-is-unknown",
];

/** Times are what differs from run to run. */
const steady = (text: string): string => text.replaceAll(/\d+(?:\.\d+)? m?s\b/g, "… s");

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  /** The highlights of groups that Agent-Q defines, as `row group: text`. */
  const highlights = (): Promise<string[]> =>
    nvim.lua(`
      local bufnr = vim.fn.bufnr("^agentq://chat")
      local found = {}
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(bufnr, -1, 0, -1, { details = true })) do
        local row, first, details = mark[2], mark[3], mark[4]
        local group = details.hl_group or details.line_hl_group
        if type(group) == "string" and group:match("^Agentq") then
          local whole = vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ""
          local is_line = details.line_hl_group or details.end_row ~= row
          table.insert(found, ("%d %s: %s"):format(row + 1, group, is_line and whole or whole:sub(first + 1, details.end_col)))
        end
      end
      return found
    `);

  it.each(RECORDINGS)("draws the recording %s: text, details and highlights", async (recording) => {
    // Colours of treesitter come a moment later, and differ between versions of Neovim.
    const before = `vim.treesitter.get_string_parser = function() error("no parser") end`;
    nvim = await startNeovim({ editor, file: "src/allocate.ts", traffic: { recording }, before });
    await nvim.command("AgentQ prompt Go on");
    await nvim.untilEvent("TurnEnded");
    const text = await nvim.untilTranscript("── ");
    const groups = await highlights();
    await nvim.lua(`vim.api.nvim_set_current_win(vim.fn.bufwinid(vim.fn.bufnr("^agentq://chat")))`);
    await nvim.type("zR");
    const hasDetails = /^[✓✗▸]/m.test(text);
    const opened = await nvim.until("the details are open", async () => {
      const now = await nvim.transcript();
      return !hasDetails || now !== text ? now : undefined;
    });
    const parts = { "the text": text, "with all details open": opened, highlights: groups.join("\n") };
    const shown = Object.entries(parts).map(([title, part]) => `=== ${title}\n${steady(part).trimEnd()}\n`);
    await expect(shown.join("\n")).toMatchFileSnapshot(`snapshots/${recording}.txt`);
  });
});
