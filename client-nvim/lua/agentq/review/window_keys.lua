-- The plain keys of the review window.
local buffers = require("agentq.buffers")
local moves = require("agentq.review.window_moves")
local review_window = require("agentq.review.window")
local say = require("agentq.say")

local M = {}

--- Leaves the review for the hunk's place in its file.
local function enter_file()
  local here = review_window.here()
  if not here then
    return
  end
  review_window.close()
  if here.item then
    return require("agentq.review.navigate").go_to(here.item)
  end
  local bufnr, err = buffers.load(here.hunk.uri)
  if not bufnr then
    return say.error(err)
  end
  local window = require("agentq.chat.window").for_files()
  vim.api.nvim_set_current_win(window)
  vim.api.nvim_win_set_buf(window, bufnr)
  vim.api.nvim_win_set_cursor(window, { math.min(here.first + 1, vim.api.nvim_buf_line_count(bufnr)), 0 })
end

--- Takes the decision about the hunk under the cursor back; the server hears of that.
local function undo()
  local here, window = review_window.here(), review_window.opened()
  if not here or not window then
    return
  elseif here.is_open then
    return say.info("nothing was decided about this hunk")
  elseif here.is_undone then
    return say.info("this hunk was taken back already")
  end
  require("agentq.review.undo").take_back(here.entry, here.hunk, {
    began = function(proposal_id)
      window.hidden[proposal_id] = true
      window.proposals[proposal_id] = nil
    end,
    done = function()
      window.undone[here.key] = true
      review_window.refresh()
    end,
  })
end

local keys = {
  { "a", "accept", "accept the hunk" },
  { "r", "reject", "reject it, with a reason" },
  { "e", "edit", "change its text" },
  { "s", "split", "split it" },
  { "t", "test", "run the tests of the proposed text" },
  { "A", "accept_all", "accept all of the proposal" },
  { "R", "reject_all", "reject all of the proposal" },
}

local function help()
  local lines = {}
  for _, each in ipairs(keys) do
    lines[#lines + 1] = ("%-5s %s"):format(each[1], each[3])
  end
  vim.list_extend(lines, {
    "u     take the decision under the cursor back",
    "]c [c next, previous hunk that waits",
    "<CR>  go to its place in the file",
    "q     later: the hunks go on waiting",
  })
  require("agentq.float").show(lines, { title = "Review" })
end

---@param bufnr integer
function M.set(bufnr)
  local function map(lhs, run, desc)
    vim.keymap.set("n", lhs, run, { buffer = bufnr, nowait = true, desc = "AgentQ: " .. desc })
  end
  for _, each in ipairs(keys) do
    map(each[1], function()
      require("agentq.review.actions")[each[2]]()
    end, each[3])
  end
  map("u", undo, "take the decision back")
  map("]c", function()
    moves.move(1)
  end, "next hunk")
  map("[c", function()
    moves.move(-1)
  end, "previous hunk")
  map("<CR>", enter_file, "go to the hunk's place in the file")
  map("q", review_window.close, "close the review")
  map("?", help, "help")
end

return M
