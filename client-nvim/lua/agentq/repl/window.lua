-- The window that shows the log of a REPL.
local M = {}

--- Opens the log below, without entering it.
---@param log agentq.Log
function M.open(log)
  local buffer = log:buffer()
  if vim.fn.bufwinid(buffer) ~= -1 then
    return
  end
  local window = require("agentq.own_sizes").open_at(buffer, false, "below", 12)
  vim.wo[window][0].number = false
  vim.wo[window][0].relativenumber = false
  vim.wo[window][0].signcolumn = "no"
  vim.wo[window][0].wrap = true
  -- Without smooth scrolling a line longer than the window hides everything above it.
  vim.wo[window][0].smoothscroll = true
  vim.wo[window][0].scrolloff = 0
  vim.wo[window][0].winbar = " %{%v:lua.require'agentq.repl.state'.bar()%}"
  vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(buffer), 0 })
end

return M
