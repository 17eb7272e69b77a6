-- The review window, in a tab page of its own. Only a person's command opens it.
local highlights = require("agentq.highlights")
local moves = require("agentq.review.window_moves")
local nothing = require("agentq.review.nothing")
local own_window = require("agentq.own_window")
local store = require("agentq.review.store")
local window_keys = require("agentq.review.window_keys")
local window_page = require("agentq.review.window_page")

local M = {}

-- 79 cells, so that an 80 column screen shows all of them.
local WINBAR = "a accept  r reject  e edit  u undo  A R all  d diff  <CR> file  q later  ? keys%<"

---@return integer bufnr
local function new_buffer()
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(bufnr, "agentq://review")
  vim.bo[bufnr].bufhidden = "wipe"
  vim.bo[bufnr].filetype = "agentq-review"
  vim.b[bufnr].agentq_review = true
  window_keys.set(bufnr)
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
