-- The review window, in a tab page of its own, and its plain keys. Only a person's command opens it.
local answer_keys = require("agentq.review.answer_keys")
local buffers = require("agentq.buffers")
local diff_window = require("agentq.review.diff_window")
local file_window = require("agentq.file_window")
local highlights = require("agentq.highlights")
local moves = require("agentq.review.window_moves")
local navigate = require("agentq.review.navigate")
local nothing = require("agentq.review.nothing")
local own_window = require("agentq.own_window")
local say = require("agentq.say")
local store = require("agentq.review.store")
local taking_back = require("agentq.review.undo")
local window_page = require("agentq.review.window_page")

local M = {}

-- 79 cells, so that an 80 column screen shows all of them.
local WINBAR = "a accept  r reject  e edit  u undo  A R all  d diff  <CR> file  q later  ? keys%<"

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
    reopened = function(proposal_id)
      window.reopened[here.key] = true
      window_page.refresh()
      -- The next key is about the hunk that waits again, not about what became of it before.
      if vim.api.nvim_get_current_buf() == window.bufnr then
        local item = vim.iter(store.pending()):find(function(each)
          return each.entry.proposal.proposalId == proposal_id
        end)
        moves.begin(item and item.key)
      end
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
local function set_keys(bufnr)
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

---@return integer bufnr
local function new_buffer()
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(bufnr, "agentq://review")
  vim.bo[bufnr].bufhidden = "wipe"
  vim.bo[bufnr].filetype = "agentq-review"
  vim.b[bufnr].agentq_review = true
  set_keys(bufnr)
  return bufnr
end

--- Opens the review window, with the cursor on a hunk.
---@param item? agentq.review.Item
function M.open(item)
  if store.count() == 0 then
    return nothing.say()
  end
  highlights.define()
  local win = window_page.shown_in()
  if win then
    vim.api.nvim_set_current_win(win)
  else
    local tab = vim.api.nvim_get_current_tabpage()
    local bufnr = new_buffer()
    window_page.begin(bufnr, tab)
    vim.cmd("tab sbuffer " .. bufnr)
    vim.w.agentq_own = true
    own_window.set(0, { breakindent = true, winbar = WINBAR })
  end
  -- A person may come from a message that they write, by <C-o>: the keys here are those of Normal mode. Where that is the
  -- mode already, |:stopinsert| would take what was just said off the command line.
  if vim.api.nvim_get_mode().mode ~= "n" then
    vim.cmd.stopinsert()
  end
  window_page.refresh()
  moves.begin(item and item.key)
end

return M
