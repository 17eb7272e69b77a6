-- The plain keys of the review window.
local answer_keys = require("agentq.review.answer_keys")
local buffers = require("agentq.buffers")
local diff_window = require("agentq.review.diff_window")
local file_window = require("agentq.file_window")
local moves = require("agentq.review.window_moves")
local taking_back = require("agentq.review.undo")
local window_page = require("agentq.review.window_page")
local navigate = require("agentq.review.navigate")
local say = require("agentq.say")

local M = {}

--- Leaves the review for the hunk's place in its file.
local function enter_file()
  local here = window_page.here()
  if not here then
    return
  end
  window_page.close()
  if here.item then
    return navigate.go_to(here.item)
  end
  local bufnr, err = buffers.load(here.hunk.uri)
  if not bufnr then
    return say.error(err --[[@as string]])
  end
  local window = file_window.find()
  vim.api.nvim_set_current_win(window)
  vim.api.nvim_win_set_buf(window, bufnr)
  vim.api.nvim_win_set_cursor(window, { math.min(here.first + 1, vim.api.nvim_buf_line_count(bufnr)), 0 })
end

--- Takes the decision about the hunk under the cursor back; the server hears of that.
local function undo()
  local here, window = window_page.here(), window_page.opened()
  if not here or not window then
    return
  elseif here.is_open then
    return say.info("nothing was decided about this hunk")
  elseif here.is_reopened then
    return say.info("this hunk waits again already, as part of another proposal")
  end
  taking_back.take_back(here.entry, here.hunk, {
    began = function(proposal_id)
      window.hidden[proposal_id] = true
      window.proposals[proposal_id] = nil
    end,
    reopened = function()
      window.reopened[here.key] = true
      window_page.refresh()
    end,
  })
end

local function help()
  answer_keys.help({
    "u     take the decision under the cursor back",
    "]c [c next, previous hunk that waits",
    "<CR>  go to its place in the file",
    "d     the file beside what the hunks make of it",
    "q     later: the hunks go on waiting",
  })
end

---@param bufnr integer
function M.set(bufnr)
  local function map(lhs, run, desc)
    vim.keymap.set("n", lhs, run, { buffer = bufnr, nowait = true, desc = "AgentQ: " .. desc })
  end
  answer_keys.set(bufnr, help)
  map("u", undo, "take the decision back")
  map("]c", function()
    moves.move(1)
  end, "next hunk")
  map("[c", function()
    moves.move(-1)
  end, "previous hunk")
  map("<CR>", enter_file, "go to the hunk's place in the file")
  map("d", function()
    local item = window_page.current()
    window_page.close()
    diff_window.open(item)
  end, "show the file beside what the hunks make of it")
  map("q", window_page.close, "close the review")
end

return M
