/** What a review draws step by step is what a picture made at once shows. */
import { afterEach, expect, it } from "vitest";
import { describeEachEditor } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";
import { casesToRun } from "../support/extent.ts";

/** A proposal of changes and insertions in a file, and what a person does with them: a walk that the seed repeats. */
const WALK = `
  local uri, seed = ...
  vim.cmd.edit(vim.uri_to_fname(uri))
  local text = {}
  for line = 1, 120 do text[line] = ("export const value%d = 1;"):format(line) end
  vim.api.nvim_buf_set_lines(0, 0, -1, true, text)
  local bufnr, hunks = vim.api.nvim_get_current_buf(), {}
  for index = 1, 12 do
    local line, is_insertion = (index - 1) * 10, index % 4 == 0
    hunks[index] = {
      id = "h" .. index, uri = uri, kind = "edit", state = "pending", title = "change a value",
      range = {
        start = { line = line, character = 0 },
        ["end"] = { line = is_insertion and line or line + 1, character = 0 },
      },
      oldText = is_insertion and "" or text[line + 1] .. "\\n",
      newText = ("export const changed%d = 2;\\n"):format(index):rep(index % 3 + 1),
    }
  end
  local proposal = {
    proposalId = "p", title = "Change values", why = "for a walk", documents = {}, edit = {}, hunks = hunks,
    check = { state = "unavailable" }, state = "pending",
  }
  local arrivals, review = require("agentq.review.arrivals"), require("agentq.review.review")
  arrivals.on_proposal(1, vim.deepcopy(proposal))
  local namespace = vim.api.nvim_get_namespaces()["agentq.hunks"]
  local function picture()
    local marks = vim.tbl_map(function(mark)
      mark[4].ns_id = nil
      return vim.inspect({ mark[2], mark[3], mark[4] }):gsub("%s+", " ")
    end, vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, { details = true }))
    table.sort(marks)
    return marks
  end
  local random = seed
  local function choose(most)
    random = (random * 1103515245 + 12345) % 2147483648
    return math.floor(random / 65536) % most + 1
  end
  local steps = {
    function()
      vim.api.nvim_buf_set_lines(bufnr, choose(vim.api.nvim_buf_line_count(bufnr)) - 1, -1, true, { "cut off" })
    end,
    function()
      local row = choose(vim.api.nvim_buf_line_count(bufnr)) - 1
      vim.api.nvim_buf_set_lines(bufnr, row, row, true, { "inserted" })
    end,
    function()
      local row = choose(vim.api.nvim_buf_line_count(bufnr)) - 1
      vim.api.nvim_buf_set_lines(bufnr, row, row + 1, true, {})
    end,
    function()
      vim.cmd("silent! undo")
    end,
    function()
      proposal.hunks[choose(#hunks)].state = ({ "rejected", "conflict" })[choose(2)]
      arrivals.on_changed(1, vim.deepcopy(proposal))
    end,
    function()
      require("agentq.review.navigate").move(({ 1, -1 })[choose(2)])
    end,
  }
  local differences = {}
  for step = 1, 120 do
    -- A file that was cut off is seldom whole again: the first step is a rare one.
    local index = choose(#steps)
    steps[index == 1 and choose(8) > 1 and 2 or index]()
    review.refresh(bufnr)
    if choose(4) == 1 then
      local before = picture()
      require("agentq.review.draw").clear(bufnr)
      review.refresh(bufnr)
      if not vim.deep_equal(before, picture()) then
        table.insert(differences, { step = step, before = before, anew = picture() })
      end
    end
  end
  return differences
`;

describeEachEditor("nvim", (editor) => {
  let nvim: Neovim;

  afterEach(async () => {
    await nvim.dispose();
  });

  for (const seed of casesToRun([1, 2, 3])) {
    it(`shows after edits, undo, decisions and conflicts what a new picture shows (walk ${seed})`, async () => {
      nvim = await startNeovim({ editor, before: "vim.g.agentq.auto_start = false" });
      expect(await nvim.lua(WALK, nvim.uri("walk.ts"), seed)).toEqual([]);
    });
  }
});
