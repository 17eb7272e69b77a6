-- The window for a file that the person is sent to.
local M = {}

---@param bufnr integer
---@param window integer
---@return boolean?
local function shows_file(bufnr, window)
  local is_own = vim.startswith(vim.api.nvim_buf_get_name(bufnr), "agentq://")
  return vim.api.nvim_win_get_config(window).relative == ""
    and (vim.b[bufnr].agentq_preview or vim.bo[bufnr].buftype == "" and not is_own)
end

--- A window for a file: the one that shows a file and was used last, else a new split.
---@return integer window
function M.find()
  local window = require("agentq.person").window(shows_file)
  if window then
    return window
  end
  vim.cmd(vim.o.columns < require("agentq.own_window").NARROW and "topleft new" or "topleft vnew")
  return vim.api.nvim_get_current_win()
end

return M
